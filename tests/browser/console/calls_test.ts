import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import { manage, shareConsole } from "./console_page.ts";
import { placeCalls } from "./people.ts";

const consoleTest = shareConsole();

/** A call of the sandbox rings, and is talked. */
const CALL_MS = 40_000;

Deno.test(
  consoleTest("console: shows calls as they happen, and what was said in one", async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("calls");
    await page.getByText("No calls yet").waitFor();

    const campaignId = await placeCalls(stack, "Reminders", ["34600241001", "34600240101"]);

    await page.getByRole("row", { name: /34600240101 Busy/ }).waitFor();
    await page.getByRole("row", { name: /34600241001 Answered/ }).waitFor();
    await eventually(async () => {
      const { calls } = await manage(stack, "GET", "/calls?outcome=answered");
      const call = await manage(stack, "GET", `/calls/${calls[0].notification_id}`);
      assert.ok(call.transcript?.length > 1);
    });
    await page.getByLabel("Outcome").selectOption({ label: "Answered" });
    await page.getByText("1 row", { exact: true }).waitFor();
    await page.getByRole("link", { name: "+34600241001" }).click();
    const transcript = page.getByRole("list", { name: "What was said" });
    await transcript.getByRole("listitem").first().getByText("Hello").waitFor();
    assert.ok(await transcript.getByRole("listitem").count() > 1);
    await page.getByRole("heading", { name: "Summary" }).waitFor();
    await page.getByRole("link", { name: "Whole history" }).click();
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.getByRole("link", { name: "+34600241001" }).waitFor();
    await console.open(`calls?campaign_id=${campaignId}`);
    await page.getByText("2 rows", { exact: true }).waitFor();
    await console.open(`campaigns/${campaignId}`);
    await page.getByRole("link", { name: /^Picked up 1 50/ }).waitFor();
    await page.getByRole("link", { name: /^Not answered 0/ }).waitFor();
    await page.getByRole("link", { name: /^Line was busy 1 50/ }).click();
    await page.getByText("1 row", { exact: true }).waitFor();
    await page.getByRole("cell", { name: "Busy", exact: true }).waitFor();
  }),
);

Deno.test(
  consoleTest(
    "console: plays and saves the recording of a call, and says where there is none",
    async (stack, console) => {
      const { page } = console;
      await console.logIn();
      await placeCalls(stack, "Recorded", ["34600241002", "34600250101"]);
      await eventually(async () => {
        const { calls } = await manage(stack, "GET", "/calls?outcome=answered&number=34600241002");
        const call = await manage(stack, "GET", `/calls/${calls[0].notification_id}`);
        assert.ok(call.summary);
      }, CALL_MS);
      const loaded: string[] = [];
      page.on("request", (request) => request.url().endsWith("/recording") && loaded.push(request.url()));
      await watchAddresses(page);

      await console.open("calls?number=34600241002");
      await page.getByRole("link", { name: "+34600241002" }).click();
      const play = page.getByRole("button", { name: "Play the recording" });
      await play.waitFor();
      assert.deepEqual(loaded, []);
      await play.click();
      const player = page.locator("audio");
      await eventually(async () => {
        const length = await player.evaluate((sound) => (sound as unknown as { duration: number }).duration);
        assert.ok(length > 0);
      });
      const address = await player.getAttribute("src");
      const [saved] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download" }).click(),
      ]);

      assert.match(saved.suggestedFilename(), /^call-[0-9a-f-]{36}\.wav$/);
      const bytes = await Deno.readFile(await saved.path());
      assert.equal(new TextDecoder().decode(bytes.subarray(0, 4)), "RIFF");
      assert.equal(loaded.length, 1);
      assert.doesNotMatch(loaded[0]!, /\?/);
      await console.open("calls?number=34600250101");
      await page.getByRole("link", { name: "+34600250101" }).click();
      await page.getByText("There is no recording").waitFor();
      assert.ok((await releasedAddresses(page)).includes(address!), "releases the sound");
      assert.equal(loaded.length, 1);
    },
  ),
);

/** Records the addresses that the page releases. */
async function watchAddresses(page: Page): Promise<void> {
  await page.evaluate(() => {
    const released: string[] = [];
    const revoke = URL.revokeObjectURL.bind(URL);
    URL.revokeObjectURL = (address) => {
      released.push(address);
      revoke(address);
    };
    Object.assign(globalThis, { released });
  });
}

async function releasedAddresses(page: Page): Promise<string[]> {
  return await page.evaluate(() => (globalThis as unknown as { released: string[] }).released);
}

Deno.test(consoleTest(
  "console: adds a voice agent, disables it after a question, and enables it",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await console.open("calls?tab=agents");
    await page.getByRole("button", { name: "Add an agent" }).click();
    const dialog = page.getByRole("dialog", { name: "Add an agent" });
    await dialog.getByLabel("Name").fill("Night desk");
    await dialog.getByLabel("Id at the voice platform").fill("agent_night");
    await dialog.getByRole("button", { name: "Add an agent" }).click();
    const row = page.getByRole("row", { name: /Night desk/ });
    await row.getByText("Active").waitFor();

    await row.getByRole("button", { name: "Disable" }).click();
    await page.getByRole("dialog", { name: "Disable Night desk?" }).getByRole("button", { name: "Disable" })
      .click();
    await row.getByText("Disabled").waitFor();
    await row.getByRole("button", { name: "Enable" }).click();

    await row.getByText("Active").waitFor();
    const { agents } = await manage(stack, "GET", "/agents?status=active");
    assert.ok(agents.some(({ name }: { name: string }) => name === "Night desk"));
  },
));
