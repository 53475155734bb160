import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { manage, shareConsole } from "./console_page.ts";
import { placeCalls } from "./people.ts";

const consoleTest = shareConsole();

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
    const said = page.getByRole("list", { name: "What was said" });
    await said.getByRole("listitem").first().getByText("Hello").waitFor();
    assert.ok(await said.getByRole("listitem").count() > 1);
    await page.getByRole("heading", { name: "Summary" }).waitFor();
    await page.getByRole("link", { name: "Whole history" }).click();
    await page.getByRole("tab", { name: "Calls" }).click();
    await page.getByRole("link", { name: "+34600241001" }).waitFor();
    await console.open(`calls?campaign_id=${campaignId}`);
    await page.getByText("2 rows", { exact: true }).waitFor();
  }),
);

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
