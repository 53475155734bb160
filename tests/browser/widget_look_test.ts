import assert from "node:assert/strict";
import type { Frame, Page } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import { manage } from "./console/console_page.ts";
import { type HostPage, type HostPageOptions, open, send, withHostPage } from "./host_page.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

/** Calls `fn` with a page that shows a chat of this configuration. */
async function withLook(
  what: string,
  config: Record<string, unknown>,
  fn: (host: HostPage, stack: WidgetStack) => Promise<void>,
  { attributes, ...options }: HostPageOptions = {},
): Promise<void> {
  const stack = sharedStack();
  if (!stack) return skipped(what, "no Chromium found");
  const widget = await stack.makeWidget(config);
  await withHostPage(stack, (host) => fn(host, stack), { ...options, attributes: { widget, ...attributes } });
}

const BUTTON = "[data-outbound-widget] .button";
const BUBBLE = "[data-outbound-widget] .bubble";

/** A picture of one pixel. */
const LOGO = "data:image/png;base64," +
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const chatFrame = ({ page }: HostPage): Frame => page.frames().at(-1)!;
const background = "getComputedStyle(document.body).backgroundColor";
const panelBackground =
  `getComputedStyle(document.querySelector("[data-outbound-widget]").shadowRoot.querySelector(".panel")).backgroundColor`;

const buttonColor =
  `getComputedStyle(document.querySelector("[data-outbound-widget]").shadowRoot.querySelector(".button")).backgroundColor`;

/** Returns how light a colour is, 0 to 255. */
function lightness(rgb: unknown): number {
  return Math.max(...String(rgb).match(/\d+/g)!.map(Number));
}

/** Once all timers that were due have run. */
const settle = (page: Page) => page.evaluate("new Promise((resolve) => setTimeout(resolve))");

Deno.test(
  "widget look: an automatic appearance follows the device while the chat is open, and can be read in both",
  SHARED,
  () =>
    withLook(
      "light and dark",
      { appearance: "auto", colors: { primary: "#0b7a4b" }, logo: LOGO },
      async (host, { reply }) => {
        const { page, chat } = host;
        await open(host);
        await send(host, "Is it night?");
        await reply("Is it night?", "See https://example.com");
        await chat.locator("li.operator").waitFor();
        await host.screenshot("look-light");
        assert.ok(lightness(await chatFrame(host).evaluate(background)) > 200);
        await assertAccessible(chatFrame(host));

        await page.emulateMedia({ colorScheme: "dark" });

        await eventually(async () => assert.ok(lightness(await chatFrame(host).evaluate(background)) < 60));
        assert.ok(lightness(await page.evaluate(panelBackground)) < 60);
        await host.screenshot("look-dark");
        await assertAccessible(chatFrame(host));
        await assertAccessible(page.mainFrame());
        await page.emulateMedia({ colorScheme: "light" });
        await eventually(async () => assert.ok(lightness(await chatFrame(host).evaluate(background)) > 200));
      },
      { context: { reducedMotion: "reduce" } },
    ),
);

Deno.test(
  "widget look: dark stays dark on a light device, in the company's own dark colours",
  SHARED,
  () =>
    withLook(
      "always dark",
      { appearance: "dark", dark_colors: { background: "#102030" } },
      async (host) => {
        await open(host);
        assert.equal(await chatFrame(host).evaluate(background), "rgb(16, 32, 48)");
        assert.equal(await host.page.evaluate(panelBackground), "rgb(16, 32, 48)");
        assert.deepEqual(host.complaints, []);
      },
    ),
);

Deno.test(
  "widget look: a button with an icon and a text of the company's, and its logo in the title",
  SHARED,
  () =>
    withLook(
      "launcher and logo",
      { launcher: { icon: "question" }, logo: LOGO, texts: { en: { launcher_text: "Need help?" } } },
      async (host) => {
        const { page, chat } = host;
        const button = page.getByRole("button", { name: "Need help?: Open the chat" });
        await button.waitFor();
        assert.equal(await button.textContent(), "Need help?0");
        assert.ok((await button.boundingBox())!.width > 120);
        assert.equal(await button.locator("path").count(), 3);
        await host.screenshot("look-pill");
        await assertAccessible(page.mainFrame());

        await open(host);

        const logo = chat.locator("header img");
        assert.equal(
          await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
          1,
        );
        const closing = page.locator(BUTTON);
        assert.equal(await closing.getAttribute("aria-label"), "Close the chat");
        assert.equal((await closing.boundingBox())!.width, 60);
        assert.deepEqual(host.complaints, []);
      },
    ),
);

const GREETING = { texts: { en: "Questions about <b>prices</b>?" }, path: "/sho*", delay_s: 0 };

