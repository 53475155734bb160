import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import {
  type TestPlatform,
  textBody,
  useTemplate,
  WABA_ID,
  withPlatform,
} from "../local/sandbox/with_platform.ts";
import { eventually } from "../setup/eventually.ts";
import { withBrowserPage } from "./browser_page.ts";

/** Calls `fn` with the sandbox's page in a browser. */
function withPage(
  what: string,
  fn: (page: Page, platform: TestPlatform) => Promise<void>,
  viewport?: { width: number; height: number },
): Promise<void> {
  return withPlatform((platform) =>
    withBrowserPage({ what, viewport }, async (page) => {
      await page.goto(platform.url);
      await page.waitForSelector(".live.on");
      await fn(page, platform);
    })
  );
}

Deno.test("sandbox page shows a message as it arrives, with its ticks and its text as text", () =>
  withPage("the sandbox page", async (page, { send }) => {
    await page.getByText("No messages yet").waitFor();

    await send({ template: useTemplate("two_values", [textBody("<b>Tom</b>", "*B-7*")]) });

    await page.locator(".ticks.read").waitFor();
    assert.equal(await page.locator(".body").textContent(), "Hi <b>Tom</b>, your order B-7 is here.");
    assert.equal(await page.locator(".body strong").textContent(), "B-7");
    assert.equal(await page.locator(".body b").count(), 0);
    assert.equal(await page.locator(".caption h2").textContent(), "+573001112233");
    assert.match(await page.locator(".chat-head").innerText(), /Example Traders/);
  }));

Deno.test("sandbox page keeps to fifty phones, the latest first, and finds the others", () =>
  withPage("many phones on the sandbox page", async (page, { send }) => {
    const numbers = Array.from({ length: 120 }, (_, each) => `+5730011${String(each * 37 + 10003)}`);
    for (const to of numbers) await send({ to });

    await page.getByText("50 of 120 phones").waitFor();
    assert.equal(await page.locator(".phone").count(), 50);
    await eventually(async () =>
      assert.equal(await page.locator(".caption h2").first().textContent(), numbers.at(-1))
    );

    await page.getByRole("searchbox").fill(numbers[0]!.slice(1));

    await page.locator(".caption h2", { hasText: numbers[0]! }).waitFor();
    assert.equal(await page.locator(".phone").count(), 1);
  }));

Deno.test("sandbox page pauses templates and sets faults from the keyboard", () =>
  withPage("the controls of the sandbox page", async (page, { send, control }) => {
    await page.getByRole("button", { name: "Pause two_values en_US · account 1000" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Approve two_values en_US · account 1000" }).waitFor();
    assert.equal((await send()).body.error.code, 132015);

    await page.getByRole("button", { name: "Approve two_values en_US · account 1000" }).press("Enter");
    await page.getByRole("button", { name: "Pause two_values en_US · account 1000" }).waitFor();
    await page.getByLabel("Times").fill("1");
    await page.getByRole("button", { name: "Add fault" }).press("Enter");
    await page.getByText("code 131000").waitFor();

    assert.equal((await send()).body.error.code, 131000);
    await page.getByText("1 hit").waitFor();
    await page.getByText("Settings").press("Enter");
    await page.getByLabel("Read after, ms").fill("4321");
    await page.getByLabel("Read after, ms").press("Enter");
    await page.waitForFunction(() =>
      fetch("/sandbox/settings").then((response) => response.json())
        .then(({ read_ms }) => read_ms === 4321)
    );
    assert.equal((await control("GET", "faults")).body.data[0].hits, 1);
  }));

Deno.test("sandbox page shows what is in review, and accepts a manual review", () =>
  withPage("reviews on the sandbox page", async (page, { call, control }) => {
    const submit = (name: string, text: string) =>
      call("POST", `/v25.0/${WABA_ID}/message_templates`, {
        body: { name, language: "en_US", category: "UTILITY", components: [{ type: "BODY", text }] },
      });
    const row = (name: string) => page.locator("#templates li", { hasText: name });
    await submit("by_hand", "A text to look at.");
    await control("PUT", "settings", { review_ms: 0 });

    await submit("advertises", "A discount for you today.");

    await row("advertises").getByText("TAG_CONTENT_MISMATCH").waitFor();
    await row("by_hand").getByText("waits for your review").waitFor();
    await row("by_hand").getByRole("button", { name: "Reject" }).press("Enter");
    await row("by_hand").getByText("INVALID_FORMAT").waitFor();
    await row("by_hand").getByRole("button", { name: "Approve" }).press("Enter");
    await row("by_hand").getByRole("button", { name: "Pause" }).press("Enter");
    await row("by_hand").locator(".pill.PAUSED").waitFor();
  }));

Deno.test("sandbox page bans an account and reinstates it", () =>
  withPage("the accounts of the sandbox page", async (page, { send }) => {
    await page.getByText("Accounts", { exact: true }).press("Enter");
    await page.getByRole("button", { name: `Ban account ${WABA_ID}` }).press("Enter");
    const reinstate = page.getByRole("button", { name: `Reinstate account ${WABA_ID}` });
    await reinstate.waitFor();
    assert.equal((await send()).body.error.code, 131031);

    await reinstate.press("Enter");

    await page.getByRole("button", { name: `Ban account ${WABA_ID}` }).waitFor();
    assert.equal((await send()).status, 200);
  }));

Deno.test("sandbox page fits into 320 pixels", () =>
  withPage("the sandbox page at 320 pixels", async (page, { send }) => {
    await send();
    await page.locator(".ticks.read").waitFor();
    await page.getByRole("button", { name: "Controls" }).click();
    await page.getByRole("button", { name: "Add fault" }).waitFor();

    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
  }, { width: 320, height: 700 }));
