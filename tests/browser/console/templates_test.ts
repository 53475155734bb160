import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: creates a template, says why it was rejected, and resubmits it corrected",
  async (_stack, { page, logIn, open }) => {
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
    await page.getByText("Choose Marketing, or leave out what promotes something.").waitFor();
    await page.getByRole("listitem").getByText("by a member").waitFor();
    await page.getByRole("link", { name: "Correct and resubmit" }).click();
    await page.getByLabel("Text", { exact: true }).fill("Hello {1}, your order {2} is ready.");
    await page.getByRole("button", { name: "Submit for review" }).click();

    await page.getByRole("heading", { name: "order_ready_2" }).waitFor();
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

    await page.getByRole("alert").getByText("validation_failed").waitFor();
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
    const row = page.getByRole("row", { name: /summer_sale en_US/ });
    await row.getByText("Approved").waitFor();

    await reportStatus(stack.sandboxUrl, "summer_sale", "PAUSED");

    await row.getByText("Disabled").waitFor();
    await page.getByRole("link", { name: "summer_sale" }).first().waitFor();
    await reportStatus(stack.sandboxUrl, "summer_sale", "APPROVED");
    await row.getByText("Approved").waitFor();
  },
));

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
