import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import { assertAccessible } from "./browser_page.ts";
import { type HostPage, open, shareHostPage, withHostPage, write } from "./host_page.ts";
import { SHARED } from "./widget_stack.ts";

const withChat = shareHostPage();

/** Returns the messages on show, each with its author, once everything is confirmed. */
async function shown({ chat }: HostPage): Promise<string[]> {
  assert.equal(await chat.locator("li.pending").count(), 0);
  return await chat.locator("li").evaluateAll((items) =>
    items.map((item) => `${item.classList[0]}: ${item.querySelector("p")?.textContent}`)
  );
}

/** The innermost frame, which is the chat. */
function chatFrame({ page }: HostPage): Frame {
  return page.frames().at(-1)!;
}

/** Returns whether typed text goes into the chat without pressing anything first. */
function hasFocus(host: HostPage): Promise<unknown> {
  return chatFrame(host).evaluate("document.hasFocus() && document.activeElement.tagName === 'TEXTAREA'");
}

function activeElement({ page }: HostPage): Promise<unknown> {
  return page.evaluate(
    `(document.activeElement?.shadowRoot?.activeElement ?? document.activeElement)?.tagName`,
  );
}

Deno.test(
  "chat widget: a strict third-party page, the theme alone loaded before the click, and words both ways",
  SHARED,
  () =>
    withChat("a chat on a strict page", async (host, { reply, conversation, demo }) => {
      const { page, chat, requests, complaints } = host;
      await page.getByRole("button", { name: "Abrir el chat" }).waitFor();
      const before = requests.map(({ url, page: isPage }) =>
        `${isPage ? "page" : "frame"} ${new URL(url).pathname}`
      );
      assert.deepEqual(before, [
        "page /shop",
        "page /loader.js",
        "frame /functions/v1/widget/look",
      ]);

      await open(host);
      await chat.getByText("¡Hola! Somos Demo Traders. Pregunte lo que quiera.").waitFor();
      await write(host, "Hola <b>Tom</b>\nsegunda línea");
      await reply("Hola <b>Tom</b>\nsegunda línea", "Mire https://example.com/a?b=1.");
      await chat.locator("li.operator").waitFor();

      await eventually(async () =>
        assert.deepEqual(await shown(host), [
          "system: ¡Hola! Somos Demo Traders. Pregunte lo que quiera.",
          "visitor: Hola <b>Tom</b>\nsegunda línea",
          "operator: Mire https://example.com/a?b=1.",
        ])
      );
      assert.equal(await chat.locator("li b").count(), 0);
      const link = chat.getByRole("link");
      assert.equal(await link.getAttribute("href"), "https://example.com/a?b=1");
      assert.match((await link.getAttribute("rel"))!, /noopener noreferrer/);
      assert.equal((await conversation("Hola <b>Tom</b>\nsegunda línea")).length, 2);
      await host.screenshot("1-open");
      const keys = [demo.publishable_key, demo.access_key];
      assert.deepEqual(
        requests.filter(({ referrer = "" }) => keys.some((key) => referrer.includes(key))),
        [],
      );
      assert.deepEqual(complaints, []);
    }, { attributes: { lang: "es" } }),
);

Deno.test(
  "chat widget: messages written during an outage arrive once the service is back, and once only",
  SHARED,
  () =>
    withChat("a chat across a restart", async (host, { reply, conversation, halt, resume }) => {
      const { chat } = host;
      await open(host);
      await write(host, "Before the restart");
      await eventually(async () => assert.equal((await shown(host)).length, 2));
      await halt();
      await chat.getByText("Connection lost. Reconnecting").waitFor();
      await write(host, "While it was away");
      await write(host, "And one more");
      assert.equal(await chat.locator("li.pending").count(), 2);
      await host.screenshot("2-away");

      await resume();
      await reply("And one more", "Got all three");
      await chat.getByText("Got all three").waitFor();

      const all = [
        "visitor: Before the restart",
        "visitor: While it was away",
        "visitor: And one more",
        "operator: Got all three",
      ];
      await eventually(async () => assert.deepEqual((await shown(host)).slice(1), all));
      assert.deepEqual(await conversation("Before the restart"), all);
      await host.page.reload();
      await open(host);
      await eventually(async () => assert.deepEqual((await shown(host)).slice(1), all));
    }, { hostname: "127.0.0.1" }),
);

