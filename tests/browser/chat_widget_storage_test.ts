import assert from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import { closeServer } from "../setup/http/close_server.ts";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { type HostPage, type HostPageOptions, open, send, withHostPage } from "./host_page.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

/** A page on another site than API and widget host, in a browser that blocks third-party storage. */
async function withBlockedChat(
  what: string,
  fn: (host: HostPage, stack: WidgetStack) => Promise<void>,
  options: HostPageOptions = {},
): Promise<void> {
  const running = sharedStack();
  if (!running) return skipped(what, "no Chromium found");
  await withHostPage(running, (host) => fn(host, running), { ...options, hostname: "localhost" });
}

const button = ({ page }: HostPage) => page.locator("[data-outbound-widget] .button");

const frameAt = (page: Page, path: string): Frame =>
  page.frames().find((frame) => new URL(frame.url()).pathname.endsWith(path))!;

/** The result of storing a value in a third-party iframe. */
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
      await send(host, "Is my order on its way?");
      await reply("Is my order on its way?", "It left this morning");
      await chat.getByText("It left this morning").waitFor();

      await page.reload();
      await open(host);
      await assertStorageIsBlocked(host);
      await chat.getByText("It left this morning").waitFor();
      await send(host, "Thank you");

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
      await send(host, "Count your replies");
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await reply("Count your replies", "One");
      await page.getByRole("button", { name: "Open the chat (New messages: 1)" }).waitFor();

      await page.reload();
      await page.getByRole("button", { name: "Open the chat (New messages: 1)" }).waitFor();
      await reply("Count your replies", "Two");
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

interface Kept {
  /** Every name and value of the page's own storage. */
  [key: string]: string;
}

const keptBy = ({ page }: HostPage) => page.evaluate("({ ...localStorage })") as Promise<Kept>;

/** The visitor's token, as the page's own storage has it. */
async function tokenOf(host: HostPage): Promise<string> {
  const [, kept] = Object.entries(await keptBy(host)).find(([key]) => key.endsWith(":conversation"))!;
  return JSON.parse(kept).token;
}

Deno.test(
  "chat widget: a visitor's token is in no address, no attribute and no other widget of the page",
  SHARED,
  () =>
    withBlockedChat("where a token is", async (_, running) => {
      const other = await running.makeWidget({ position: { placement: "top-left" } });
      const others = [{ attributes: { widget: other }, loader: `${running.widgetUrl}/loader.js` }];
      await withHostPage(running, (host) => assertTokenIsHidden(host, running, other), { others });
    }),
);

/** Opens both widgets of a page, and looks for the first one's token everywhere. */
async function assertTokenIsHidden(host: HostPage, { demo }: WidgetStack, other: string): Promise<void> {
  const { page, chat, requests } = host;
  await page.locator(`[data-outbound-widget="${demo.chat_widget_id}"] .button`).click();
  await chat.getByRole("textbox").waitFor();
  await send(host, "Where does my token go?");
  const token = await tokenOf(host);
  assert.match(token, /^\S{20,}$/);
  await page.locator(`[data-outbound-widget="${other}"] .button`).click();
  const second = page.frameLocator(`[data-outbound-widget="${other}"] iframe`).frameLocator("iframe");
  await second.getByRole("textbox").waitFor();

  assert.equal(await second.locator("li.visitor").count(), 0);
  const shadows =
    "[...document.querySelectorAll('[data-outbound-widget]')].map((each) => each.shadowRoot.innerHTML)";
  const documents = await Promise.all(page.frames().map((frame) => frame.content()));
  const addresses = [...requests.map(({ url }) => url), ...page.frames().map((frame) => frame.url())];
  const seen = JSON.stringify([documents, addresses, await page.evaluate(shadows)]);
  assert.ok(seen.includes(demo.publishable_key) && !seen.includes(token));
}

Deno.test(
  "chat widget: a page of another origin gets nothing of what a visitor's page keeps",
  SHARED,
  () =>
    withBlockedChat("a stranger's page", async (host, { apiUrl, demo }) => {
      await open(host);
      await send(host, "For the shop only");
      const token = await tokenOf(host);
      const shop = new URL(host.page.url()).origin;
      const site = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () =>
        new Response("<!doctype html><title>A stranger</title>", {
          headers: { "Content-Type": "text/html" },
        }));
      const page = await host.page.context().newPage();
      await page.goto(`http://localhost:${site.addr.port}/`);
      const own = new URL(page.url()).origin;

      /** Returns what a stranger receives that embeds the shop's chat and claims to be `origin`. */
      const receive = async (origin: string) => {
        const query = new URLSearchParams({
          customer_id: demo.publishable_key,
          widget_id: demo.chat_widget_id,
        });
        const source = `${apiUrl}/widgetWebView?${query}#${new URLSearchParams({ page: origin })}`;
        await page.evaluate(`new Promise((resolve) => {
        globalThis.received = [];
        globalThis.onmessage = ({ data }) => received.push(data);
        const frame = document.createElement("iframe");
        frame.addEventListener("load", resolve);
        frame.src = ${JSON.stringify(source)};
        document.body.replaceChildren(frame);
      })`);
        // Unlike the shop's page, this one sends whatever might get the token out.
        await page.evaluate(`{
        const view = frames[0];
        view.postMessage({ type: "outbound:state", state: { stored: {}, is_shown: true } }, "*");
        for (const target of [view, view.frames[0]]) {
          for (const type of ["get_state", "get_customer", "outbound:get_state", "outbound:stored"]) {
            target.postMessage({ type }, "*");
          }
        }
      }`);
        return () =>
          page.evaluate("received") as Promise<{ type: string }[]>;
      };

      const asItself = await receive(own);
      await eventually(async () =>
        assert.ok((await asItself()).some(({ type }) => type === "outbound:ready"))
      );
      assert.ok(!JSON.stringify(await asItself()).includes(token));
      assert.equal(await frameAt(page, "/chat.html").locator("li.visitor").count(), 0);

      const asTheShop = await receive(shop);
      await frameAt(page, "/widgetWebView").waitForLoadState();
      await frameAt(page, "/chat.html").waitForLoadState();
      assert.deepEqual(await asTheShop(), []);
      await closeServer(site);
    }),
);

