import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { eventually } from "../../setup/eventually.ts";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";
import { writeOnWhatsApp } from "./people.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: finds who opted out, shows why and what was sent, exports it, and erases after a typed question",
  async (stack, console) => {
    const { page } = console;
    await sendCampaign(stack, { name: "Before the STOP", recipients: 1, first: 2_310_005 });
    await writeOnWhatsApp(stack, "15552310005", "STOP");
    await eventually(async () => {
      const { suppressions } = await manage(stack, "GET", "/contacts/suppressions?number=15552310005");
      assert.equal(suppressions.length, 1);
    });
    await console.logIn();
    await console.open("contacts");
    let presses = console.countPresses("find a person by number");
    await page.getByLabel("Search").fill("+1 (555) 231-0005");
    await page.getByText("Read as +15552310005").waitFor();
    await page.getByRole("link", { name: "What is known of it" }).click();

    await page.getByRole("heading", { name: "+15552310005" }).waitFor();
    await presses.done();
    await page.getByText("No marketing").waitFor();
    await page.getByText("“STOP”").waitFor();
    await page.getByRole("link", { name: "Before the STOP" }).click();
    await page.getByRole("dialog", { name: "Before the STOP" }).getByText("Tries").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("tab", { name: "Messages" }).click();
    await page.getByRole("region", { name: "Messages" }).getByText("STOP", { exact: true }).waitFor();

    presses = console.countPresses("export a person's data");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    await saved;
    await presses.done();
    const file = JSON.parse(await Deno.readTextFile((await (await saved).path())!));
    assert.equal(file.notifications[0].campaign_name, "Before the STOP");
    assert.ok(file.messages.some(({ text }: { text: string }) => text === "STOP"));

    presses = console.countPresses("erase a person");
    await page.getByRole("button", { name: "Erase" }).click();
    const question = page.getByRole("dialog", { name: "Erase +15552310005?" });
    const erase = question.getByRole("button", { name: "Erase" });
    await question.getByLabel("Type +15552310005").fill("+15552310002");
    assert.equal(await erase.isDisabled(), true);
    await question.getByLabel("Type +15552310005").fill("+1 555 231 0005");
    await erase.click();
    await page.getByText(/^Erased, with 1 notification/).waitFor();
    await presses.done();
    const { notifications } = await manage(stack, "GET", "/contacts/notifications?number=15552310005");
    assert.deepEqual(notifications, []);
  },
));

Deno.test(consoleTest(
  "console: records an opt-out and lifts it with a reason; a person's own needs evidence",
  async (stack, console) => {
    const { page } = console;
    await writeOnWhatsApp(stack, "34600231002", "STOP");
    await console.logIn();
    await console.open("contacts?tab=suppressions");
    await page.getByText("+34600231002").waitFor();
    await page.getByRole("button", { name: "Record an opt-out" }).click();
    const record = page.getByRole("dialog", { name: "Record an opt-out" });
    await record.getByLabel("Person").fill("12");
    await record.getByRole("button", { name: "Record an opt-out" }).click();
    await record.getByText("This is no phone number").waitFor();
    await record.getByLabel("Person").fill("+34 600 231 003");
    await record.getByLabel("In which words").fill("Asked by phone");
    await record.getByRole("button", { name: "Record an opt-out" }).click();
    await page.getByRole("link", { name: "+34600231003" }).click();
    await page.getByText("“Asked by phone”").waitFor();

    await page.getByRole("button", { name: "Lift" }).click();
    const lift = page.getByRole("dialog", { name: "Lift this opt-out?" });
    await lift.getByRole("button", { name: "Lift" }).click();
    await lift.getByText("Fill this in").waitFor();
    await lift.getByLabel("Reason").fill("Called again, and wants it");
    await lift.getByRole("button", { name: "Lift" }).click();
    await page.getByText("Nothing: messages may go to this person.").waitFor();

    await console.open("contacts/34600231002");
    await page.getByRole("button", { name: "Lift" }).click();
    await lift.getByLabel("How").fill("phone");
    await lift.getByLabel("When").fill("2020-01-01T10:00");
    await lift.getByRole("button", { name: "Lift" }).click();
    await lift.getByText("The person opted out").last().waitFor();
  },
  { mayComplain: true },
));

Deno.test(consoleTest(
  "console: imports a file of consents, and names the lines that do not fit",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("contacts?tab=consents");
    await page.getByRole("button", { name: "Import CSV" }).click();
    const dialog = page.getByRole("dialog", { name: "Import consents" });
    const choose = (text: string) =>
      dialog.getByLabel("CSV file").setInputFiles({
        name: "people.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(text),
      });
    await choose("phone\n34600231004\n");
    await dialog.getByText("No column is called number").waitFor();
    await choose(
      "\uFEFFNumber;channel;status;method;consented_at;detail\r\n" +
        '+34 600 231 005;any;granted;website;2026-01-31T18:00:00Z;"Form; ""news"",\nversion 3"\r\n' +
        "34600231006;any;granted;website;yesterday;\r\n\r\n",
    );

    await dialog.getByText("Line 4: The time is none of the past").waitFor();
    await dialog.getByRole("button", { name: "Import 1 row" }).click();

    await dialog.getByText("1 recorded. 0 were there before.").waitFor();
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await page.getByRole("link", { name: "+34600231005" }).waitFor();
    const { consents } = await manage(stack, "GET", "/contacts/consents?number=34600231005");
    assert.equal(consents[0].detail, 'Form; "news",\nversion 3');
  },
  { mayComplain: true },
));