Deno.test(
  "chat widget: an unsent message is sent on the next visit, and replies are counted while it is closed",
  SHARED,
  () =>
    withChat("a chat across a reload", async (host, { reply, conversation }) => {
      const { page, chat } = host;
      await open(host);
      await write(host, "A first question");
      await eventually(async () => assert.equal((await shown(host)).length, 2));
      await page.route("**/messages", (route) => route.abort());
      await write(host, "Left in a hurry");
      await chat.locator("li.pending").waitFor();
      const kept = "Object.values(localStorage).some((value) => value.includes('Left in a hurry'))";
      await eventually(async () => assert.ok(await page.evaluate(kept)));
      await page.unroute("**/messages");
      await page.reload();

      await open(host);

      const all = ["visitor: A first question", "visitor: Left in a hurry"];
      await eventually(async () => assert.deepEqual((await shown(host)).slice(1), all));
      assert.deepEqual(await conversation("A first question"), all);
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await reply("A first question", "One");
      await reply("A first question", "Two");
      await page.getByRole("button", { name: "Open the chat (New messages: 2)" }).waitFor();
      await host.screenshot("3-unread");
    }, { hostname: "127.0.0.1" }),
);

Deno.test(
  "chat widget: sends again what was not confirmed, and it is there once",
  SHARED,
  () =>
    withChat("lost confirmations", async (host, { conversation }) => {
      const { page } = host;
      let lost = 0;
      await page.route("**/events", (route) => route.abort());
      await page.route("**/messages", async (route) => {
        if (route.request().method() !== "POST" || lost === 2) return await route.continue();
        lost++;
        await route.fetch();
        await route.abort();
      });
      await open(host);
      await write(host, "Did you get this?");
      await write(host, "And this?");

      const all = ["visitor: Did you get this?", "visitor: And this?"];
      await eventually(async () => assert.deepEqual((await shown(host)).slice(1), all));
      assert.equal(lost, 2);
      assert.deepEqual(await conversation("And this?"), all);
    }),
);

Deno.test(
  "chat widget: asks for messages where no stream gets through",
  SHARED,
  () =>
    withChat("a chat without streams", async (host, { reply }) => {
      const { page, chat } = host;
      await page.route("**/events", (route) => route.abort());
      await open(host);
      await write(host, "Can you hear me?");
      await reply("Can you hear me?", "Loud and clear");

      await chat.getByText("Loud and clear").waitFor();
      assert.equal(await chat.getByRole("status").textContent(), "");
    }),
);

Deno.test(
  "chat widget: takes language, direction, colours, position and texts from its configuration, and keeps them readable",
  SHARED,
  () =>
    withChat("the configuration of a chat", async (_, running) => {
      const widget = await running.makeWidget({
        default_language: "en",
        // A light yellow with a dark page behind it, and unreadable text on it.
        colors: {
          primary: "#ffe066",
          secondary: "#303642",
          background: "#16181d",
          text: "#23262d",
          accent: "#202020",
        },
        position: { placement: "top-left", offset_x: 40, offset_y: 30, size: 80 },
        texts: { ar: { welcome: "مرحبا! كيف يمكننا مساعدتك؟", title: "الدعم", open_label: "افتح المحادثة" } },
      });
      await withHostPage(running, async (host) => {
        const { page, chat } = host;
        const button = page.getByRole("button", { name: "افتح المحادثة" });
        assert.deepEqual(await button.boundingBox(), { x: 40, y: 30, width: 80, height: 80 });
        await open(host);
        await write(host, "أين طلبي؟");
        await eventually(async () => assert.equal((await shown(host)).length, 2));
        await host.screenshot("4-arabic-dark");

        assert.equal(await chat.locator("html").getAttribute("dir"), "rtl");
        assert.equal(await chat.locator("html").getAttribute("lang"), "ar");
        const close = (await chat.locator(".close").boundingBox())!;
        assert.ok(close.x < (await chat.locator("h1").boundingBox())!.x, "the close button is at the left");
        const color = "getComputedStyle(document.querySelector('header')).backgroundColor";
        assert.equal(await chatFrame(host).evaluate(color), "rgb(255, 224, 102)");
        await assertAccessible(chatFrame(host));
      }, { attributes: { widget, lang: "ar" } });
    }),
);

