import assert from "node:assert/strict";
import type { Frame } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { skipped } from "../setup/skipped.ts";
import { assertAccessible } from "./browser_page.ts";
import { manage } from "./console/console_page.ts";
import { type HostPage, open, send, withHostPage } from "./host_page.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

/** Calls `fn` with a chat whose widget is configured as given, on a phone of 360 pixels by default. */
async function withChat(
  what: string,
  config: JsonObject,
  fn: (host: HostPage, stack: WidgetStack) => Promise<void>,
): Promise<void> {
  const stack = sharedStack();
  if (!stack) return skipped(what, "no Chromium found");
  const widget = await stack.makeWidget(config);
  const context = { viewport: { width: 360, height: 740 }, reducedMotion: "reduce" as const };
  await withHostPage(stack, (host) => fn(host, stack), { attributes: { widget }, context });
}

/** The innermost frame, which is the chat. */
function chatFrame({ page }: HostPage): Frame {
  return page.frames().at(-1)!;
}

/** The inbox's entry of the conversation that holds a text. */
async function inInbox(stack: WidgetStack, text: string): Promise<JsonObject> {
  const { conversations } = await manage(stack, "GET", `/conversations/search?q=${encodeURIComponent(text)}`);
  return conversations[0];
}

const DARK = {
  primary: "#8ab4ff",
  secondary: "#303642",
  background: "#16181d",
  text: "#f1f3f5",
  accent: "#7bd88f",
};

Deno.test(
  "chat widget: shows who writes and types, and that a message was read",
  SHARED,
  () =>
    withChat("the people of a chat", {}, async (host, stack) => {
      const { chat } = host;
      await open(host);
      await send(host, "Who is there?");
      await stack.act("Who is there?", "typing", { is_typing: true, name: "Ana" });
      await chat.getByText("Ana is typing").waitFor();
      assert.equal(await chat.getByText("Seen").count(), 0);

      await stack.reply("Who is there?", "It is <b>Ana</b>", { sender: { name: "Ana <i>R</i>" } });
      await stack.reply("Who is there?", "And me", { sender: { name: "Ana <i>R</i>" } });
      await stack.reply("Who is there?", "Now Luis", {
        sender: { name: "Luis", avatar_url: "https://127.0.0.1:9/l.png" },
      });
      await chat.getByText("Now Luis").waitFor();

      const senders = chat.locator("li .sender:visible");
      assert.deepEqual(await senders.allInnerTexts(), ["A<\nAna <i>R</i>", "L\nLuis"]);
      await chat.locator("li.visitor", { hasText: "Seen" }).waitFor();
      await send(host, "Thank you");
      assert.equal(await chat.getByText("Seen").count(), 1);
      await stack.act("Who is there?", "read", { sequence: 5 });
      await chat.locator("li.visitor", { hasText: "Thank you" }).getByText("Seen").waitFor();
      await eventually(async () => {
        const { conversation_id } = await inInbox(stack, "Who is there?");
        const { messages } = await manage(stack, "GET", `/conversations/${conversation_id}/messages`);
        assert.deepEqual(messages.map(({ status }: JsonObject) => status), [
          null,
          "read",
          "read",
          "read",
          null,
        ]);
      });
      await assertAccessible(chatFrame(host));
      await host.screenshot("people");
    }),
);

Deno.test(
  "chat widget: a reply in a closed panel is not read until the visitor opens it",
  SHARED,
  () =>
    withChat("an unread reply", {}, async (host, stack) => {
      const { page, chat } = host;
      await open(host);
      await send(host, "I am going");
      await chat.getByRole("button", { name: "Close the chat" }).click();
      await stack.reply("I am going", "Come back");
      await page.getByRole("button", { name: /1/ }).waitFor();
      const { conversation_id } = await inInbox(stack, "I am going");
      const statuses = async () => {
        const { messages } = await manage(stack, "GET", `/conversations/${conversation_id}/messages`);
        return messages.map(({ status }: JsonObject) => status);
      };
      assert.deepEqual(await statuses(), ["sent", null]);

      await open(host);

      await eventually(async () => assert.deepEqual(await statuses(), ["read", null]));
    }),
);

