import assert from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { type HostPage, type HostPageOptions, withHostPage } from "./host_page.ts";
import { startWidgetStack, type WidgetStack } from "./widget_stack.ts";

/** The service and the browser are there before each test and after it, and go on talking meanwhile. */
const SHARED = { sanitizeOps: false, sanitizeResources: false };

let stack: WidgetStack | undefined;

Deno.test.beforeAll(async () => {
  stack = await startWidgetStack();
});

Deno.test.afterAll(async () => {
  await stack?.close();
});

/** A page on another site than API and widget host, in a browser that blocks what strangers want to keep. */
async function withBlockedChat(
  what: string,
  fn: (host: HostPage, stack: WidgetStack) => Promise<void>,
  options: HostPageOptions = {},
): Promise<void> {
  if (!stack) return skipped(what, "no Chromium found");
  const running = stack;
  await withHostPage(running, (host) => fn(host, running), { ...options, hostname: "localhost" });
}

const button = ({ page }: HostPage) => page.locator("[data-outbound-widget] .button");

async function open(host: HostPage): Promise<void> {
  await button(host).click();
  await host.chat.getByRole("textbox").waitFor();
}

async function write({ chat }: HostPage, text: string): Promise<void> {
  await chat.getByRole("textbox").fill(text);
  await chat.getByRole("textbox").press("Enter");
  await chat.locator("li.visitor:not(.pending)", { hasText: text }).waitFor();
}

const frameAt = (page: Page, path: string): Frame =>
  page.frames().find((frame) => new URL(frame.url()).pathname.endsWith(path))!;

/** What happens to a stranger's iframe that wants to keep something. */
function tryStorage(frame: Frame): Promise<unknown> {
  return frame.evaluate(`(() => {
    try {
      localStorage.setItem("probe", "1");
      return "stored";
    } catch (error) {
      return error.name;
    }
  })()`);
}

async function assertStorageIsBlocked({ page }: HostPage): Promise<void> {
  assert.equal(await tryStorage(frameAt(page, "/widgetWebView")), "SecurityError");
  assert.equal(await tryStorage(frameAt(page, "/chat.html")), "SecurityError");
}

Deno.test(
  "chat widget: a conversation goes on after a reload where third-party storage is blocked",
  SHARED,
  () =>
    withBlockedChat("a chat without third-party storage", async (host, { reply, conversation }) => {
      const { page, chat } = host;
      await open(host);
      await assertStorageIsBlocked(host);
      await write(host, "Is my order on its way?");
      await reply("Is my order on its way?", "It left this morning");
      await chat.getByText("It left this morning").waitFor();

      await page.reload();
      await open(host);
      await assertStorageIsBlocked(host);
      await chat.getByText("It left this morning").waitFor();
      await write(host, "Thank you");

      assert.deepEqual(await conversation("Is my order on its way?"), [
        "visitor: Is my order on its way?",
        "operator: It left this morning",
        "visitor: Thank you",
      ]);
    }),
);

Deno.test(
  "chat widget: an unread badge survives a reload, and counts on while the chat is closed",
  SHARED,
  () =>
    withBlockedChat("a badge without third-party storage", async (host, { reply }) => {
      const { page, chat } = host;
      await open(host);
      await assertStorageIsBlocked(host);
      await write(host, "Count your answers");
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await reply("Count your answers", "One");
      await page.getByRole("button", { name: "Open the chat (New messages: 1)" }).waitFor();

      await page.reload();
      await page.getByRole("button", { name: "Open the chat (New messages: 1)" }).waitFor();
      await reply("Count your answers", "Two");
      await page.getByRole("button", { name: "Open the chat (New messages: 2)" }).waitFor();
      await host.screenshot("7-unread-after-reload");

      await open(host);
      await chat.getByText("Two").waitFor();
      await page.reload();
      await button(host).waitFor();
      await frameLoaded(page, "/chat.html");
      assert.equal(await button(host).getAttribute("aria-label"), "Open the chat");
    }),
);

/** Waits until the chat that goes on in the background shows its conversation. */
async function frameLoaded(page: Page, path: string): Promise<void> {
  await eventually(async () => {
    assert.ok(await frameAt(page, path).locator("li.operator").count() > 0);
  });
}