Deno.test(
  "chat widget: data-show-close=false leaves no way to close it but the page's own",
  SHARED,
  () =>
    withChat("a chat that stays open", async (host) => {
      const { page, chat } = host;
      await chat.getByRole("textbox").waitFor();
      assert.equal(await activeElement(host), "BODY");

      await chat.getByRole("textbox").press("Escape");

      assert.equal(await chat.getByRole("button", { name: "Close the chat" }).count(), 0);
      assert.equal(await page.getByRole("button", { name: "Close the chat" }).count(), 0);
      await page.locator("[data-outbound-widget] .button").click();
      assert.ok(await chat.getByRole("textbox").isVisible());
      await page.evaluate("outbound.close()");
      await chat.getByRole("textbox").waitFor({ state: "hidden" });
      await page.evaluate("outbound.destroy()");
      assert.equal(await page.locator("[data-outbound-widget]").count(), 0);
    }, { attributes: { "show-close": "false", open: "" } }),
);

Deno.test(
  "chat widget: works from the keyboard, and gives the focus back",
  SHARED,
  () =>
    withChat("a chat from the keyboard", async (host) => {
      const { page, chat } = host;
      await page.getByRole("button", { name: "Open the chat" }).waitFor();
      await page.keyboard.press("Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      const field = chat.getByRole("textbox");
      await field.waitFor();
      await eventually(async () => assert.ok(await hasFocus(host)));

      await page.keyboard.type("Only");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("keys");
      await page.keyboard.press("Enter");
      await eventually(async () => assert.deepEqual((await shown(host)).slice(1), ["visitor: Only\nkeys"]));
      const names = [];
      for (let role: string | null = null; role !== "log" && names.length < 5;) {
        await page.keyboard.press("Shift+Tab");
        role = await chat.locator(":focus").getAttribute("role");
        names.push(await chat.locator(":focus").getAttribute("aria-label"));
      }
      assert.deepEqual(names, ["Emoji", "Attach a file", "Messages"]);
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Enter");

      await chat.locator("main").waitFor({ state: "hidden" });
      await eventually(async () => assert.equal(await activeElement(host), "BUTTON"));
      await page.keyboard.press("Enter");
      await eventually(async () => assert.ok(await hasFocus(host)));
      await page.keyboard.press("Escape");
      await eventually(async () => assert.equal(await activeElement(host), "BUTTON"));
    }),
);

Deno.test(
  "chat widget: axe finds nothing serious, and nothing moves for those who ask for that",
  SHARED,
  () =>
    withChat("accessibility of a chat", async (host, { reply, widgetUrl }) => {
      const { page, chat } = host;
      await assertAccessible(page.mainFrame());
      await open(host);
      await write(host, "Is it accessible?");
      await reply("Is it accessible?", "See https://example.com");
      await chat.locator("li.operator").waitFor();

      await assertAccessible(page.mainFrame());
      await assertAccessible(chatFrame(host));
      const moving = "document.getAnimations().filter((each) => each.playState === 'running').length";
      assert.equal(await chatFrame(host).evaluate(moving), 0);
      assert.equal(await page.evaluate(moving), 0);
      await page.goto(`${widgetUrl}/`);
      await page.getByRole("button", { name: "Open the chat" }).waitFor();
      await assertAccessible(page.mainFrame());
    }, { context: { reducedMotion: "reduce" } }),
);

Deno.test(
  "chat widget: fills a screen of 320 pixels and scrolls nothing sideways",
  SHARED,
  () =>
    withChat("a chat at 320 pixels", async (host, { reply }) => {
      const { page, chat } = host;
      await open(host);
      await write(host, "a".repeat(200));
      await reply("a".repeat(200), `https://example.com/${"b".repeat(150)}`);
      await chat.locator("li.operator").waitFor();
      await host.screenshot("5-narrow");

      assert.equal(await chatFrame(host).evaluate("document.documentElement.scrollWidth"), 320);
      assert.equal(await chatFrame(host).evaluate("document.querySelector('.log').scrollWidth"), 320);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 320);
      assert.equal(await page.locator("[data-outbound-widget] .button").isVisible(), false);
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await page.getByRole("button", { name: "Open the chat" }).waitFor();
    }, { context: { viewport: { width: 320, height: 600 }, hasTouch: true, isMobile: true } }),
);

