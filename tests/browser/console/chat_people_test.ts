import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { Locator } from "playwright-core";
import { PNG } from "../../e2e/media/with_media.ts";
import { eventually } from "../../setup/eventually.ts";
import { open, send, withHostPage } from "../host_page.ts";
import { type ConsolePage, manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: a visitor sees that a member has read and who replies; the member sees the same, and the rating",
  async (stack, console) => {
    const { page } = console;
    const widget = await stack.makeWidget({ follow_up: { ask_after_minutes: 1 } });
    await console.logIn();
    await withHostPage(stack, async (host) => {
      const { chat } = host;
      await open(host);
      await send(host, "Is it still there?");
      assert.equal(await chat.getByText("Seen").count(), 0);
      const { conversations: [{ conversation_id }] } = await manage(
        stack,
        "GET",
        "/conversations/search?q=still",
      );

      await console.open(`inbox?conversation=${conversation_id}`);
      await chat.getByText("Seen").waitFor();
      const field = page.getByRole("textbox", { name: "Write a reply" });
      await field.fill("Yes, it is");
      await field.press("Enter");
      await chat.getByText("Yes, it is").waitFor();
      const log = page.getByRole("log", { name: "Messages" });
      await log.locator("li", { hasText: "Yes, it is" }).getByText("Read").waitFor();
      const { messages: [{ written_by }] } = await manage(
        stack,
        "GET",
        `/conversations/${conversation_id}/messages`,
      );
      await chat.locator("li .sender", { hasText: written_by.name.split(" ")[0] }).waitFor();

      await stack.end("Is it still there?");
      await chat.getByRole("radio", { name: "5 stars" }).check({ force: true });
      await chat.getByRole("textbox", { name: "Tell us more (optional)" }).fill("Thanks <b>a lot</b>");
      await chat.getByRole("button", { name: "Send" }).click();
      const details = page.getByRole("complementary", { name: "Details" });
      await details.getByRole("img", { name: "5 of 5 stars" }).waitFor();
      await details.getByText("Thanks <b>a lot</b>").waitFor();
    }, { attributes: { widget } });
  },
));

Deno.test(consoleTest(
  "console: sets when members reply, how replies follow by e-mail, and the text that visitors accept",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    await console.logIn();
    await console.open(`widgets/${widgetId}`);
    await page.getByRole("tab", { name: "People" }).click();
    await page.getByRole("checkbox", { name: "Office hours" }).check();
    await page.getByLabel("Time zone").fill("Europe/Madrid");
    await page.getByLabel(/^Mon, such as/).fill("09:00-14:00, 16:00-18:00");
    await page.getByLabel(/^Fri, such as/).fill("");
    await page.getByLabel(/^Tue, such as/).fill("9-14");
    await page.getByLabel(/^Closed on these dates/).fill("2026-12-25, 2027-01-01");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".error", { hasText: "09:00" }).first().waitFor();
    await page.getByLabel(/^Tue, such as/).fill("09:00-14:00");
    await page.getByRole("checkbox", { name: "Replies by e-mail" }).check();
    await page.getByLabel("Request it after so many minutes without a reply").fill("3");
    await page.getByRole("checkbox", { name: "Visitors must accept a text first" }).check();
    await page.getByLabel("The text", { exact: true }).fill("We store this chat.");
    await page.getByLabel("Its page, with https://").fill("https://shop.test/privacy");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();

    await eventually(async () => {
      const { config } = await manage(stack, "GET", `/widgets/${widgetId}`);
      assert.deepEqual(config.office_hours, {
        timezone: "Europe/Madrid",
        days: {
          mon: [["09:00", "14:00"], ["16:00", "18:00"]],
          tue: [["09:00", "14:00"]],
          wed: [["09:00", "18:00"]],
          thu: [["09:00", "18:00"]],
          fri: [],
        },
        holidays: ["2026-12-25", "2027-01-01"],
      });
      assert.deepEqual(config.follow_up, { ask_after_minutes: 3 });
      assert.deepEqual(config.consent, { text: "We store this chat.", link: "https://shop.test/privacy" });
    });
  },
  { mayComplain: true },
));

/** Chooses a file as the member's picture. */
async function choosePicture({ page }: ConsolePage, name: string, bytes: Uint8Array): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    page.getByRole("button", { name: "Choose a picture" }).click(),
  ]);
  await chooser.setFiles({ name, mimeType: "image/png", buffer: Buffer.from(bytes) });
}

/** Waits until an image is loaded, and returns its address and width. */
async function loaded(image: Locator): Promise<{ src: string | null; width: number }> {
  await image.waitFor();
  return await eventually(async () => {
    const width = await image.evaluate((element) =>
      (element as unknown as { naturalWidth: number }).naturalWidth
    );
    assert.ok(width > 0);
    return { src: await image.getAttribute("src"), width };
  });
}

Deno.test(consoleTest(
  "console: a member's picture, without what else its file holds, is beside the replies, until it is removed",
  async (stack, console) => {
    const { page } = console;
    const widget = await stack.makeWidget({});
    await console.logIn();
    await page.getByLabel("Account").click();
    await page.getByRole("button", { name: "Your account" }).click();
    await choosePicture(
      console,
      "me.png",
      new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    );
    await page.getByText("The browser cannot read this picture").waitFor();

    await choosePicture(
      console,
      "me.png",
      new Uint8Array([...PNG, ...new TextEncoder().encode("taken at home")]),
    );

    await page.getByText("Your picture is saved").waitFor();
    const { src, width } = await loaded(page.locator("main .avatar img"));
    const stored = await (await fetch(src!)).bytes();
    assert.deepEqual([width, new TextDecoder("latin1").decode(stored).includes("home")], [128, false]);
    await withHostPage(stack, async (host) => {
      const { chat } = host;
      await open(host);
      await send(host, "Who are you?");
      const { conversations: [{ conversation_id }] } = await manage(
        stack,
        "GET",
        "/conversations/search?q=Who",
      );
      await console.open(`inbox?conversation=${conversation_id}`);
      const field = page.getByRole("textbox", { name: "Write a reply" });
      await field.fill("Your neighbour");
      await field.press("Enter");
      const inChat = await loaded(chat.locator("li .sender img"));
      const inLog = await loaded(page.getByRole("log", { name: "Messages" }).locator(".message-by img"));
      await console.open("members");
      const inMembers = await loaded(page.locator("table .avatar img"));
      for (const shown of [inChat, inLog, inMembers]) assert.deepEqual(shown, { src, width });

      await console.open("account");
      await page.getByRole("button", { name: "Remove the picture" }).click();
      await page.getByText("Your picture is removed").waitFor();
      await console.open(`inbox?conversation=${conversation_id}`);
      await field.fill("Still me");
      await field.press("Enter");
      await chat.getByText("Still me").waitFor();
      assert.equal(await chat.locator("li", { hasText: "Still me" }).locator("img").count(), 0);
      assert.equal((await fetch(src!)).status, 404);
    }, { attributes: { widget } });
  },
));
