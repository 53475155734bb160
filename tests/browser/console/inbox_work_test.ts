import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";
import { sendOnWhatsApp, writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: writes a canned reply once, and puts it into a reply with / and its name filled in",
  async (stack, console) => {
    const { page } = console;
    const number = "34600242001";
    await manage(stack, "POST", "/contacts", {
      name: "Marta Gil",
      addresses: [{ kind: "number", address: number }],
    });
    await writeOnWhatsApp(stack, number, "When are you open?");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(`Marta Gil.*${number}`) }).click();
    const field = page.getByRole("textbox", { name: "Write a reply" });

    await page.getByRole("button", { name: "Canned replies" }).click();
    const dialog = page.getByRole("dialog", { name: "Canned replies" });
    for (
      const [shortcut, text] of [["hours", "Hello {{first_name}}, from 9 to 18."], ["bye", "Bye {{order}}"]]
    ) {
      await dialog.getByRole("button", { name: "Add a canned reply" }).click();
      await dialog.getByLabel("Name").fill(shortcut!);
      await dialog.getByLabel("Text").fill(text!);
      await dialog.getByRole("button", { name: "Save" }).click();
      await dialog.getByText(`/${shortcut}`).waitFor();
    }
    await dialog.getByRole("button", { name: "Change /hours" }).click();
    await dialog.getByLabel("Text").fill("Hello {{first_name}}, we are open from 9 to 18.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("we are open").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();

    await field.pressSequentially("/");
    await page.getByRole("option", { name: /\/hours/ }).waitFor();
    await field.press("ArrowDown");
    await page.getByRole("option", { name: /\/hours/, selected: true }).waitFor();
    await field.press("Enter");
    await eventually(async () =>
      assert.equal(await field.inputValue(), "Hello Marta, we are open from 9 to 18.")
    );
    await field.press("Enter");
    await page.getByRole("log").getByText("Hello Marta, we are open from 9 to 18.").waitFor();

    await field.pressSequentially("/by");
    await page.getByRole("option", { name: /\/bye/ }).click();
    await field.press("Enter");
    await page.getByText("Replace {{order}} first.").waitFor();
    assert.equal(await field.inputValue(), "Bye {{order}}");
    await field.fill("/x");
    await field.press("Escape");
    await page.getByRole("listbox").waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Canned replies" }).click();
    await page.getByRole("button", { name: "Remove /bye" }).click();
    await dialog.getByText("/bye").waitFor({ state: "detached" });
  },
));

Deno.test(consoleTest(
  "console: says so where the file of a dialog is gone, as after a release, and goes on",
  async (stack, console) => {
    const { page } = console;
    const number = "34600242009";
    await writeOnWhatsApp(stack, number, "Are you there?");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).click();
    await page.route(/\/assets\/canned_dialog-/, (route) => route.abort());

    await page.getByRole("button", { name: "Canned replies" }).click();

    await page.getByText("This page has a fault. Reload it.").waitFor();
    await page.unroute(/\/assets\/canned_dialog-/);
    await page.reload();
    await page.getByRole("button", { name: "Canned replies" }).click();
    await page.getByRole("dialog", { name: "Canned replies" }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: notes and labels a conversation, and finds it by the label and by what was written",
  async (stack, console) => {
    const { page } = console;
    const number = "34600242002";
    await writeOnWhatsApp(stack, number, "I want a refund, see https://shop.test/a_b_c.");
    await writeOnWhatsApp(stack, "34600242003", "Hello");
    await console.logIn();
    await console.open("inbox");
    const row = page.getByRole("link", { name: new RegExp(number) });
    await row.click();
    await page.getByRole("log").getByRole("link", { name: "https://shop.test/a_b_c" }).waitFor();

    await page.keyboard.press("n");
    const field = page.getByRole("textbox", { name: "Write a note for your colleagues" });
    await field.fill("Asked twice already");
    await field.press("Enter");
    const note = page.getByRole("log").getByRole("listitem").filter({ hasText: "Private note ·" });
    await note.getByText("Asked twice already").waitFor();
    const phone = await (await fetch(`${stack.sandboxUrl}/sandbox/phones/${number}`)).json();
    assert.doesNotMatch(JSON.stringify(phone), /Asked twice/);

    const labels = page.getByRole("region", { name: "Labels" });
    await labels.getByRole("combobox", { name: "Add a label" }).fill("refund");
    await labels.getByRole("button", { name: "Add a label" }).click();
    await labels.getByRole("link", { name: "refund" }).waitFor();
    await page.getByRole("combobox", { name: "Label", exact: true }).selectOption("refund");
    await page.getByRole("link", { name: /34600242003/ }).waitFor({ state: "detached" });
    await row.waitFor();
    assert.match(page.url(), /label=refund/);
    await page.getByRole("combobox", { name: "Label", exact: true }).selectOption("");

    await page.getByRole("searchbox", { name: "Search the inbox" }).fill("REFUND");
    await page.getByRole("heading", { name: "Messages" }).waitFor();
    await row.waitFor();
    await page.getByRole("searchbox", { name: "Search the inbox" }).fill("nothing like this");
    await page.getByText("Nothing found").waitFor();
    await page.getByRole("searchbox", { name: "Search the inbox" }).fill("");
    await labels.getByRole("button", { name: "Remove the label refund" }).click();
    await labels.getByRole("link", { name: "refund" }).waitFor({ state: "detached" });
  },
));

Deno.test(consoleTest(
  "console: shows the message of the campaign that a person replies to, and who of the company wrote",
  async (stack, console) => {
    const { page } = console;
    const first = 2_420_105;
    const number = `1555${first}`;
    const campaign = await sendCampaign(stack, { name: "Shipping", recipients: 1, first });
    await eventually(async () => {
      const { campaigns } = await manage(stack, "GET", "/campaigns?limit=100");
      const sent = campaigns.find(({ campaign_id }: { campaign_id: string }) => campaign_id === campaign);
      assert.ok(sent.delivered + sent.read > 0);
    });
    const phone = await (await fetch(`${stack.sandboxUrl}/sandbox/phones/${number}`)).json();
    await sendOnWhatsApp(stack, number, { type: "text", text: "Thanks!", context: phone.messages[0].id });
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).click();
    const log = page.getByRole("log");

    await log.getByRole("link", { name: "Replies to “Shipping”" }).waitFor();
    await log.getByText(/A-1042/).waitFor();
    await page.getByRole("textbox", { name: "Write a reply" }).fill("Welcome");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await log.getByText("You", { exact: true }).first().waitFor();
    await sendOnWhatsApp(stack, number, { type: "text", text: "stop" });
    await log.getByText("Automatic", { exact: true }).waitFor();

    await page.getByRole("region").getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Open again" }).click();
    await page.getByText("It is open again.").waitFor();
  },
));