Deno.test(
  "chat widget: a conversation the company ended is shown, and a new one begins with the next message",
  SHARED,
  () =>
    withChat("the end of a chat", async (host, { end, conversation }) => {
      const { chat } = host;
      await open(host);
      await write(host, "Please end this");
      await eventually(async () => assert.equal((await shown(host)).length, 2));
      await end("Please end this");
      await chat.getByText("This conversation has ended").waitFor();

      await chat.getByRole("button", { name: "Start a new conversation" }).click();
      await write(host, "And another thing");

      await eventually(async () =>
        assert.deepEqual((await shown(host)).slice(1), ["visitor: And another thing"])
      );
      assert.deepEqual(await conversation("And another thing"), ["visitor: And another thing"]);
    }),
);

Deno.test(
  "chat widget: ignores messages from any page but the one around it",
  SHARED,
  () =>
    withChat("messages from others", async (host, { demo, apiUrl, widgetUrl }) => {
      const { page, chat } = host;
      await open(host);
      const widget = {
        ...demo,
        widget_id: demo.chat_widget_id,
        company_name: "Evil",
        language: "en",
        texts: { title: "Evil" },
      };
      const response = {
        type: "widget",
        widget: {
          ...widget,
          colors: {},
          features: { typing: true },
          access_key: "x",
          base_url: "https://evil.example",
        },
      };

      // From the page to the chat over the head of the web view, to the web view, and to the loader from its own page.
      await page.evaluate(`{
      const view = document.querySelector("[data-outbound-widget]").shadowRoot.querySelector("iframe").contentWindow;
      for (const target of [view, view.frames[0]]) {
        target.postMessage(${JSON.stringify(response)}, "*");
        target.postMessage({ type: "get_customer" }, "*");
      }
      globalThis.received = [];
      addEventListener("message", ({ data }) => received.push(data.type));
      postMessage({ type: "outbound:close" }, "*");
    }`);
      await write(host, "Still here");
      await eventually(async () => assert.equal((await shown(host)).length, 2));

      assert.equal(await chat.locator("h1").textContent(), "Demo Traders");
      assert.ok(await chat.getByRole("textbox").isVisible());
      const received = await page.evaluate("received") as string[];
      assert.deepEqual(received.filter((type) => !/^outbound:(store|get_page|unread|message)$/.test(type)), [
        "outbound:close",
      ]);

      // A page that is not the API's embeds the chat itself and sends responses before any request.
      await page.clock.install();
      await page.goto(`${widgetUrl}/`);
      await page.evaluate(`{
      const frame = document.createElement("iframe");
      frame.src = "/chat.html#" + new URLSearchParams({ api: "${apiUrl}", parent: "${
        new URL(apiUrl).origin
      }" });
      document.body.append(frame);
      addEventListener("message", ({ source }) => globalThis.asked ??= source === frame.contentWindow || undefined);
      const customer = { company_id: "1", company_name: "Evil", user_id: "1" };
      globalThis.flood = () => {
        frame.contentWindow.postMessage(${
        JSON.stringify({ ...response, widget: { ...response.widget, base_url: apiUrl } })
      }, "*");
        frame.contentWindow.postMessage({ type: "customer", customer }, "*");
        frame.contentWindow.postMessage({ type: "state", state: { stored: {}, is_shown: true } }, "*");
      };
    }`);
      const lone = page.frameLocator("iframe[src*=chat]");
      await eventually(async () => {
        await page.evaluate("flood()");
        await page.clock.fastForward(1000);
        assert.equal(await lone.getByRole("alert").count() + await lone.getByRole("textbox").count(), 1);
      });
      assert.equal(await lone.getByRole("textbox").count(), 0);
      assert.equal(await page.evaluate("globalThis.asked"), undefined);
      await page.goto(
        `${widgetUrl}/chat.html#${new URLSearchParams({ api: apiUrl, parent: "https://evil.example" })}`,
      );
      await page.getByRole("alert").waitFor();
      assert.equal(await page.getByRole("textbox").count(), 0);
    }),
);

