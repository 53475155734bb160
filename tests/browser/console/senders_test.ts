import assert from "node:assert/strict";
import type { WidgetStack } from "../widget_stack.ts";
import { manage, sendCampaign, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: says why a sender is stopped, what waits for it and what to do, and resumes it",
  async (stack, { page, logIn, open, countPresses }) => {
    await logIn();
    await open("senders?channel=whatsapp");
    await page.getByRole("button", { name: "Live", exact: true }).waitFor();
    const row = page.getByRole("row", { name: /WhatsApp/ });
    await row.getByText("Active").waitFor();

    await refuseToken(stack);
    await sendCampaign(stack, { name: "Waits", recipients: 20, first: 9_100_000 });

    await row.getByText("Stopped").waitFor();
    const presses = countPresses("see why a sender is stopped");
    await row.getByRole("link").click();
    await page.getByText(/^Stopped: /).waitFor();
    await presses.done();
    await page.getByText("give it to the operator of the service").waitFor();
    const waiting = page.getByRole("link", { name: /^Waiting (1\d|20) / });
    await waiting.waitFor();
    await forgetFaults(stack);
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByText("The sender sends again.").waitFor();
    await page.getByRole("link", { name: /^Waiting 0 / }).waitFor();
  },
));

Deno.test(
  consoleTest(
    "console: changes a sender's speed, and takes it back",
    async (stack, { page, logIn, open }) => {
      const [sender] = (await manage(stack, "GET", "/senders?channel=whatsapp")).senders;
      await logIn();
      await open(`senders/${sender.sender_id}`);
      await page.getByRole("button", { name: "Change the speed" }).click();
      const dialog = page.getByRole("dialog", { name: "How fast it sends" });
      await dialog.getByLabel("Messages per second").fill("0");
      await dialog.getByText("A whole number from 1 to").waitFor();
      assert.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
      await dialog.getByLabel("Messages per second").fill("7");

      await dialog.getByRole("button", { name: "Save" }).click();

      await page.getByText("7/s", { exact: true }).waitFor();
      await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
      await page.getByText(`${sender.rate_per_second}/s`, { exact: true }).waitFor();
    },
  ),
);

/** Makes the sandbox refuse the token of the next sends. */
async function refuseToken({ sandboxUrl }: WidgetStack): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox/faults`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ fault: { code: 190, http: 401 } }),
  });
  assert.equal(response.status, 201, await response.text());
}

async function forgetFaults({ sandboxUrl }: WidgetStack): Promise<void> {
  const response = await fetch(`${sandboxUrl}/sandbox/faults`, { method: "DELETE" });
  await response.body?.cancel();
}