Deno.test(
  "widget look: a greeting is shown once a day, and opens the chat or goes away",
  SHARED,
  () =>
    withLook(
      "a greeting",
      { proactive: [{ ...GREETING, path: "/elsewhere" }, GREETING] },
      async (host) => {
        const { page, chat } = host;
        const text = page.getByRole("button", { name: "Questions about <b>prices</b>?" });
        await text.waitFor();
        await host.screenshot("look-greeting");
        await assertAccessible(page.mainFrame());
        await page.locator(`${BUBBLE} .dismiss`).focus();
        await page.keyboard.press("Enter");
        await text.waitFor({ state: "detached" });
        await page.reload();
        await page.locator(BUTTON).waitFor();
        await settle(page);
        assert.equal(await text.count(), 0);

        await page.evaluate("localStorage.clear()");
        await page.reload();
        await text.press("Enter");

        await chat.getByRole("textbox").waitFor();
        assert.equal(await text.count(), 0);
        assert.deepEqual(host.complaints, []);
      },
    ),
);

Deno.test(
  "widget look: no greeting on other pages, nor after the chat was opened today",
  SHARED,
  async () => {
    await withLook(
      "no greeting elsewhere",
      { proactive: [{ ...GREETING, path: "/pricing" }] },
      async ({ page }) => {
        await page.locator(BUTTON).waitFor();
        await settle(page);
        assert.equal(await page.locator(BUBBLE).isVisible(), false);
      },
    );
    await withLook(
      "no greeting after the chat",
      { proactive: [{ ...GREETING, delay_s: 3600 }] },
      async (host) => {
        const { page } = host;
        await page.clock.install();
        await page.reload();
        await open(host);
        await page.evaluate("outbound.close()");
        await page.clock.fastForward("01:00:01");
        assert.equal(await page.locator(BUBBLE).isVisible(), false);
      },
    );
  },
);

/** Makes all frames of a page believe that it is in the background, or that it is not. */
async function hide(page: Page, isHidden: boolean): Promise<void> {
  for (const frame of page.frames()) {
    await frame.evaluate(
      `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))`,
    );
  }
}

Deno.test(
  "widget look: a reply to a hidden page is heard and stands in its title, where both are on",
  SHARED,
  () =>
    withLook("calling back", { features: { sound: true, title_blink: true } }, async (host, { reply }) => {
      const { page, chat } = host;
      await page.addInitScript(
        "globalThis.AudioContext = class extends AudioContext { constructor() { super(); globalThis.played = true; } }",
      );
      await page.reload();
      await open(host);
      await send(host, "Call me back");
      assert.equal(await page.evaluate("document.title"), "A shop");

      await hide(page, true);
      await reply("Call me back", "Here I am");

      await eventually(async () => assert.equal(await page.evaluate("document.title"), "(1) New messages"));
      assert.equal(await page.evaluate("globalThis.played"), true);
      await hide(page, false);
      await eventually(async () => assert.equal(await page.evaluate("document.title"), "A shop"));
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await page.getByRole("button", { name: "Open the chat", exact: true }).waitFor();
    }),
);

Deno.test(
  "widget look: a reply to a hidden page changes nothing where nothing is switched on",
  SHARED,
  () =>
    withLook("not calling back", {}, async (host, { reply }) => {
      const { page } = host;
      await open(host);
      await send(host, "Stay calm");
      await page.evaluate("addEventListener('outbound:unread', () => globalThis.arrived = true)");
      await hide(page, true);
      await reply("Stay calm", "Here I am");
      await eventually(async () => assert.equal(await page.evaluate("globalThis.arrived"), true));
      assert.equal(await page.evaluate("document.title"), "A shop");
    }),
);

const PHONE = {
  viewport: { width: 360, height: 640 },
  hasTouch: true,
  isMobile: true,
  reducedMotion: "reduce" as const,
};

Deno.test(
  "widget look: on a phone, the way back closes the chat and stays on the page",
  SHARED,
  () =>
    withLook("a phone's way back", {}, async (host) => {
      const { page, chat } = host;
      await page.evaluate("history.replaceState({ router: 1 }, '')");
      const length = await page.evaluate("history.length") as number;
      await open(host);
      await host.screenshot("look-phone");
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360);
      assert.equal(await page.evaluate("history.state.router"), 1);

      await page.evaluate("history.back()");

      await chat.getByRole("textbox").waitFor({ state: "hidden" });
      assert.equal(await page.locator("h1").textContent(), "A shop");
      await open(host);
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await eventually(async () => assert.deepEqual(await page.evaluate("history.state"), { router: 1 }));
      assert.equal(await page.evaluate("history.length"), length + 1);
      await page.locator(BUTTON).waitFor();
    }, { context: PHONE }),
);