Deno.test("chat widget: leaves the page alone when the service is down or hangs", SHARED, async () => {
  const silent = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const hanging = `http://127.0.0.1:${(silent.addr as Deno.NetAddr).port}`;
  await withChat("a page whose widget is away", async ({ page }) => {
    await page.getByRole("link", { name: "Buy" }).click();
    assert.equal(new URL(page.url()).hash, "#bought");
  }, { loader: `${hanging}/loader.js` });
  await withChat("a widget whose API is away", async (host) => {
    const { page } = host;
    await page.getByRole("button", { name: "Open the chat" }).click();
    await page.getByRole("link", { name: "Buy" }).click();
    assert.equal(new URL(page.url()).hash, "#bought");
    await page.getByRole("alert").waitFor();
    await host.screenshot("6-unavailable");
    await assertAccessible(page.mainFrame());
    await page.getByRole("button", { name: "Close" }).first().click();
    await page.getByRole("alert").waitFor({ state: "hidden" });
  }, { attributes: { api: "http://127.0.0.1:9/functions/v1" } });
  silent.close();
});

Deno.test(
  "chat widget: is not shown on a page it may not be on, nor for a key that is none",
  SHARED,
  () =>
    withChat("allowed origins", async (_, running) => {
      const widget = await running.makeWidget({}, ["https://shop.example"]);
      for (
        const attributes of [{ widget }, { customer: "pk_thisisnokeyofanybody" }, {
          widget: "no-uuid",
        }] as Record<string, string>[]
      ) {
        await withHostPage(running, async ({ page }) => {
          const warning = await page.waitForEvent(
            "console",
            (message) => message.text().startsWith("[outbound]"),
          );
          assert.doesNotMatch(warning.text(), /pk_this/);
          assert.equal(await page.locator("[data-outbound-widget]").count(), 0);
        }, { attributes });
      }
    }),
);

Deno.test(
  "chat widget: beyond the day's cap the visitor reads so, and what was written is kept",
  SHARED,
  () =>
    withChat("the day's cap of a chat", async (_, running) => {
      const widget = await running.makeWidget({});
      await running.capConversations(widget, 0);
      await withHostPage(running, async (host) => {
        await open(host);
        await write(host, "Is anybody there?");

        await host.chat.getByText("You have reached today").waitFor();
        assert.equal(await host.chat.locator("li.pending").count(), 1);
        await host.screenshot("capped");
      }, { attributes: { widget } });
    }),
);
