import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { strToU8, zipSync } from "fflate";
import type { Page } from "playwright-core";
import type { JsonObject } from "../../setup/http/http.ts";
import { eventually, inTheEnd } from "../../setup/eventually.ts";
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
  async (stack, { page, logIn, countPresses }) => {
    await setRate(stack, 40);
    await logIn();
    await page.getByRole("link", { name: "New campaign" }).last().click();
    await page.getByRole("heading", { name: "New campaign" }).waitFor();

    let presses = countPresses("map a file");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await page.getByText("Hi Asha, your order A-1042 is on its way.").waitFor();
    await chooseFile(page, "Pick-up.csv", peopleWithErrors());
    await page.getByText("1,000 rows", { exact: true }).waitFor();
    const phone = page.getByRole("figure", { name: "On the phone" });
    await phone.getByText("Hi Ana 0, your order A-0 is on its way.").waitFor();
    await presses.done();
    await page.getByRole("button", { name: "Next row" }).click();
    await phone.getByText("Hi Ana 1, your order A-1 is on its way.").waitFor();
    presses = countPresses("check all rows");
    await page.getByRole("button", { name: "Check all rows" }).click();

    const problems = page.getByRole("region", { name: "Rows with problems" });
    await problems.waitFor();
    await presses.done();
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
    presses = countPresses("save the refused rows");
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download the refused rows" }).click(),
    ]);
    await presses.done();
    assert.equal(saved.suggestedFilename(), "Pick-up - refused.csv");
    const refused = (await Deno.readTextFile(await saved.path())).split("\r\n");
    assert.equal(refused[0], "\uFEFFTeléfono,Nombre,Pedido,Problem");
    assert.match(refused[2]!, /^34 600 ABC,Eva,A-17,"?This is no phone number/);
    assert.equal(refused.length, 6);
    await page.getByText("4 rows get nothing; the others are sent.").waitFor();
    await page.getByRole("figure", { name: "Row 1" }).getByText("Hi Ana 0, your order A-0 is on its way.")
      .waitFor();
    presses = countPresses("send a checked file");
    await page.getByRole("button", { name: "Send to 996" }).click();
    const question = page.getByRole("dialog", { name: "Send to 996 people now?" });
    await question.getByText(
      /“Pick-up” goes out now, from \+\d+\. Countries: Spain 996\. 4 rows are left out\./,
    )
      .waitFor();
    await question.getByRole("button", { name: "Send to 996" }).click();

    await page.getByRole("heading", { name: "Pick-up" }).waitFor();
    await presses.done();
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
    await page.getByText("996 people of Pick-up.csv").waitFor();
    const unreachable = page.getByRole("row", { name: /not on WhatsApp/ });
    await unreachable.getByRole("link", { name: "2" }).waitFor({ timeout: SENT_MS });
    const spared = page.getByRole("row", { name: /spare the recipient/ });
    await spared.getByText("Wait a day").waitFor();
    presses = countPresses("resend to those who failed");
    await spared.getByRole("button", { name: "Resend" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Resend" }).click();
    await page.getByRole("link", { name: /^Accepted 1$/ }).waitFor();
    await presses.done();
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
    await page.getByText("This kind of spreadsheet cannot be read.").waitFor();
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
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    assert.match(await page.getByLabel("Contacts").inputValue(), /^34600400002, Ana\n/);
    await page.getByRole("button", { name: "Use these" }).click();
    await page.getByLabel("{{2}} in the text").selectOption({ label: "The same text for everybody …" });
    await page.getByLabel("Text for everybody: {{2}} in the text").fill("A-7");
    await page.getByRole("radio", { name: "At a date and hour" }).check();
    await page.getByLabel("Date and hour", { exact: true }).last().fill("2099-01-31T09:00");
    await page.getByText(/^In [\d,]+ days/).waitFor();
    await page.getByLabel("Campaign name").fill("Next century");

    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Schedule for 2" }).click();
    const question = page.getByRole("dialog", { name: "Schedule for 2 people?" });
    await question.getByText(/goes out on 31 Jan 2099, 09:00 CET \(Europe\/Madrid\), in [\d,]+ days/)
      .waitFor();
    await question.getByText("Countries: Spain 2.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Schedule for 2" }).click();

    let presses = console.countPresses("see when a campaign leaves");
    await page.getByText("2 accepted.").waitFor();
    await page.getByRole("link", { name: /^Accepted 2$/ }).waitFor();
    await page.getByText("starts 31 Jan 2099, 09:00 CET").waitFor();
    await presses.done();
    await console.open("campaigns");
    await page.getByText("31 Jan 2099, 09:00 CET").waitFor();
    const { campaigns } = await manage(stack, "GET", "/campaigns?limit=1");
    assert.deepEqual([campaigns[0].total, Date.parse(campaigns[0].scheduled_time)], [
      2,
      Date.UTC(2099, 0, 31, 8),
    ]);

    await page.getByRole("link", { name: "Next century" }).click();
    presses = console.countPresses("edit a scheduled campaign");
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("dialog", { name: "Edit this campaign?" }).getByRole("button", { name: "Edit" })
      .click();
    await page.getByRole("heading", { name: "New campaign" }).waitFor();
    await presses.done();
    assert.equal(await page.getByLabel("Campaign name").inputValue(), "Next century");
    assert.equal(
      await page.getByLabel("Date and hour", { exact: true }).last().inputValue(),
      "2099-01-31T09:00",
    );
    const { status } = await manage(stack, "GET", `/campaigns/${campaigns[0].campaign_id}`);
    assert.equal(status, "cancelled");
  }),
);

