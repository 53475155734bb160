import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import type { WidgetStack } from "../widget_stack.ts";
import { manage, setRate, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

/** As long as a thousand messages take on a busy machine. */
const SENT_MS = 90_000;

/** A call of the sandbox rings, and is talked. */
const CALL_MS = 40_000;

/** A spreadsheet's file, with semicolons and Spanish headings: rows 4, 18 and 401 are wrong, and row 31 comes twice. */
function peopleWithErrors(): string {
  const rows = Array.from({ length: 1000 }, (_, row) => `${numberOf(row)};"Ana ${row}";A-${row}`);
  rows[3] = "12;Íñigo;A-3";
  rows[17] = "34 600 ABC;Eva;A-17";
  rows[30] = `${numberOf(29)};Luis;A-30`;
  rows[400] = `${numberOf(400)};;A-400`;
  return `\uFEFFTeléfono;Nombre;Pedido\r\n${rows.join("\r\n")}\r\n`;
}

/** Three of them fail: two are not on WhatsApp, and one is spared. */
function numberOf(row: number): string {
  const fails = { 100: "34600110000", 200: "34600120000", 300: "34600130001" } as Record<number, string>;
  return fails[row] ?? `34600${200_002 + row * 7}`;
}

async function chooseFile(page: Page, name: string, content: string, mimeType = "text/csv"): Promise<void> {
  await page.getByLabel("Choose a file").last().setInputFiles({
    name,
    mimeType,
    buffer: Buffer.from(content),
  });
}

async function messagesTo(
  { sandboxUrl }: WidgetStack,
  number: string,
): Promise<{ rendered: { body: string } }[]> {
  const { data } = await (await fetch(`${sandboxUrl}/sandbox/messages?to=${number}`)).json();
  return data;
}

Deno.test(consoleTest(
  "console: leads a newcomer from a file with errors to a campaign that is paused, resumed and resent",
  async (stack, { page, logIn }) => {
    await setRate(stack, 40);
    await logIn();
    await page.getByRole("link", { name: "New campaign" }).last().click();
    await page.getByRole("heading", { name: "New campaign" }).waitFor();

    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await page.getByText("Hi Asha, your order A-1042 is on its way.").waitFor();
    await chooseFile(page, "Pick-up.csv", peopleWithErrors());
    await page.getByText("1,000 rows", { exact: true }).waitFor();
    const phone = page.getByRole("figure", { name: "On the phone" });
    await phone.getByText("Hi Ana 0, your order A-0 is on its way.").waitFor();
    await page.getByRole("button", { name: "Next row" }).click();
    await phone.getByText("Hi Ana 1, your order A-1 is on its way.").waitFor();
    await page.getByRole("button", { name: "Check all rows" }).click();

    const problems = page.getByRole("region", { name: "Rows with problems" });
    await problems.getByRole("row", {
      name: /^18 34 600 ABC Teléfono This is no phone number .* Write the number with \+/,
    })
      .waitFor();
    await problems.getByRole("row", { name: new RegExp(`^31 ${numberOf(29)} Teléfono The number is there`) })
      .waitFor();
    await problems.getByRole("row", { name: /^401 \d+ Nombre / }).waitFor();
    await page.getByRole("row", { name: /^The number is there several times/ }).getByRole("link", {
      name: "1",
    }).click();
    await problems.getByRole("row", { name: /^18 / }).waitFor({ state: "detached" });
    assert.equal(await problems.getByRole("row").count(), 2);
    await page.getByRole("button", { name: "Send to 996" }).click();
    const question = page.getByRole("dialog", { name: "Send to 996 people?" });
    await question.getByText(/“Pick-up” goes out now, from \+\d+\. 4 rows are left out\./).waitFor();
    await question.getByRole("button", { name: "Send to 996" }).click();

    await page.getByRole("heading", { name: "Pick-up" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused", { exact: true }).waitFor();
    await eventually(async () => assert.equal((await messagesTo(stack, numberOf(0))).length, 1));
    assert.equal(
      (await messagesTo(stack, numberOf(0)))[0]!.rendered.body,
      "Hi Ana 0, your order A-0 is on its way.",
    );
    await setRate(stack, 80);
    await page.getByRole("button", { name: "Resume" }).first().click();
    await page.getByText("Completed", { exact: true }).waitFor({ timeout: SENT_MS });
    const unreachable = page.getByRole("row", { name: /131026/ });
    await unreachable.getByRole("link", { name: "2" }).waitFor({ timeout: SENT_MS });
    const spared = page.getByRole("row", { name: /131049/ });
    await spared.getByText("Wait a day").waitFor();
    await spared.getByRole("button", { name: "Resend" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resend" }).click();
    await page.getByRole("link", { name: /^Accepted 1$/ }).waitFor();
  },
));

Deno.test(consoleTest(
  "console: shows what is missing before anything is checked",
  async (_stack, { page, logIn, open }) => {
    await logIn();
    await open("compose");

    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByText("Still missing: a message, people, a campaign name.").waitFor();
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await chooseFile(page, "people.xlsx", "PK");
    await page.getByText("This is a spreadsheet.").waitFor();
    await chooseFile(page, "people.csv", "Phone\n34600200002\n");

    await page.getByText("Still missing: {{1}} in the text, {{2}} in the text.").waitFor();
  },
));

Deno.test(
  consoleTest("console: schedules what was typed, with one text for all", async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await page.getByRole("button", { name: "Type or paste" }).click();
    await page.getByLabel("Contacts").fill("34600400002, Ana\n+34 600 400 003, Luis");
    await page.getByRole("button", { name: "Use these" }).click();
    await page.getByLabel("{{2}} in the text").selectOption({ label: "The same text for everybody …" });
    await page.getByLabel("Text for everybody: {{2}} in the text").fill("A-7");
    await page.getByRole("radio", { name: "At a date and hour" }).check();
    await page.getByLabel("Date and hour", { exact: true }).last().fill("2099-01-31T09:00");
    await page.getByLabel("Campaign name").fill("Next century");

    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Schedule for 2" }).click();
    await page.getByRole("dialog").getByText("goes out on 2099-01-31 09:00 (Europe/Madrid)").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Schedule for 2" }).click();

    await page.getByText("2 accepted.").waitFor();
    await page.getByRole("link", { name: /^Accepted 2$/ }).waitFor();
    await page.getByText("starts 31 Jan 2099, 09:00 CET").waitFor();
    await console.open("campaigns");
    await page.getByText("31 Jan 2099, 09:00 CET").waitFor();
    const { campaigns } = await manage(stack, "GET", "/campaigns?limit=1");
    assert.deepEqual([campaigns[0].total, Date.parse(campaigns[0].scheduled_time)], [
      2,
      Date.UTC(2099, 0, 31, 8),
    ]);
  }),
);

Deno.test(consoleTest("console: sends a test of the first row to oneself", async (stack, console) => {
  const { page } = console;
  await console.logIn();
  await console.open("compose");
  await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
  await chooseFile(page, "people.csv", "Phone,Name,Order\n34600500002,Ana,A-9\n");

  await page.getByLabel("Your number").fill("+34 600 599 999");
  await page.getByRole("button", { name: "Send a test" }).click();

  await page.getByText("The test is on its way.").waitFor();
  const messages = await eventually(async () => {
    const found = await messagesTo(stack, "34600599999");
    assert.equal(found.length, 1);
    return found;
  });
  assert.equal(messages[0]!.rendered.body, "Hi Ana, your order A-9 is on its way.");
  assert.deepEqual(await messagesTo(stack, "34600500002"), []);
}));

Deno.test(consoleTest(
  "console: continues an upload that broke off, after the page was loaded anew",
  async (stack, console) => {
    const { page } = console;
    const upload = await manage(stack, "POST", "/uploads", {
      channel: "whatsapp",
      name_template: "order_update",
      language_template: "en_US",
      recipient_id: stack.demo.sender,
      notification_type: "utility",
      campaign_name: "Broken off",
      components_push: { body_text_1: "A-1" },
      columns: { number: "Phone", body_text_0: "Name" },
    });
    const file = `Phone,Name\n${
      Array.from({ length: 250 }, (_, row) => `34600${600_002 + row},Ana`).join("\n").replaceAll(
        "0000,",
        "0009,",
      )
    }\n`;
    const { daily_quota } = (await manage(stack, "GET", "/keys")).key;
    const { usage } = await manage(stack, "GET", "/usage?days=1");
    const used = usage[0]?.notifications ?? 0;
    await manage(stack, "PUT", "/keys", { daily_quota: used + 150 });
    await console.logIn();
    await console.open(`compose?upload=${upload.upload_id}`);
    await chooseFile(page, "people.csv", file);
    await page.getByRole("alert").getByText("The quota of the day is used up").waitFor();
    await page.getByText("100 rows are stored.").waitFor();
    await manage(stack, "PUT", "/keys", { daily_quota });

    await page.reload();
    await page.getByRole("heading", { name: "Broken off" }).waitFor();
    await chooseFile(page, "people.csv", file);

    await page.getByRole("link", { name: /^Accepted 250$/ }).waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: sends a campaign of calls, whose agent knows the columns, and shows its calls",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("compose");
    await page.getByLabel("How").selectOption({ label: "Voice" });
    await page.getByLabel("Voice agent").selectOption({ label: "Order desk" });
    await chooseFile(
      page,
      "Visits.csv",
      "Nombre,Phone,Day,Notes\nAna,34600700002,Monday,vip\nLuis,34600700101,Tuesday,\nEva,12,Friday,\n",
    );
    await page.getByText("3 rows", { exact: true }).waitFor();
    await page.getByLabel("Column “Nombre”").fill("day");
    await page.getByLabel("Column “Notes”").fill("");
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByText("Still missing: a name of its own for each variable.").waitFor();
    await page.getByLabel("Column “Nombre”").fill("first_name");

    await page.getByRole("button", { name: "Check all rows" }).click();
    const problems = page.getByRole("region", { name: "Rows with problems" });
    await problems.getByRole("row", { name: /^3 12 Phone This is no phone number/ }).waitFor();
    assert.deepEqual(await callsTo(stack, "34600700002"), []);
    await page.getByRole("button", { name: "Send to 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send to 2" }).click();

    await page.getByRole("heading", { name: "Visits" }).waitFor();
    await page.getByRole("link", { name: "See its calls" }).click();
    await page.getByRole("row", { name: /34600700101 Busy/ }).waitFor({ timeout: CALL_MS });
    await page.getByRole("row", { name: /34600700002 Answered/ }).waitFor({ timeout: CALL_MS });
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.getByRole("link", { name: "+34600700002" }).click();
    const transcript = page.getByRole("list", { name: "What was said" });
    await transcript.getByText("Demo Traders, calling 34600700002").waitFor({ timeout: CALL_MS });
    const [call] = await callsTo(stack, "34600700002");
    const { outbound_reference: _, ...variables } = call!.dynamic_variables;
    assert.deepEqual(variables, { number: "34600700002", first_name: "Ana", day: "Monday" });
  },
));

async function callsTo(
  { sandboxUrl }: WidgetStack,
  number: string,
): Promise<{ dynamic_variables: Record<string, unknown> }[]> {
  return (await (await fetch(`${sandboxUrl}/sandbox/calls?to=${number}`)).json()).data;
}
