import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { PNG } from "../e2e/media/with_media.ts";
import { eventually } from "../setup/eventually.ts";
import { assertAccessible } from "./browser_page.ts";
import { type HostPage, open, send, shareHostPage, withHostPage, write } from "./host_page.ts";
import { SHARED } from "./widget_stack.ts";

const withChat = shareHostPage();

const PDF = { name: "receipt.pdf", mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4 a receipt") };

/** Chooses a file with the button, as a visitor does. */
async function attach({ page, chat }: HostPage, file: typeof PDF): Promise<void> {
  const chosen = page.waitForEvent("filechooser");
  await chat.getByRole("button", { name: "Attach a file" }).click();
  await (await chosen).setFiles(file);
}

const isLoaded = (image: Locator) =>
  eventually(async () =>
    assert.ok(
      await image.evaluate((shown) => (shown as unknown as { naturalWidth: number }).naturalWidth > 0),
    )
  );

Deno.test(
  "chat widget: files go both ways, images are shown, others are downloaded",
  SHARED,
  () =>
    withChat("the content of a chat", async (host, { reply, upload }) => {
      const { page, chat, complaints } = host;
      await open(host);
      await attach(host, { name: "photo.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
      await chat.locator("li.visitor:not(.pending) img").waitFor();
      await attach(host, PDF);
      const sent = chat.locator("li.visitor:not(.pending)", { hasText: "receipt.pdf" });
      await sent.locator("a[href]").waitFor();
      const media_id = await upload(PNG, "image/png", "shoe.png");
      await reply("photo.png", { text: "Here is ours", media: { media_id } });
      await chat.locator("li.operator img").waitFor();

      await isLoaded(chat.locator("li.visitor img"));
      await isLoaded(chat.locator("li.operator img"));
      assert.match(await sent.innerText(), /receipt\.pdf\s+PDF · 0\.1 kB/);
      assert.equal(await chat.locator("li.operator img").getAttribute("alt"), "shoe.png");
      const downloading = page.waitForEvent("download");
      await sent.locator("a").click();
      const file = await downloading;
      assert.equal(file.suggestedFilename(), "receipt.pdf");
      assert.equal(await readFile(await file.path(), "utf8"), "%PDF-1.4 a receipt");
      await host.screenshot("files");
      await assertAccessible(page.frames().at(-1)!);

      await page.reload();
      await open(host);
      await isLoaded(chat.locator("li.visitor img"));
      assert.deepEqual(complaints, []);
    }, { hostname: "127.0.0.1" }),
);

/** Drags a file over the chat and drops or pastes it there, as the browser reports it. */
const handOver = (event: "drop" | "paste", name: string, type: string) =>
  `{
  const data = new DataTransfer();
  data.items.add(new File(["%PDF-1.4 a receipt"], "${name}", { type: "${type}" }));
  const init = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data };
  const to = document.querySelector("${event === "drop" ? ".log" : "textarea"}");
  if ("${event}" === "drop") to.dispatchEvent(new DragEvent("dragover", init));
  globalThis.wasMarked = document.querySelector("main").classList.contains("dropping");
  const happened = "${event}" === "drop" ? new DragEvent("drop", init) : new ClipboardEvent("paste", init);
  to.dispatchEvent(happened);
  globalThis.wasTaken = happened.defaultPrevented;
}`;

Deno.test(
  "chat widget: files are dropped onto the chat or pasted, and none takes the place of the chat",
  SHARED,
  () =>
    withChat("the content of a chat", async (host, stack) => {
      const { page, chat } = host;
      await open(host);
      const frame = page.frames().at(-1)!;

      await frame.evaluate(handOver("drop", "dropped.pdf", "application/pdf"));
      assert.deepEqual(await frame.evaluate("[wasMarked, wasTaken]"), [true, true]);
      await chat.locator("li.visitor:not(.pending)", { hasText: "dropped.pdf" }).waitFor();
      await frame.evaluate(handOver("paste", "pasted.pdf", "application/pdf"));
      await chat.locator("li.visitor:not(.pending)", { hasText: "pasted.pdf" }).waitFor();

      await stack.end("dropped.pdf");
      await chat.locator(".ended").waitFor();
      await frame.evaluate(handOver("drop", "late.pdf", "application/pdf"));
      assert.deepEqual(await frame.evaluate("[wasMarked, wasTaken]"), [false, true]);
      assert.equal(await chat.locator("li.visitor").count(), 2);
    }),
);

Deno.test(
  "chat widget: a file that cannot be sent says why, and does not keep the next message waiting",
  SHARED,
  () =>
    withChat("the content of a chat", async (host, { conversation }) => {
      const { chat } = host;
      await open(host);
      await send(host, "Before the files");
      await attach(host, { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<script>") });
      await attach(host, {
        name: "large.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.alloc(10 * 1024 * 1024 + 1),
      });
      await attach(host, { name: "fake.png", mimeType: "image/png", buffer: Buffer.from("not an image") });
      await write(host, "After the files");
      await chat.getByText("Files of this type cannot be sent.").waitFor();
      await chat.getByText("Larger than 10 MB.").waitFor();
      await chat.getByText("The file could not be taken.").waitFor();

      await eventually(async () =>
        assert.deepEqual(await conversation("Before the files"), [
          "visitor: Before the files",
          "visitor: After the files",
        ])
      );
      await assertAccessible(host.page.frames().at(-1)!);
    }),
);

Deno.test(
  "chat widget: a file whose confirmation is lost is sent again and stored once",
  SHARED,
  () =>
    withChat("the content of a chat", async (host, { conversation }) => {
      const { page, chat } = host;
      let lost = 0;
      await page.route("**/events", (route) => route.abort());
      await page.route("**/files?*", async (route) => {
        if (lost > 0) return await route.continue();
        lost++;
        await route.fetch();
        await route.abort();
      });
      await open(host);
      await attach(host, { ...PDF, name: "once.pdf" });
      await chat.locator("li.visitor:not(.pending)", { hasText: "once.pdf" }).waitFor();
      await send(host, "And a text");

      assert.equal(lost, 1);
      assert.deepEqual(await conversation("once.pdf"), ["visitor: once.pdf", "visitor: And a text"]);
    }),
);

Deno.test(
  "chat widget: quick replies are pressed once, those of the widget get their automatic reply, and cards show their links",
  SHARED,
  () =>
    withChat("the content of a chat", async (_, stack) => {
      const widget = await stack.makeWidget({
        quick_replies: { en: [{ text: "Opening hours", reply: "From 9 to 18." }, { text: "A refund" }] },
      });
      await withHostPage(stack, async (host) => {
        const { chat, page, complaints } = host;
        await open(host);
        const choices = chat.getByRole("group", { name: "Quick replies" });
        assert.deepEqual(await choices.getByRole("button").allInnerTexts(), ["Opening hours", "A refund"]);
        await choices.getByRole("button", { name: "Opening hours" }).click();
        await chat.locator("li.operator", { hasText: "From 9 to 18." }).waitFor();
        await choices.waitFor({ state: "hidden" });
        await stack.reply("From 9 to 18.", {
          card: {
            title: "Shoes <b>",
            text: "In your size",
            image_media_id: await stack.upload(PNG, "image/png", "card.png"),
            buttons: [{ label: "Look at them", url: "https://shop.example/shoes" }],
          },
          quick_replies: ["I take them", "No"],
        });
        const card = chat.locator("li.operator .card");
        await card.waitFor();
        await isLoaded(card.locator("img"));
        const link = card.getByRole("link", { name: "Look at them" });
        assert.equal(await link.getAttribute("href"), "https://shop.example/shoes");
        assert.equal(await card.locator("b b").count(), 0);
        await choices.getByRole("button", { name: "I take them" }).waitFor();
        await host.screenshot("card");
        await assertAccessible(page.frames().at(-1)!);
        await choices.getByRole("button", { name: "I take them" }).press("Enter");
        await chat.locator("li.visitor:not(.pending)", { hasText: "I take them" }).waitFor();
        assert.equal(await choices.isVisible(), false);
        assert.equal(
          await page.frames().at(-1)!.evaluate("document.activeElement.tagName === 'TEXTAREA'"),
          true,
        );
        assert.deepEqual((await stack.conversation("I take them")).map((line) => line), [
          "visitor: Opening hours",
          "operator: From 9 to 18.",
          "operator: Shoes <b>",
          "visitor: I take them",
        ]);
        assert.deepEqual(complaints, []);
      }, { attributes: { widget } });
    }),
);

Deno.test(
  "chat widget: emoji are chosen with the keyboard alone, on a phone as well",
  SHARED,
  () =>
    withChat("the content of a chat", async (host) => {
      const { page, chat } = host;
      await open(host);
      const button = chat.getByRole("button", { name: "Emoji" });
      await button.press("Enter");
      const choices = chat.getByRole("group", { name: "Emoji" });
      await choices.waitFor();
      await assertAccessible(page.frames().at(-1)!);
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      assert.equal(await chat.getByRole("textbox").inputValue(), "😄");
      await button.press("Enter");
      await page.keyboard.press("Escape");
      assert.equal(await choices.isVisible(), false);
      assert.equal(await chat.getByRole("textbox").isVisible(), true, "the chat stays open");
      await host.screenshot("emoji");
    }, { context: { viewport: { width: 360, height: 640 } } }),
);

Deno.test(
  "chat widget: a widget without files and emoji shows neither button",
  SHARED,
  () =>
    withChat("the content of a chat", async (_, stack) => {
      const widget = await stack.makeWidget({ features: { files: false, emoji: false } });
      await withHostPage(stack, async (host) => {
        await open(host);
        assert.equal(await host.chat.getByRole("button", { name: "Attach a file" }).count(), 0);
        assert.equal(await host.chat.getByRole("button", { name: "Emoji" }).count(), 0);
      }, { attributes: { widget } });
    }),
);

Deno.test(
  "chat widget: messages of different days are apart, and the visitor saves the conversation as a text",
  SHARED,
  () =>
    withChat("the content of a chat", async (host, stack) => {
      const { page, chat } = host;
      await open(host);
      await send(host, "From an earlier day");
      await stack.age("From an earlier day", "2026-03-05T12:00:00Z");
      await page.reload();
      await open(host);
      await send(host, "From today");

      assert.equal(await chat.locator("li.day").count(), 1);
      await chat.getByRole("button", { name: "More" }).click();
      const downloading = page.waitForEvent("download");
      await chat.getByRole("button", { name: "Download the conversation" }).click();
      const text = await readFile(await (await downloading).path(), "utf8");
      assert.match(text, /^\[Mar 5, 2026, .+\] You: From an earlier day\n\n\[.+\] You: From today\n$/);
    }, { hostname: "127.0.0.1" }),
);

Deno.test(
  "chat widget: 5,000 messages are read up to the first, and a new one costs as little as among 50",
  SHARED,
  () =>
    withChat("the content of a chat", async (host, { fill, reply }) => {
      const { page, chat } = host;
      await open(host);
      await send(host, "The very first");
      /** Counts what a new message changes in the document, and how many messages are laid out. */
      const workOf = async (text: string) => {
        const frame = page.frames().at(-1)!;
        await frame.evaluate(
          `globalThis.changes = 0; globalThis.watcher?.disconnect();
         globalThis.watcher = new MutationObserver((records) => { globalThis.changes += records.length; });
         globalThis.watcher.observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });`,
        );
        await reply("The very first", text);
        await chat.getByText(text, { exact: true }).waitFor();
        return await frame.evaluate(
          `({ changes: globalThis.changes, laidOut: [...document.querySelectorAll("ol > li")]
          .filter((item) => item.firstElementChild.checkVisibility({ contentVisibilityAuto: true })).length })`,
        ) as { changes: number; laidOut: number };
      };
      await fill("The very first", 50);
      await page.reload();
      await open(host);
      await chat.getByText("message 50", { exact: true }).waitFor();
      const few = await workOf("among 50");

      await fill("The very first", 5000);
      await page.reload();
      await open(host);
      await chat.getByText("message 5000", { exact: true }).waitFor();
      const log = chat.getByRole("log");
      const items = () => chat.locator("ol > li").count();
      for (
        let loaded = await items();
        await chat.getByRole("button", { name: "Earlier messages" }).isVisible();
      ) {
        await log.evaluate((box) => box.scrollTo(0, 0));
        await eventually(async () =>
          assert.ok(
            await items() > loaded ||
              !await chat.getByRole("button", { name: "Earlier messages" }).isVisible(),
          )
        );
        loaded = await items();
      }
      await log.evaluate((box) => box.scrollTo(0, 0));
      await chat.getByText("The very first", { exact: true }).waitFor();
      assert.equal(await items(), 5001, "the welcome and all messages");
      const many = await workOf("among 5,000");
      await chat.getByRole("button", { name: "New messages" }).click();
      await eventually(async () =>
        assert.ok(
          await page.frames().at(-1)!.evaluate(
            "document.querySelector('ol').lastElementChild.getBoundingClientRect().bottom <= innerHeight",
          ),
        )
      );

      assert.ok(many.changes <= few.changes * 2, JSON.stringify({ few, many }));
      assert.ok(many.laidOut <= 150, JSON.stringify({ few, many }));
    }, { hostname: "127.0.0.1" }),
);