Deno.test(consoleTest(
  "console: begins a conversation with a template, and says in words why one is refused",
  async (stack, console) => {
    const { page } = console;
    const number = "34600242005";
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("button", { name: "New conversation" }).click();
    const dialog = page.getByRole("dialog", { name: "New conversation" });
    await dialog.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await dialog.getByRole("button", { name: "Send it" }).click();
    await dialog.getByText("Enter the whole number").waitFor();
    await dialog.getByLabel("Phone number").fill("+34 600 242 005");
    await dialog.getByLabel("{{1}} in the text").fill("Ana");
    await dialog.getByLabel("{{2}} in the text").fill("A-1");
    await dialog.getByRole("button", { name: "Send it" }).click();
    await page.getByText("The template is on its way.").waitFor();
    await eventually(async () => {
      const { notifications } = await manage(stack, "GET", `/contacts/notifications?number=${number}`);
      assert.equal(notifications[0]?.template_name, "order_update");
    });

    await console.open(`inbox?to=${number}`);
    assert.equal(await dialog.getByLabel("Phone number").inputValue(), `+${number}`);
    const suppressions = [{ number, category: "all", detail: "Asked by phone" }];
    await manage(stack, "POST", "/contacts/suppressions", { suppressions });
    await dialog.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await dialog.getByLabel("{{1}} in the text").fill("Ana");
    await dialog.getByLabel("{{2}} in the text").fill("A-1");
    await dialog.getByRole("button", { name: "Send it" }).click();
    await dialog.getByRole("alert").getByText("Leave the person alone.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: on a phone a reply, a note and a file are at hand, and nothing is wider than the page",
  async (stack, console) => {
    const { page } = console;
    const number = "34600242006";
    await writeOnWhatsApp(stack, number, "On the phone");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).click();
    for (const name of ["Attach files", "Emoji", "Canned replies", "Send"]) {
      await page.getByRole("button", { name, exact: true }).waitFor();
    }
    await page.getByRole("button", { name: "Emoji" }).click();
    await page.getByRole("button", { name: "👍" }).click();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("log").getByText("👍").waitFor();
    await page.getByRole("button", { name: "Private note" }).click();
    await page.getByRole("textbox", { name: "Write a note for your colleagues" }).waitFor();
    assert.equal(await page.evaluate("document.documentElement.scrollWidth > innerWidth"), false);
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.getByRole("link", { name: "Waiting" }).waitFor();
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true },
));

Deno.test(consoleTest(
  "console: counts a person who was erased no more among those who wait",
  async (stack, console) => {
    const { page } = console;
    const number = "34600242007";
    await writeOnWhatsApp(stack, number, "Forget me");
    await console.logIn();
    await console.open("inbox");
    await page.getByRole("link", { name: new RegExp(number) }).waitFor();
    const waiting = async () => Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
    const before = await eventually(async () => {
      const count = await waiting();
      assert.ok(count > 0);
      return count;
    });

    await console.open(`contacts/${number}`);
    await page.getByRole("button", { name: "Erase" }).click();
    const question = page.getByRole("dialog", { name: `Erase +${number}?` });
    await question.getByRole("textbox").fill(number);
    await question.getByRole("button", { name: "Erase" }).click();
    await page.getByText(/^Erased/).waitFor();

    await eventually(async () => assert.equal(await waiting(), before - 1));
  },
));