Deno.test(consoleTest("console: sends a test of the first row to oneself", async (stack, console) => {
  const { page } = console;
  await console.logIn();
  await console.open("compose");
  await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
  await chooseFile(page, "people.csv", "Phone,Name,Order\n34600500002,Ana,A-9\n");

  const presses = console.countPresses("send a test to oneself");
  await page.getByLabel("Your number").fill("+34 600 599 999");
  await page.getByRole("button", { name: "Send a test" }).click();

  await page.getByText("The test is on its way.").waitFor();
  await presses.done();
  const messages = await eventually(async () => {
    const found = await messagesTo(stack, "34600599999");
    assert.equal(found.length, 1);
    return found;
  });
  assert.equal(messages[0]!.rendered.body, "Hi Ana, your order A-9 is on its way.");
  assert.deepEqual(await messagesTo(stack, "34600500002"), []);
}));

Deno.test(consoleTest(
  "console: gives back the file's other columns in the campaign's file",
  async (_stack, { page, logIn, open }) => {
    await logIn();
    await open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await chooseFile(
      page,
      "branches.csv",
      'Phone,Name,Order,Branch (city)\n34600510002,Ana,A-9,"Madrid\nNorth"\n',
    );
    const kept = page.getByRole("group", { name: "Also in the report" });
    await kept.getByLabel("Column “Branch (city)”").check();

    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Send to 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send to 1" }).click();
    await page.getByText("Completed", { exact: true }).waitFor({ timeout: SENT_MS });
    await page.getByRole("tab", { name: "Recipients" }).click();
    const [saved] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download CSV" }).click(),
    ]);

    const [header, line] = (await Deno.readTextFile(await saved.path())).split("\r\n");
    assert.ok(header!.endsWith(",metadata.Branch (city)"), header);
    assert.ok(line!.endsWith(",Madrid North"), line);
  },
));