Deno.test(
  "chat widget: outside office hours says when members are back, and takes an e-mail address",
  SHARED,
  () => {
    const tomorrow = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"][(new Date().getUTCDay() + 1) % 7]!;
    const config = {
      office_hours: { timezone: "UTC", days: { [tomorrow]: [["09:00", "18:00"]] } },
      follow_up: { ask_after_minutes: 5 },
      colors: DARK,
    };
    return withChat("an office that is closed", config, async (host, stack) => {
      const { chat } = host;
      await host.page.locator("[data-outbound-widget] .button").click();
      await chat.getByText(/We are back (today|tomorrow) at/).waitFor();
      const email = chat.getByRole("textbox", { name: "E-mail address" });
      assert.equal(await email.isVisible(), false);
      await chat.locator("textarea").fill("Anyone there?");
      await chat.locator("textarea").press("Enter");
      await email.waitFor();
      await assertAccessible(chatFrame(host));
      await host.screenshot("away");

      await email.fill("ana");
      await email.press("Enter");
      await chat.getByText("This is not an e-mail address").waitFor();
      await email.fill("ana@shop.test");
      await chat.getByRole("button", { name: "Save" }).click();
      await chat.getByText("We will also reply by e-mail").waitFor();

      assert.equal((await inInbox(stack, "Anyone there?")).email, "ana@shop.test");
      await host.page.reload();
      await host.page.locator("[data-outbound-widget] .button").click();
      await chat.getByText("Anyone there?").waitFor();
      assert.equal(await email.isVisible(), false);
    });
  },
);

Deno.test(
  "chat widget: a visitor rates a conversation that ended, and changes the rating",
  SHARED,
  () =>
    withChat("a rating", {}, async (host, stack) => {
      const { chat } = host;
      await open(host);
      await send(host, "That was quick");
      await stack.end("That was quick");
      await chat.getByText("How was this conversation?").waitFor();
      await assertAccessible(chatFrame(host));
      await chat.getByRole("radio", { name: "4 stars" }).focus();
      await host.page.keyboard.press("Space");
      await chat.getByRole("textbox", { name: "Tell us more (optional)" }).fill("Very <b>kind</b>");
      await host.screenshot("rating");
      await chat.getByRole("button", { name: "Send" }).click();
      await chat.getByText("Thank you").waitFor();

      const rating = async () => {
        const { rating: { rated_at: _, ...rest } } = await inInbox(stack, "That was quick");
        return rest;
      };
      assert.deepEqual(await rating(), { rating: 4, comment: "Very <b>kind</b>" });
      await host.page.reload();
      await host.page.locator("[data-outbound-widget] .button").click();
      assert.equal(await chat.getByRole("radio", { name: "4 stars" }).isChecked(), true);
      await chat.getByRole("radio", { name: "2 stars" }).check({ force: true });
      await chat.getByRole("button", { name: "Send" }).click();
      await chat.getByText("Thank you").waitFor();
      assert.deepEqual(await rating(), { rating: 2, comment: null });
      await chat.getByRole("button", { name: "Start a new conversation" }).click();
      await chat.locator(".composer textarea").waitFor();
      assert.equal(await chat.getByText("How was this conversation?").isVisible(), false);
    }),
);

Deno.test("chat widget: the first message waits until the visitor has accepted a text", SHARED, () => {
  const consent = { text: "We store <b>this</b> chat.", link: "https://shop.example/privacy" };
  return withChat("a consent", { consent }, async (host, stack) => {
    const { chat } = host;
    await host.page.locator("[data-outbound-widget] .button").click();
    await chat.getByText(consent.text).waitFor();
    assert.equal(await chat.getByRole("link", { name: "Read more" }).getAttribute("href"), consent.link);
    assert.equal(await chat.locator("textarea").isVisible(), false);
    await assertAccessible(chatFrame(host));
    await host.screenshot("consent");

    await chat.getByRole("button", { name: "I agree" }).click();
    await send(host, "I have agreed");

    const { accepted_at, ...accepted } = (await inInbox(stack, "I have agreed")).consent;
    assert.deepEqual(accepted, consent);
    assert.ok(Date.parse(accepted_at) > 0);
    await stack.end("I have agreed");
    await chat.getByRole("button", { name: "Start a new conversation" }).click();
    await send(host, "Once is enough");
  });
});
