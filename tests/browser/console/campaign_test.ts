import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { failNext, manage, sendCampaign, setRate, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: says what to do first, then shows a campaign live, pauses and resumes it, and explains what failed",
  async (stack, { page, logIn }) => {
    await setRate(stack, 2);
    await failNext(stack, 2);
    await logIn();
    await page.getByText("Send your first message").waitFor();

    await sendCampaign(stack, { name: "Pick-up week 47", recipients: 60 });

    await page.getByRole("link", { name: "Pick-up week 47" }).click();
    await page.getByRole("heading", { name: "Pick-up week 47" }).waitFor();
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/^Paused\. \d+ wait\.$/).waitFor();
    await page.getByText("Paused", { exact: true }).waitFor();
    await setRate(stack, 80);
    await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
    await page.getByText("Completed", { exact: true }).waitFor();
    await page.getByRole("link", { name: /^Sent 58/ }).waitFor();
    const failure = page.getByRole("row", { name: /131026/ });
    await failure.getByText("Check the number").waitFor();
    await failure.getByRole("link", { name: "2" }).click();
    await page.getByText("2 rows", { exact: true }).waitFor();
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

    const failure = page.getByRole("row", { name: /131026/ });
    await failure.getByText("El número no está en WhatsApp o no puede recibir el mensaje").waitFor();
    await failure.getByText("Comprueba el número, o contacta con la persona por otro canal").waitFor();
    await failure.getByRole("link", { name: "1" }).click();
    const recipient = page.getByRole("row", { name: /\+15554100000 .* El número no está en WhatsApp/ });
    await recipient.getByRole("link").first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText(/^El número no está en WhatsApp/).waitFor();
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
  await page.getByRole("button", { name: "Cancel" }).click();
  await question.getByRole("button", { name: "Cancel the campaign" }).click();

  await page.getByText("Cancelled", { exact: true }).first().waitFor();
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

/** The stand-in for the API has larger pages than it, because a test need not wait for 200 of them. */
const PAGE = 5000;

function idOf(row: number): string {
  return `00000000-0000-4000-8000-${String(row).padStart(12, "0")}`;
}
