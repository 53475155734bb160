import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: creates a template, says why it was rejected, and resubmits it corrected",
  async (stack, { page, logIn, open, countPresses }) => {
    await logIn();
    await open("templates");
    await page.getByRole("link", { name: "New template" }).first().click();

    await page.getByRole("button", { name: "Submit for review" }).click();
    await page.getByLabel("Name").fill("Order Ready");
    await page.getByLabel("Text", { exact: true }).fill("{1}, your order is ready: a discount of {2}");
    await page.getByText("Put text before the first variable").waitFor();
    await page.getByLabel("Text", { exact: true }).fill(
      "Hello {1}, your order is ready. A discount of {2} waits.",
    );
    await page.getByLabel("Example for {1}").fill("Ana");
    await page.getByLabel("Example for {2}").fill("€ 5");
    await page.getByRole("figure", { name: "On the phone" })
      .getByText("Hello Ana, your order is ready. A discount of € 5 waits.").waitFor();
    await page.getByRole("button", { name: "Submit for review" }).click();

    await page.getByRole("heading", { name: "order_ready" }).waitFor();
    await page.getByText("The platform rejected it").waitFor();
    await page.getByText("Do not mix the two.").waitFor();
    await page.getByRole("listitem").getByText(`by ${stack.demo.email}`).waitFor();
    const presses = countPresses("correct a rejected template");
    await page.getByRole("link", { name: "Correct and resubmit" }).click();
    await page.getByLabel("Text", { exact: true }).fill("Hello {1}, your order {2} is ready.");
    await page.getByRole("button", { name: "Submit for review" }).click();

    await page.getByRole("heading", { name: "order_ready_2" }).waitFor();
    await presses.done();
    await page.getByText("Approved", { exact: true }).first().waitFor();
    await page.getByRole("link", { name: "New campaign" }).last().click();
    await page.getByText("Hello Ana, your order € 5 is ready.").waitFor();
  },
));

