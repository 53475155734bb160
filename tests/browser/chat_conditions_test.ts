import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Browser } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import { assertAccessible } from "./browser_page.ts";
import { open, send, shareHostPage, withHostPage, write } from "./host_page.ts";
import { SHARED } from "./widget_stack.ts";

const withChat = shareHostPage();

Deno.test(
  "chat widget: works on a page that can store nothing, as long as the page is open",
  SHARED,
  () =>
    withChat("a page without storage", async (host, { reply }) => {
      const { page, chat, complaints } = host;
      await page.addInitScript(`for (const name of ["localStorage", "sessionStorage"]) {
      Object.defineProperty(window, name, { get() { throw new DOMException("Blocked", "SecurityError"); } });
    }`);
      await page.reload();
      await open(host);
      await send(host, "Keep nothing of me");
      await reply("Keep nothing of me", "Only until you leave");
      await chat.getByText("Only until you leave").waitFor();
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await reply("Keep nothing of me", "Still here?");
      await page.getByRole("button", { name: "Open the chat (New messages: 1)" }).click();
      await chat.getByText("Still here?").waitFor();

      await page.reload();
      await open(host);
      assert.equal(await chat.locator("li.visitor").count(), 0);
      assert.deepEqual(complaints, []);
    }),
);

Deno.test(
  "chat widget: from right to left on a dark page of 360 pixels",
  SHARED,
  () =>
    withChat("a dark narrow page", async (_, stack) => {
      const widget = await stack.makeWidget({
        texts: {
          ar: { title: "الدعم", welcome: "مرحبا!", open_label: "افتح المحادثة", close_label: "أغلق" },
        },
      });
      await withHostPage(stack, async (host) => {
        const { page, chat } = host;
        await page.getByRole("button", { name: "افتح المحادثة" }).waitFor();
        await page.evaluate(`{
        const style = new CSSStyleSheet();
        style.replaceSync(":root { color-scheme: dark; background: #111; color: #eee; direction: rtl }");
        document.adoptedStyleSheets.push(style);
      }`);
        await assertAccessible(page.mainFrame());
        await open(host);
        await send(host, "أين طلبي؟");
        await stack.reply("أين طلبي؟", `https://example.com/${"b".repeat(150)}`);
        await chat.locator("li.operator").waitFor();

        const frame = page.frames().at(-1)!;
        assert.equal(await frame.evaluate("document.documentElement.scrollWidth"), 360);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
        await assertAccessible(frame);
        await host.screenshot("10-dark-narrow");
        await chat.getByRole("button", { name: "أغلق" }).click();
        await page.getByRole("button", { name: "افتح المحادثة" }).waitFor();
      }, {
        attributes: { widget, lang: "ar" },
        context: {
          colorScheme: "dark",
          viewport: { width: 360, height: 740 },
          hasTouch: true,
          isMobile: true,
        },
      });
    }),
);

/** The latency of a slow network, in milliseconds. */
const LATENCY_MS = 400;

Deno.test(
  "chat widget: over a slow network messages are shown at once, and arrive in order and once",
  SHARED,
  () =>
    withChat("a slow network", async (host, { reply, conversation }) => {
      const { page, chat } = host;
      await page.route("**/*", async (route) => {
        await delay(LATENCY_MS);
        await route.continue();
      });
      await page.reload();
      await open(host);
      const texts = ["One of three", "Two of three", "Three of three"];
      for (const text of texts) await write(host, text);
      assert.ok(await chat.locator("li.pending").count() > 0);
      assert.equal(await chat.locator("li.visitor").count(), 3);

      await eventually(async () => assert.equal(await chat.locator("li.pending").count(), 0));
      await reply("Three of three", "All three are here");
      await chat.getByText("All three are here").waitFor();
      assert.deepEqual(await conversation("One of three"), [
        ...texts.map((text) => `visitor: ${text}`),
        "operator: All three are here",
      ]);
    }),
);

Deno.test(
  "chat widget: a page that slept shows what it missed when it wakes",
  SHARED,
  () =>
    withChat("a page that sleeps", async (host, { reply, conversation, browser }) => {
      await open(host);
      await send(host, "I close the lid");
      await withSleepingPages(browser, () => reply("I close the lid", "Written while you slept"));

      await host.chat.getByText("Written while you slept").waitFor();
      await send(host, "I am awake");
      assert.deepEqual(await conversation("I close the lid"), [
        "visitor: I close the lid",
        "operator: Written while you slept",
        "visitor: I am awake",
      ]);
    }),
);

/** Calls `fn` while the processes of all pages are stopped, as by a machine that sleeps: no timer and no script runs. */
async function withSleepingPages(browser: Browser, fn: () => Promise<void>): Promise<void> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const pages = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
  assert.ok(pages.length > 0);
  for (const id of pages) Deno.kill(id, "SIGSTOP");
  try {
    await fn();
  } finally {
    for (const id of pages) Deno.kill(id, "SIGCONT");
    await session.detach();
  }
}

Deno.test(
  "chat widget: a visitor who writes or opens the chat does not wait for the next try to reconnect",
  SHARED,
  () =>
    withChat("a visitor who is back", async (host) => {
      const { page, chat } = host;
      const lost = chat.getByText("Connection lost. Reconnecting");
      await open(host);
      await send(host, "Are you there?");
      // No wait for a retry ends by itself.
      await page.addInitScript(`const timer = setTimeout;
        window.setTimeout = (callback, ms, ...args) => timer(callback, ms > 300 ? 1e9 : ms, ...args);`);
      const loseConnection = async () => {
        await page.route("**/conversations/**", (route) => route.abort());
        await page.reload();
        await open(host);
        await lost.waitFor();
        await page.unroute("**/conversations/**");
      };

      await loseConnection();
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await open(host);
      await lost.waitFor({ state: "hidden" });

      await loseConnection();
      await send(host, "I am back");
    }),
);

Deno.test(
  "chat widget: on another site a chat goes on after the service was restarted, and after a reload",
  SHARED,
  () =>
    withChat("a restart on another site", async (host, { conversation, halt, resume }) => {
      const { page, chat } = host;
      await open(host);
      await send(host, "Before the service left");
      await halt();
      await chat.getByText("Connection lost. Reconnecting").waitFor();
      await write(host, "While the service was away");
      // The chat hands it to the page, in another process of the browser.
      await eventually(async () =>
        assert.equal(
          await page.evaluate(() => Object.keys(localStorage).some((key) => key.includes(":out:"))),
          true,
        )
      );
      await page.reload();
      await resume();
      await open(host);

      await chat.locator("li.visitor:not(.pending)", { hasText: "While the service was away" }).waitFor();
      assert.deepEqual(await conversation("Before the service left"), [
        "visitor: Before the service left",
        "visitor: While the service was away",
      ]);
    }),
);