Deno.test(consoleTest(
  "console: sends a campaign whose draft is still being stored when it is sent",
  async (stack, { page, logIn, open }) => {
    const [held, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route(/\/drafts$/, async (route) => {
      if (route.request().method() !== "POST") return void await route.continue();
      held.resolve();
      await sent.promise;
      await route.continue();
    });
    await logIn();
    await open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await chooseFile(page, "slow_draft.csv", "Phone,Name,Order\n34600520002,Ana,A-9\n");
    await held.promise;
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Send to 1" }).click();

    await page.getByRole("dialog").getByRole("button", { name: "Send to 1" }).click();
    sent.resolve();

    await page.getByText("Completed", { exact: true }).waitFor({ timeout: SENT_MS });
    const { drafts } = await manage(stack, "GET", "/campaigns/drafts");
    assert.deepEqual(drafts.filter(({ name }: JsonObject) => name === "slow_draft"), []);
  },
));

/** A workbook with numbers as spreadsheets store them. */
function workbook(): Uint8Array {
  const row = (cells: string) => `<row>${cells}</row>`;
  const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`;
  const rows = [
    row(text("Phone") + text("Name") + text("Order")),
    row(`<c><v>3.4600440002E10</v></c>${text("Ana")}<c><v>7</v></c>`),
  ];
  return zipSync({
    "xl/workbook.xml": strToU8("<workbook><sheets><sheet name='A' id='r1'/></sheets></workbook>"),
    "xl/worksheets/sheet1.xml": strToU8(`<worksheet><sheetData>${rows.join("")}</sheetData></worksheet>`),
  });
}

Deno.test(consoleTest(
  "console: reads a workbook, and keeps a file until another one is chosen",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await page.getByLabel("Choose a file").last().setInputFiles({
      name: "People.xlsx",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(workbook()),
    });
    await page.getByText("1 row", { exact: true }).waitFor();
    const phone = page.getByRole("figure", { name: "On the phone" });
    await phone.getByText("Hi Ana, your order 7 is on its way.").waitFor();

    const [picker] = await Promise.all([
      page.waitForEvent("filechooser"),
      page.getByRole("button", { name: "Choose another" }).click(),
    ]);
    await page.getByText("People.xlsx").waitFor();
    await picker.setFiles({ name: "broken.csv", mimeType: "text/csv", buffer: Buffer.from("Phone\n") });
    await page.getByText("No rows are in it").waitFor();
    await page.getByText("People.xlsx").waitFor();
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Send to 1" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send to 1" }).click();

    await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
    await page.getByText("Completed", { exact: true }).waitFor({ timeout: SENT_MS });
    assert.equal((await messagesTo(stack, "34600440002")).length, 1);
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: keeps what was written as a draft, goes on with it, and removes it when it is sent",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await page.getByLabel("Campaign name").fill("Half written");
    let presses = console.countPresses("choose each person's own hour");
    await page.getByRole("radio", { name: "At each person's own hour" }).check();
    await page.getByLabel("Hour on their clocks").fill("10:15");
    await presses.done();
    await page.getByLabel("Spread over").selectOption({ label: "4 hours" });
    await page.getByText("Saved as a draft").waitFor();
    await page.getByLabel("Campaign name").fill("Half written, half meant");
    await console.open("overview");
    await page.getByRole("heading", { name: "Overview" }).waitFor();

    await console.open("compose");
    await page.getByRole("link", { name: "Continue: Half written, half meant" }).click();
    await phoneOf(page).getByText("Hi Asha, your order A-1042 is on its way.").waitFor();
    assert.equal(await page.getByLabel("Hour on their clocks").inputValue(), "10:15");
    await chooseFile(page, "people.csv", "Phone,Name,Order\n34600450002,Ana,A-9\n");
    await page.getByLabel("{{1}} in the text").selectOption({ label: "Column “Order”" });
    await phoneOf(page).getByText("Hi A-9, your order A-9 is on its way.").waitFor();
    await page.getByText("Saved as a draft").waitFor();
    await eventually(async () => {
      const [ours] = await draftsNamed(stack, "Half written, half meant");
      assert.equal(ours?.plan.columns.body_text_0, "Order");
    });
    await page.reload();
    await page.getByText("A draft does not keep the people of a file: choose it again.").waitFor();
    await chooseFile(page, "people.csv", "Phone,Name,Order\n34600450002,Ana,A-9\n");
    await phoneOf(page).getByText("Hi A-9, your order A-9 is on its way.").waitFor();
    presses = console.countPresses("schedule it");
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: "Schedule for 1" }).click();
    await page.getByRole("dialog", { name: "Schedule for 1 person?" })
      .getByText(/at 10:15 on each person's own clock, first on .*, spread over 4 hours/).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Schedule for 1" }).click();

    await page.getByText("1 accepted.").waitFor();
    await presses.done();
    assert.deepEqual(await draftsNamed(stack, "Half written, half meant"), []);
  },
));

Deno.test(consoleTest(
  "console: leaves a button where it is while it is pressed, below the drafts",
  async (stack, console) => {
    const { page } = console;
    const name = `Begun ${crypto.randomUUID()}`;
    const plan = { channel: "whatsapp", campaign_name: name };
    const { draft_id } = await manage(stack, "POST", "/campaigns/drafts", { name, plan });
    await console.logIn();
    await console.open("compose");
    await page.getByRole("link", { name: `Continue: ${name}` }).waitFor();
    await page.getByRole("button", { name: "Type or paste" }).click();
    await page.getByLabel("Contacts").fill("34600460001, Ana, A-1");

    await page.getByRole("button", { name: "Use these" }).hover();
    await page.mouse.down();
    // The field has lost the focus, so the page knows of the change: what it draws then is drawn now.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    await page.mouse.up();

    await page.getByRole("region", { name: "First rows" }).waitFor();
    await manage(stack, "DELETE", `/campaigns/drafts/${draft_id}`);
  },
  // All of it fits: nothing is scrolled, so that the browser holds nothing in its place.
  { viewport: { width: 1280, height: 1600 } },
));

Deno.test(consoleTest(
  "console: says when a colleague changed the draft, and keeps both",
  async (stack, console) => {
    const { page } = console;
    const draft = await manage(stack, "POST", "/campaigns/drafts", {
      name: "Ours",
      plan: { channel: "whatsapp", campaign_name: "Ours" },
    });
    await console.logIn();
    await console.open(`compose?draft=${draft.draft_id}`);
    await page.getByLabel("Campaign name").waitFor();
    assert.equal(await page.getByLabel("Campaign name").inputValue(), "Ours");
    await manage(stack, "PUT", `/campaigns/drafts/${draft.draft_id}`, {
      name: "Theirs",
      plan: { channel: "whatsapp", campaign_name: "Theirs" },
    });
    await page.getByLabel("Campaign name").fill("Mine");
    await page.getByText("A colleague changed, sent or removed this draft").waitFor();
    await page.getByRole("button", { name: "Keep mine as another draft" }).click();
    await page.getByText("Saved as a draft").waitFor();

    await console.open("compose");
    await page.getByRole("link", { name: "Continue: Mine" }).waitFor();
    for (const name of ["Mine", "Theirs"]) {
      await page.getByRole("button", { name: `Remove: ${name}` }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
      await page.getByRole("link", { name: `Continue: ${name}` }).waitFor({ state: "detached" });
    }
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: sends to everyone with a tag, without those of an earlier campaign, and tests with colleagues",
  async (stack, console) => {
    const { page } = console;
    const people = [["34600460002", "Ana"], ["34600460003", "Luis"], ["34600460004", "Eva"]] as const;
    for (const [number, name] of people) {
      await manage(stack, "POST", "/contacts", {
        name,
        tags: ["regular"],
        addresses: [{ kind: "number", address: number }],
      });
    }
    await sendTo(stack, "Earlier one", "34600460004");
    await console.logIn();
    await console.open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await page.getByRole("radio", { name: "Everyone with a tag" }).check();
    await page.getByRole("combobox", { name: "Tag" }).fill("regular");
    await page.getByText("3 people, 3 can get it").waitFor();
    await page.getByLabel("Leave out").selectOption({ label: "Campaign: Earlier one" });
    await page.getByText("2 people, 2 can get it").waitFor();
    await page.getByLabel("{{2}} in the text").selectOption({ label: "The same text for everybody …" });
    await page.getByLabel("Text for everybody: {{2}} in the text").fill("A-5");
    await page.getByRole("button", { name: "Keep colleagues for tests" }).click();
    const colleagues = page.getByRole("dialog", { name: "Colleagues for tests" });
    await colleagues.getByLabel("Name").fill("Marta");
    await colleagues.getByLabel("Number").fill("+34 600");
    await colleagues.getByRole("button", { name: "Save" }).click();
    await colleagues.getByText("Expected: a phone number with its country code").waitFor();
    await colleagues.getByLabel("Number").fill("+34 600 46 99 99");
    await colleagues.getByRole("button", { name: "Save" }).click();
    await page.getByRole("button", { name: "Test with 1 colleague" }).click();
    await page.getByText("The test is on its way.").waitFor();
    await eventually(async () => {
      const [message] = await messagesTo(stack, "34600469999");
      assert.equal(message?.rendered.body, "Hi Asha, your order A-5 is on its way.");
    });
    await page.getByLabel("Campaign name").fill("Regulars");
    await page.getByRole("button", { name: "Check all people" }).click();
    await page.getByRole("button", { name: "Back to the campaign" }).click();
    await page.getByRole("button", { name: "Check all people" }).click();
    await page.getByText("Will be sent to").waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Check all people" }).click();
    await page.getByRole("figure", { name: "Row 1" }).getByText(/Hi (Ana|Luis), your order A-5/).waitFor();
    await page.getByRole("button", { name: "Send to 2" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Send to 2" }).click();

    await page.getByRole("heading", { name: "Regulars" }).waitFor();
    await page.getByRole("link", { name: /^Accepted 2$/ }).waitFor();
    await eventually(async () => {
      assert.equal((await messagesTo(stack, "34600460002")).length, 1);
      assert.equal((await messagesTo(stack, "34600460003")).length, 1);
    });
    assert.equal((await messagesTo(stack, "34600460004")).length, 1);
  },
  { mayComplain: true },
));

/** Sends to one person by the API, under a campaign's name. */
async function sendTo({ apiUrl, demo }: WidgetStack, name: string, number: string): Promise<void> {
  const response = await fetch(`${apiUrl}/notify`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${demo.access_key}` },
    body: JSON.stringify({
      contacts: [{ number, name: "Eva" }],
      name_template: "order_update",
      language_template: "en_US",
      recipient_id: demo.sender,
      notification_type: "utility",
      campaign_name: name,
      components_push: { body_text_0: "{{name}}", body_text_1: "A-1" },
    }),
  });
  assert.equal(response.status, 200, await response.text());
}

