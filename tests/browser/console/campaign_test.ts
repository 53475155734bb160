import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { failNext, manage, sendCampaign, setRate, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: says what to do first, then shows a campaign live, pauses and resumes it, and explains what failed",
  async (stack, { page, logIn, countPresses }) => {
    await setRate(stack, 2);
    await failNext(stack, 2);
    let presses = countPresses("log in");
    await logIn();
    await presses.done();
    await page.getByRole("link", { name: "Send a test to yourself" }).waitFor();

    await sendCampaign(stack, { name: "Pick-up week 47", recipients: 60 });

    await page.getByRole("link", { name: "Pick-up week 47" }).click();
    await page.getByRole("heading", { name: "Pick-up week 47" }).waitFor();
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
    presses = countPresses("pause a campaign");
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/^Paused\. \d+ wait\.$/).waitFor();
    await page.getByText("Paused", { exact: true }).waitFor();
    await presses.done();
    await setRate(stack, 80);
    presses = countPresses("resume a campaign");
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await presses.done();
    await page.getByRole("link", { name: /^Sent 58/ }).waitFor();
    const failure = page.getByRole("row", { name: /^The number is not on WhatsApp/ });
    await failure.getByText("Check the number").waitFor();
    presses = countPresses("see whom a failure reached");
    await failure.getByRole("link", { name: "2" }).click();
    await page.getByText("2 rows", { exact: true }).waitFor();
    await presses.done();
    assert.match(page.url(), /tab=recipients&status=failed&code=131026$/);
  },
));

Deno.test(consoleTest(
  "console: explains in Spanish what failed and what to do, with the platform's own words",
  async (stack, console) => {
    const { page } = console;
    await failNext(stack, 1);
    await console.logIn();
    await page.locator("summary[title=Account]").click();
    await page.getByLabel("Language").selectOption({ label: "Español" });
    const campaignId = await sendCampaign(stack, { name: "Aviso", recipients: 1, first: 4_100_000 });
    await console.open(`campaigns/${campaignId}`);

    const failure = page.getByRole("row", { name: /^El número no está/ });
    await failure.getByText("El número no está en WhatsApp o no puede recibir el mensaje").waitFor();
    await failure.getByText("Comprueba el número, o contacta con la persona por otro canal").waitFor();
    await failure.getByRole("link", { name: "1" }).click();
    const recipient = page.getByRole("row", { name: /\+15554100000 .* El número no está en WhatsApp/ });
    await recipient.getByRole("link").first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText(/^El número no está en WhatsApp/).waitFor();
    await drawer.getByText("Detalles técnicos").click();
    await drawer.getByText("131026").waitFor();
    await drawer.getByText(/^The number is not on WhatsApp or cannot receive the message: /).waitFor();
  },
));

Deno.test(consoleTest(
  "console: says in the member's language why a campaign waits",
  async (stack, console) => {
    const { page } = console;
    await setRate(stack, 1);
    const campaignId = await sendCampaign(stack, { name: "Pausada", recipients: 20, first: 4_200_000 });
    await manage(stack, "POST", `/campaigns/${campaignId}/pause`);
    await console.logIn();
    await console.open(`campaigns/${campaignId}`);
    await page.getByText("Why it waits: It was paused; it continues when it is resumed").waitFor();
    await page.locator("summary[title=Account]").click();

    await page.getByLabel("Language").selectOption({ label: "Español" });

    await page.getByText("Por qué espera: Está en pausa; sigue cuando se reanude").waitFor();
    await setRate(stack, 80);
  },
));

Deno.test(consoleTest(
  "console: finds a recipient by number, shows all of it, and saves the file",
  async (stack, console) => {
    await sendCampaign(stack, { name: "Found", recipients: 30, first: 3_000_000 });
    const { page } = console;
    await console.logIn();
    await console.open("campaigns");
    await page.getByRole("link", { name: "Found" }).click();
    await page.getByRole("tab", { name: "Recipients" }).click();
    await page.getByRole("link", { name: "+15553000000" }).waitFor();

    await page.getByLabel("Number", { exact: true }).fill("+1 (555) 300-0007");

    await page.getByText("1 row", { exact: true }).waitFor();
    await page.getByRole("link", { name: "+15553000007" }).click();
    const drawer = page.getByRole("dialog", { name: "+15553000007" });
    await drawer.getByText("Tries").waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const file = await Deno.readTextFile((await (await saved).path())!);
    assert.equal(file.trim().split("\n").length, 2);
    assert.match(file, /15553000007/);
  },
));