Deno.test(
  "widget look: on a phone, a chat that does not load can be closed, and a keyboard leaves it in view",
  SHARED,
  () =>
    withLook("a phone's slow chat", {}, async ({ page }) => {
      const stuck = Promise.withResolvers<void>();
      await page.route("**/widgetWebView*", (route) => stuck.promise.then(() => route.abort()));
      await page.locator(BUTTON).click();
      const panel = page.locator("[data-outbound-widget] .panel");
      await panel.waitFor();

      await page.evaluate(`Object.defineProperties(visualViewport, {
      height: { value: 300 }, offsetTop: { value: 40 },
    });
    visualViewport.dispatchEvent(new Event("resize"))`);

      assert.deepEqual(await panel.boundingBox(), { x: 0, y: 40, width: 360, height: 300 });
      await assertAccessible(page.mainFrame());
      await page.locator(".out").click();
      await panel.waitFor({ state: "hidden" });
      await page.getByRole("button", { name: "Open the chat" }).waitFor();
      stuck.resolve();
    }, { context: PHONE }),
);

Deno.test(
  "widget look: data-direct fetches the look without an iframe, and falls back where the page forbids it",
  SHARED,
  async () => {
    const stack = sharedStack();
    if (!stack) return skipped("a look without an iframe", "no Chromium found");
    const api = new URL(stack.apiUrl).origin;
    const config = { colors: { primary: "#0b7a4b" } };
    const paths = ({ requests }: HostPage) => requests.map(({ url }) => new URL(url).pathname);
    const attributes = { direct: "" };
    await withLook("a look without an iframe", config, async (host) => {
      await host.page.locator(BUTTON).waitFor();
      assert.deepEqual(paths(host), ["/shop", "/loader.js", "/functions/v1/widget"]);
      assert.equal(await host.page.evaluate(buttonColor), "rgb(11, 122, 75)");
      assert.deepEqual(host.complaints, []);
    }, { attributes, policy: [`connect-src ${api}`] });
    await withLook("a look that a page forbids to fetch", config, async (host) => {
      await host.page.locator(BUTTON).waitFor();
      assert.ok(paths(host).includes("/theme.html"));
      assert.equal(await host.page.evaluate(buttonColor), "rgb(11, 122, 75)");
    }, { attributes });
  },
);

Deno.test(
  "widget look: data-color shows the button before the look is known, and the look then counts",
  SHARED,
  () =>
    withLook(
      "data-color",
      { colors: { primary: "#0b7a4b" }, texts: { en: { open_label: "Ask Ana" } } },
      async ({ page }) => {
        const late = Promise.withResolvers<void>();
        await page.route("**/widget/look*", async (route) => {
          await late.promise;
          await route.continue();
        });
        await page.evaluate("localStorage.clear()");
        await page.reload({ waitUntil: "commit" });

        await page.getByRole("button", { name: "Open the chat" }).waitFor();

        assert.equal(await page.evaluate(buttonColor), "rgb(179, 38, 30)");
        late.resolve();
        await page.getByRole("button", { name: "Ask Ana" }).waitFor();
        assert.equal(await page.evaluate(buttonColor), "rgb(11, 122, 75)");
      },
      { attributes: { color: "#b3261e" } },
    ),
);

Deno.test(
  "widget look: data-color stays where the look cannot be had, with the page's texts",
  SHARED,
  () =>
    withLook(
      "data-color without the API",
      {},
      async ({ page }) => {
        for (const path of ["**/widget/look*", "**/functions/v1/widget?*"]) {
          await page.route(path, (route) => route.abort());
        }
        await page.evaluate("localStorage.clear()");
        await page.reload({ waitUntil: "commit" });

        await page.getByRole("button", { name: "Abrir el chat" }).waitFor();

        assert.equal(await page.evaluate(buttonColor), "rgb(179, 38, 30)");
      },
      { attributes: { color: "#b3261e", lang: "es" } },
    ),
);

Deno.test(
  "widget look: the next page shows the button as it was at once, and then as it is",
  SHARED,
  () =>
    withLook(
      "the look of the last visit",
      { texts: { en: { open_label: "Ask Ana" } } },
      async ({ page }, stack) => {
        await page.getByRole("button", { name: "Ask Ana" }).waitFor();
        const late = Promise.withResolvers<void>();
        await page.route("**/widget/look*", async (route) => {
          await late.promise;
          await route.continue();
        });

        // Not until it is loaded, which waits for the iframe.
        await page.reload({ waitUntil: "commit" });
        await page.getByRole("button", { name: "Ask Ana" }).waitFor();
        const widget = await page.locator("[data-outbound-widget]").getAttribute("data-outbound-widget");
        const config = { launcher: { icon: "mail" }, texts: { en: { open_label: "Ask Eva" } } };
        await manage(stack, "PUT", `/widgets/${widget}`, { config });
        late.resolve();
        await page.getByRole("button", { name: "Ask Eva" }).waitFor();

        assert.equal(await page.locator(BUTTON).count(), 1);
        await page.unroute("**/widget/look*");
        await manage(stack, "PUT", `/widgets/${widget}`, { is_active: false });
        await page.reload();
        await page.getByRole("button", { name: "Ask Eva" }).waitFor({ state: "detached" });
        await page.reload();
        await page.waitForEvent(
          "console",
          (message) => message.text().startsWith("[outbound] the API refused"),
        );
        assert.equal(await page.locator(BUTTON).count(), 0);
      },
    ),
);
