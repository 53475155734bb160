import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { callBody, type TestVoice, withVoice } from "../local/sandbox/voice/with_voice.ts";
import { withBrowserPage } from "./browser_page.ts";

/** Calls `fn` with the page of the calls in a browser. */
function withCallsPage(
  what: string,
  fn: (page: Page, voice: TestVoice) => Promise<void>,
  viewport?: { width: number; height: number },
): Promise<void> {
  return withVoice((voice) =>
    withBrowserPage({ what, viewport }, async (page) => {
      await page.goto(voice.url);
      await page.getByRole("link", { name: "Calls" }).click();
      await page.waitForSelector(".live.on");
      await fn(page, voice);
    })
  );
}

Deno.test("sandbox page shows what was said in a call, as text, and what became of it", () =>
  withCallsPage("the calls of the sandbox page", async (page, { dial }) => {
    await page.getByText("No calls yet").waitFor();

    await dial(callBody({
      conversation_initiation_client_data: {
        dynamic_variables: { customer_name: "<b>Tom</b>", order: 7 },
      },
    }));
    await dial({ to_number: "+573001110101" });

    await page.getByText("✓ webhook delivered").first().waitFor();
    const lines = await page.locator(".turn").allTextContents();
    assert.equal(lines[0], "Reminder: Hello <b>Tom</b>, your order 7 is ready.");
    assert.equal(await page.locator(".turn b").count(), 0);
    assert.deepEqual(await page.locator(".caption h2").allTextContents(), ["+573001110101", "+573001112233"]);
    assert.deepEqual(await page.locator(".outcome").allTextContents(), ["Busy", "Answered"]);
  }));

Deno.test("sandbox page answers and hangs up manually, from the keyboard", () =>
  withCallsPage("answering on the sandbox page", async (page, { dial, control, calls }) => {
    await control("PUT", "voice/settings", { talk_ms: 60_000 });
    await page.getByLabel("Answer manually").press("Space");
    await page.waitForFunction(() =>
      fetch("/sandbox/voice/settings").then((response) => response.json()).then(({ manual }) => manual)
    );
    await dial();

    await page.getByRole("status").getByText("+573001112233 is ringing").waitFor({ state: "attached" });
    await page.getByRole("button", { name: "Answer the call to +573001112233" }).press("Enter");
    await page.getByText("Hello Asha, your order 17 is ready.").waitFor();
    assert.equal(
      await page.evaluate("document.activeElement.getAttribute('aria-label')"),
      "Hang up the call to +573001112233",
    );
    await page.keyboard.press("Enter");

    await page.locator(".outcome", { hasText: "Answered" }).waitFor();
    assert.equal((await calls())[0]!.status, "ended");
  }));

Deno.test("sandbox page decides how calls end, sets faults on them and forgets them", () =>
  withCallsPage("the call controls of the sandbox page", async (page, { dial, calls }) => {
    await page.getByLabel("Calls to").fill("+573001112233");
    await page.getByLabel("End as").selectOption("voicemail");
    await page.getByRole("button", { name: "Set outcome" }).press("Enter");
    await page.getByRole("button", { name: "Remove the outcome for +573001112233" }).waitFor();
    await dial();
    await page.locator(".outcome", { hasText: "Voicemail" }).waitFor();

    await page.getByLabel("Times").fill("1");
    await page.getByRole("button", { name: "Add fault" }).press("Enter");
    await page.getByText("http 429").waitFor();
    assert.equal((await dial()).status, 429);
    await page.getByText("1 hit").waitFor();

    await page.getByRole("button", { name: "Delete all calls" }).press("Enter");
    await page.getByText("No calls yet").waitFor();
    assert.deepEqual(await calls(), []);
  }));

Deno.test("sandbox page of the calls fits into 320 pixels", () =>
  withCallsPage("the calls at 320 pixels", async (page, { dial }) => {
    await dial();
    await page.locator(".outcome").waitFor();
    await page.getByRole("button", { name: "Controls" }).click();
    await page.getByRole("button", { name: "Add fault" }).waitFor();

    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  }, { width: 320, height: 700 }));