/** Tests that came before may have left drafts of their own. */
async function draftsNamed(stack: WidgetStack, name: string) {
  const { drafts } = await manage(stack, "GET", "/campaigns/drafts");
  return (drafts as JsonObject[]).filter((draft) => draft.name === name);
}

function phoneOf(page: Page) {
  return page.getByRole("figure", { name: "On the phone" });
}

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
    let presses = console.countPresses("call the people of a file");
    await page.getByLabel("Template or voice agent").selectOption({ label: "Order desk" });
    await chooseFile(
      page,
      "Visits.csv",
      "Nombre,Phone,Day,Notes\nAna,34600700002,Monday,vip\nLuis,34600700101,Tuesday,\nEva,12,Friday,\n",
    );
    await page.getByText("3 rows", { exact: true }).waitFor();
    await page.getByRole("textbox", { name: "Column “Nombre”" }).fill("day");
    await page.getByRole("textbox", { name: "Column “Notes”" }).fill("");
    await page.getByRole("button", { name: "Check all rows" }).press("Enter");
    await page.getByText("Still missing: a name of its own for each variable.").waitFor();
    await page.getByRole("textbox", { name: "Column “Nombre”" }).fill("first_name");
    await page.getByRole("button", { name: "Check all rows" }).click();
    const problems = page.getByRole("region", { name: "Rows with problems" });
    await problems.getByRole("row", { name: /^3 12 Phone This is no phone number/ }).waitFor();
    assert.deepEqual(await callsTo(stack, "34600700002"), []);
    await page.getByText("Will be called").waitFor();
    await page.getByRole("button", { name: "Call 2" }).click();
    await page.getByRole("dialog", { name: "Call 2 people now?" }).getByRole("button", { name: "Call 2" })
      .click();

    await page.getByRole("heading", { name: "Visits" }).waitFor();
    await presses.done();
    presses = console.countPresses("read what was said in a call");
    await page.getByRole("link", { name: "See its calls" }).click();
    await page.getByRole("row", { name: /34600700101 Busy/ }).waitFor({ timeout: CALL_MS });
    await page.getByRole("row", { name: /34600700002 Answered/ }).waitFor({ timeout: CALL_MS });
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.getByRole("link", { name: "+34600700002" }).click();
    const transcript = page.getByRole("list", { name: "What was said" });
    await transcript.getByText("Demo Traders, calling 34600700002").waitFor({ timeout: CALL_MS });
    await presses.done();
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