Deno.test(consoleTest("console: asks before it cancels, and cancels", async (stack, console) => {
  const { page } = console;
  const campaignId = await sendCampaign(stack, { name: "Wrong text", recipients: 50, first: 4_000_000 });
  await manage(stack, "POST", `/campaigns/${campaignId}/pause`);
  await console.logIn();
  await console.open(`campaigns/${campaignId}`);

  await page.getByRole("button", { name: "Cancel" }).click();
  const question = page.getByRole("dialog", { name: "Cancel this campaign?" });
  await question.getByRole("button", { name: "Not now" }).click();
  await question.waitFor({ state: "detached" });
  const presses = console.countPresses("cancel a campaign");
  await page.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Cancel the campaign" }).click();

  await page.getByText("Cancelled", { exact: true }).first().waitFor();
  await presses.done();
  await page.getByRole("button", { name: "Pause" }).waitFor({ state: "detached" });
}));

Deno.test(
  consoleTest("console: stops following when it is paused, and catches up", async (stack, console) => {
    const { page } = console;
    await sendCampaign(stack, { name: "Before", recipients: 1, first: 4_900_000 });
    await console.logIn();
    await console.open("campaigns");
    await page.getByRole("link", { name: "Before" }).waitFor();
    await page.getByRole("button", { name: "Live", exact: true }).click();
    await page.getByRole("button", { name: "Paused" }).waitFor();

    const campaignId = await sendCampaign(stack, { name: "While away", recipients: 1, first: 5_000_000 });
    const list = await manage(stack, "GET", "/campaigns?limit=1");
    assert.equal(list.campaigns[0].campaign_id, campaignId);
    assert.equal(await page.getByRole("link", { name: "While away" }).count(), 0);
    await page.keyboard.press("l");

    await page.getByRole("link", { name: "While away" }).waitFor();
  }),
);

Deno.test(consoleTest(
  "console: scrolls through 100,000 recipients with few rows on the page",
  async (stack, console) => {
    const { page } = console;
    const campaignId = await sendCampaign(stack, { name: "All recipients", recipients: 1, first: 6_000_005 });
    // Later events would make the list read its beginning anew.
    const recipient = await eventually(async () => {
      const [found] = (await manage(stack, "GET", `/campaigns/${campaignId}/recipients`)).recipients;
      assert.equal(found.status, "read");
      return found;
    });
    let pages = 0;
    await page.route(/\/recipients\?/, async (route) => {
      const from = Number(new URL(route.request().url()).searchParams.get("after")?.slice(-12) ?? -1) + 1;
      const recipients = Array.from({ length: PAGE }, (_, index) => ({
        ...recipient,
        notification_id: idOf(from + index),
        number: String(15_550_000_000 + from + index),
      }));
      pages++;
      const next = from + PAGE < 100_000 ? idOf(from + PAGE - 1) : null;
      await route.fulfill({
        json: { recipients, next },
        headers: { "Access-Control-Allow-Origin": stack.consoleUrl },
      });
    });
    await console.logIn();
    await console.open(`campaigns/${campaignId}?tab=recipients`);
    const table = page.getByRole("region", { name: "Recipients" });
    await page.getByRole("link", { name: "+15550000000" }).waitFor();

    for (let row = PAGE; row <= 100_000; row += PAGE) {
      await page.getByText(new RegExp(`^${row.toLocaleString("en-GB")} rows`)).waitFor();
      await table.evaluate((box: { scrollTo(x: number, y: number): void; scrollHeight: number }) =>
        box.scrollTo(0, box.scrollHeight)
      );
    }

    await page.getByRole("link", { name: "+15550099999" }).waitFor();
    assert.equal(pages, 100_000 / PAGE);
    assert.ok(await table.getByRole("row").count() < 80);
  },
));