Deno.test(consoleTest(
  "console: shows a refused template in the field, with the one that exists",
  async (stack, console) => {
    const { page } = console;
    const { templates } = await manage(stack, "GET", "/templates?name=order_update");
    await console.logIn();
    await console.open("templates/new");
    await page.getByLabel("Name").fill("order_update");
    await page.getByLabel("Text", { exact: true }).fill("Hello, it is ready.");

    await page.getByRole("button", { name: "Submit for review" }).click();

    await page.getByRole("alert").getByText("There is a template of this name in this language").waitFor();
    await page.getByRole("link", { name: "See the one that exists" }).click();
    await page.getByRole("heading", { name: templates[0].name }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: updates the templates from the platform, and follows a pause",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("templates?name=summer_sale");
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
    await page.getByRole("button", { name: "Update from the platform" }).click();
    await page.getByText(/^\d+ templates, /).waitFor();
    const row = page.getByRole("row", { name: /^summer_sale / });
    await row.getByText("Approved").first().waitFor();

    await reportStatus(stack.sandboxUrl, "summer_sale", "PAUSED");

    await row.getByText("Disabled").waitFor();
    await page.getByRole("link", { name: "summer_sale" }).first().waitFor();
    await reportStatus(stack.sandboxUrl, "summer_sale", "APPROVED");
    await row.getByText("Disabled").waitFor({ state: "detached" });
  },
));

Deno.test(consoleTest(
  "console: begins a template with an example, inserts a variable and an emoji, and uploads a sample",
  async (_stack, { page, logIn, open, countPresses }) => {
    await logIn();
    await open("templates/new");
    await page.getByRole("button", { name: "Start from an example" }).click();
    const library = page.getByRole("dialog", { name: "Start from an example" });
    await library.getByLabel("Language").selectOption({ label: "Português" });
    await library.getByText("Olá Ana, recebemos o seu pedido A-1001.").waitFor();
    await library.getByRole("button", { name: "Use it" }).first().click();
    await library.waitFor({ state: "detached" });

    const text = page.getByLabel("Text", { exact: true });
    assert.match(await text.inputValue(), /^Olá \{1\}/);
    await text.press("End");
    await text.pressSequentially(" O código é ");
    await page.getByRole("button", { name: "Insert a variable" }).click();
    await text.pressSequentially(". ");
    await page.getByLabel("Emojis").first().click();
    await page.getByRole("button", { name: "🎉" }).click();
    await page.getByLabel("Example for {3}").fill("X-9");
    await page.getByRole("figure", { name: "On the phone" }).getByText(/O código é X-9\. 🎉$/).waitFor();

    const presses = countPresses("give a template a picture");
    await page.getByLabel("Header").selectOption({ label: "Image" });
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Upload a file" }).click();
    await (await chooser).setFiles({ name: "garden.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("figure", { name: "On the phone" }).getByAltText("garden.png").waitFor();
    await presses.done();
    await page.getByRole("button", { name: "Submit for review" }).click();

    await page.getByRole("heading", { name: "order_confirmed", level: 1 }).waitFor();
  },
));

Deno.test(consoleTest(
  "console: writes a template with a variable and two buttons, which the preview shows",
  async (_stack, { page, logIn, open, countPresses }) => {
    await logIn();
    await open("templates");
    await page.getByRole("link", { name: "New template" }).first().waitFor();
    const presses = countPresses("write a template with a variable and two buttons");
    await page.getByRole("link", { name: "New template" }).first().click();
    await page.getByLabel("Name").fill("order_arrived");
    await page.getByLabel("Text", { exact: true }).fill("Hello {1}, your order has arrived.");
    await page.getByLabel("Example for {1}").fill("Ana");
    await page.getByRole("button", { name: "Add a button" }).click();
    await page.getByLabel("Label").fill("Thank you");
    await page.getByRole("button", { name: "Add a button" }).click();
    const second = page.getByRole("group", { name: "Buttons 2" });
    await second.getByLabel("Kind").selectOption({ label: "Link" });
    await second.getByLabel("Label").fill("Rate it");
    await second.getByLabel("Address").fill("https://shop.example/rate/{1}");
    const phone = page.getByRole("figure", { name: "On the phone" });
    await phone.getByText("Thank you").waitFor();
    await phone.getByText("Rate it").waitFor();
    await page.getByRole("button", { name: "Submit for review" }).click();

    await page.getByRole("heading", { name: "order_arrived" }).waitFor();
    await page.getByText("Approved", { exact: true }).first().waitFor();
    await presses.done();
  },
));

Deno.test(consoleTest(
  "console: adds a language to a template, and lists its languages in one row",
  async (stack, { page, logIn, open }) => {
    const { templates } = await manage(stack, "GET", "/templates?name=summer_sale");
    await logIn();
    await open(`templates/${templates[0].template_id}`);
    await page.getByRole("row", { name: /^summer_sale es/ }).waitFor();
    await page.getByText("Names for programs").click();
    await page.getByText("body_text_0", { exact: true }).waitFor();

    await page.getByRole("link", { name: "Add a language" }).click();

    assert.equal(await page.getByRole("textbox", { name: "Name" }).inputValue(), "summer_sale");
    assert.equal(await page.getByRole("textbox", { name: "Language" }).inputValue(), "");
    await open("templates?name=summer_sale");
    await page.getByRole("link", { name: "summer_sale es" }).waitFor();
  },
));

/** The smallest picture there is. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

async function reportStatus(sandboxUrl: string, name: string, status: string): Promise<void> {
  const { data } = await (await fetch(`${sandboxUrl}/sandbox/templates`)).json();
  const found = data.find((each: { name: string; language: string }) =>
    each.name === name && each.language === "en_US"
  );
  const response = await fetch(`${sandboxUrl}/sandbox/templates/${found.id}`, {
    method: "PUT",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ status }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.body?.cancel();
}