Deno.test(consoleTest(
  "console: hands a file over, and its campaign goes on after the page is closed",
  async (stack, { page, open, logIn }) => {
    const rows = 15_000;
    const lines = Array.from({ length: rows }, (_, row) => `${34_610_000_000 + row},Ana ${row},A-${row}`);
    await logIn();
    await open("compose");
    await page.getByLabel("Template").selectOption({ label: "order_update (en_US)" });
    await chooseFile(page, "Closed.csv", `Phone,Name,Order\n${lines.join("\n")}\n`);
    await page.getByRole("figure", { name: "On the phone" }).getByText("Hi Ana 0, your order A-0").waitFor();
    await page.getByRole("button", { name: "Check all rows" }).click();
    await page.getByRole("button", { name: /^Send to 15,000/ }).click({ timeout: SENT_MS });
    await page.getByRole("dialog").getByRole("button", { name: /^Send to 15,000/ }).click();

    await page.getByText("The service has the whole file and goes on by itself.").waitFor();
    await page.close();

    const read = async () => {
      const { campaigns } = await manage(stack, "GET", "/campaigns?limit=20");
      return campaigns.find(({ campaign_name }: { campaign_name: string }) => campaign_name === "Closed");
    };
    const early = (await read())?.total ?? 0;
    const { campaign_id } = await inTheEnd(async () => {
      const campaign = await read();
      assert.equal(campaign.total, rows);
      return campaign;
    });
    assert.ok(early < rows, `${early} rows were stored when the page was closed`);
    await manage(stack, "POST", `/campaigns/${campaign_id}/cancel`);
  },
));