Deno.test(
  "chat widget: two tabs have one conversation, and what is read in one is read in the other",
  SHARED,
  () =>
    withBlockedChat("a chat in two tabs", async (host, { reply, conversation }) => {
      const page = await host.page.context().newPage();
      await page.goto(host.page.url());
      const chat = page.frameLocator("[data-outbound-widget] iframe").frameLocator("iframe");
      const tab: HostPage = { ...host, page, chat };
      await open(host);
      await open(tab);
      await send(host, "From one tab");
      await chat.getByText("From one tab").waitFor();
      await send(tab, "From the other");
      assert.deepEqual(await conversation("From one tab"), [
        "visitor: From one tab",
        "visitor: From the other",
      ]);

      for (const each of [host, tab]) await each.chat.getByRole("button", { name: "Close the chat" }).click();
      await reply("From one tab", "To both");
      for (const each of [host, tab]) {
        await each.page.getByRole("button", { name: "Open the chat (New messages: 1)" }).waitFor();
      }
      await open(tab);
      await host.page.getByRole("button", { name: "Open the chat", exact: true }).waitFor();
    }),
);

Deno.test(
  "chat widget: a reply that arrives while the page is still busy with closing the chat is unread",
  SHARED,
  () =>
    withBlockedChat("a reply during the closing", async (host, { reply }) => {
      const { page, chat } = host;
      // As a page that is too busy to close the chat at once.
      await page.addInitScript(`const held = [];
        let isBusy = window === top;
        addEventListener("message", (event) => {
          if (!isBusy || (held.length === 0 && event.data.type !== "outbound:close")) return;
          event.stopImmediatePropagation();
          const { data, origin, source } = event;
          held.push(new MessageEvent("message", { data, origin, source }));
        });
        globalThis.isHeld = () => held.length > 0;
        globalThis.goOn = () => {
          isBusy = false;
          for (const event of held) dispatchEvent(event);
        };`);
      await page.reload();
      await open(host);
      await send(host, "Reply while I leave");
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await eventually(async () => assert.ok(await page.evaluate("isHeld()")));
      await reply("Reply while I leave", "You missed this");
      await chat.getByText("You missed this").waitFor();
      await page.evaluate("goOn()");

      await page.getByRole("button", { name: "Open the chat (New messages: 1)" }).waitFor();
    }),
);

Deno.test(
  "chat widget: the company sees which page a visitor writes from, without what may be secret",
  SHARED,
  () =>
    withBlockedChat("the page of a chat", async (host, { pageOf }) => {
      const { page } = host;
      await open(host);
      // As a page that changes without being loaded.
      await page.evaluate(
        `history.pushState(null, "", "/shop/cart?token=secret#top"); document.title = "Your cart"`,
      );
      await send(host, "What is in my cart?");

      const { origin } = new URL(page.url());
      assert.deepEqual(await pageOf("What is in my cart?"), {
        url: `${origin}/shop/cart`,
        title: "Your cart",
      });
      const { requests } = host;
      assert.deepEqual(requests.filter(({ url, page: isPage }) => !isPage && url.includes("secret")), []);
    }),
);

Deno.test(
  "chat widget: the web view without a loader keeps its conversation itself",
  SHARED,
  () =>
    withBlockedChat("a web view of its own", async (host, { apiUrl, demo, pageOf }) => {
      const { page } = host;
      const query = new URLSearchParams({
        customer_id: demo.publishable_key,
        widget_id: demo.chat_widget_id,
      });
      await page.goto(`${apiUrl}/widgetWebView?${query}`);
      const view: HostPage = { ...host, chat: page.frameLocator("iframe") };
      await send(view, "From an app");

      await page.reload();
      await view.chat.locator("li.visitor", { hasText: "From an app" }).waitFor();
      assert.deepEqual(await pageOf("From an app"), { url: null, title: null });
    }),
);