Deno.test(consoleTest(
  "console: says who made a campaign and what it says, moves it, takes that back, and makes a draft of it",
  async (stack, console) => {
    const { page } = console;
    const campaignId = await sendCampaign(stack, {
      name: "Of tomorrow",
      recipients: 2,
      first: 8_100_000,
      later: true,
    });
    await console.logIn();
    await console.open(`campaigns/${campaignId}`);

    await page.getByRole("figure", { name: "What it says" }).getByText("Hi Ana, your order A-1042").waitFor();
    await page.getByText("by a program with your key").waitFor();
    await page.getByText("Those whom a program named").waitFor();
    let presses = console.countPresses("move a scheduled campaign");
    await page.getByRole("button", { name: "Change the time" }).click();
    const dialog = page.getByRole("dialog", { name: "When should it start?" });
    await dialog.getByLabel("Date and time").fill("2020-01-31T09:30");
    await dialog.getByText("This time has passed").waitFor();
    await dialog.getByLabel("Date and time").fill("2031-01-31T09:30");
    await dialog.getByRole("button", { name: "Change the time" }).click();
    await page.getByText(/^It starts 31 Jan 2031/).waitFor();
    await presses.done();
    assert.equal(
      (await manage(stack, "GET", `/campaigns/${campaignId}`)).scheduled_time,
      "2031-01-31T08:30:00Z",
    );
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await eventually(async () => {
      const { scheduled_time } = await manage(stack, "GET", `/campaigns/${campaignId}`);
      assert.equal(scheduled_time, "2031-01-30T08:30:00Z");
    });

    presses = console.countPresses("copy a campaign");
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await page.getByText("A draft like it, without its recipients.").waitFor();
    await presses.done();
    assert.match(page.url(), /compose\?draft=/);
  },
));

Deno.test(consoleTest(
  "console: resends to those whose failure can pass, later and under a name, and links the campaign they failed in",
  async (stack, console) => {
    const { page } = console;
    // The sandbox spares this number from marketing.
    const campaignId = await sendCampaign(stack, { name: "Spared", recipients: 1, first: 8_200_001 });
    await eventually(async () =>
      assert.equal((await manage(stack, "GET", `/campaigns/${campaignId}`)).failed, 1)
    );
    await console.logIn();
    await console.open(`campaigns/${campaignId}`);

    await page.getByRole("button", { name: "Resend failed" }).click();
    const dialog = page.getByRole("dialog", { name: "Resend to those who failed?" });
    await dialog.getByText(/at most 1:/).waitFor();
    assert.equal(await dialog.getByLabel("Name of the new campaign").inputValue(), "Spared (resent)");
    await dialog.getByLabel("Later").check();
    await dialog.getByLabel("Date and time").waitFor();
    await dialog.getByRole("button", { name: "Resend", exact: true }).click();

    await page.getByRole("heading", { name: "Spared (resent)" }).waitFor();
    await page.getByText("Scheduled", { exact: true }).first().waitFor();
    await page.getByRole("definition").getByRole("link", { name: "Spared", exact: true }).click();
    await page.getByRole("heading", { name: "Spared", exact: true }).waitFor();
    await page.getByText("1 resent").waitFor();
    assert.equal(await page.getByRole("button", { name: "Resend failed" }).count(), 0);
  },
));

Deno.test(consoleTest(
  "console: finds campaigns by name and day, and pauses, resumes and cancels several at once",
  async (stack, console) => {
    const { page } = console;
    for (const [index, name] of ["Twins one", "Twins two"].entries()) {
      await sendCampaign(stack, { name, recipients: 1, first: 8_300_000 + index, later: true });
    }
    await console.logIn();
    await console.open("campaigns");
    await page.getByLabel("Name").fill("twins");
    await page.getByText("2 rows", { exact: true }).waitFor();
    await page.getByLabel("Made until").fill("2020-01-01");
    await page.getByText("No campaign fits these filters").waitFor();
    await page.getByLabel("Made until").fill("");
    await page.getByLabel("Made from").fill("2020-01-01");
    await page.getByText("2 rows", { exact: true }).waitFor();

    await page.getByLabel("Select all that are loaded").check();
    const chosen = page.getByRole("region", { name: "2 campaigns chosen" });
    await chosen.getByRole("button", { name: "Pause" }).click();
    await page.getByText("Paused. 2 wait.").waitFor();
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await page.getByText("Resumed. 2 may leave.").waitFor();
    await page.getByLabel("Select all that are loaded").check();
    await chosen.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the campaigns" }).click();

    await page.getByText("Cancelled. 2 will not be sent.").waitFor();
    await page.getByRole("cell", { name: /^0 of 1/ }).first().waitFor();
  },
));

/** The stand-in for the API has larger pages than it, because a test need not wait for 200 of them. */
const PAGE = 5000;

function idOf(row: number): string {
  return `00000000-0000-4000-8000-${String(row).padStart(12, "0")}`;
}
