import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { PNG } from "../../e2e/media/with_media.ts";
import { eventually } from "../../setup/eventually.ts";
import { open, send, withHostPage } from "../host_page.ts";
import { manage, shareConsole } from "./console_page.ts";

const consoleTest = shareConsole();

Deno.test(consoleTest(
  "console: a member sees what a visitor sends, and sends files, a card and quick replies, one of which the visitor presses",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await withHostPage(stack, async (host) => {
      const { chat } = host;
      await open(host);
      await send(host, "Is this the right shoe?");
      const chosen = host.page.waitForEvent("filechooser");
      await chat.getByRole("button", { name: "Attach a file" }).click();
      await (await chosen).setFiles({ name: "shoe.png", mimeType: "image/png", buffer: Buffer.from(PNG) });
      await chat.locator("li.visitor:not(.pending) img").waitFor();
      await console.open("inbox");
      await page.getByRole("link", { name: /^Website Visitor/ }).first().click();
      const log = page.getByRole("log", { name: "Messages" });
      await log.getByRole("button", { name: "Open: shoe.png" }).waitFor();

      const picking = page.waitForEvent("filechooser");
      await page.getByRole("button", { name: "Attach files" }).click();
      await (await picking).setFiles({
        name: "size.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from("%PDF-1.4 sizes"),
      });
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await chat.locator("li.operator", { hasText: "size.pdf" }).locator("a[href]").waitFor();
      await log.getByText("size.pdf").waitFor();

      await page.getByRole("button", { name: "Quick replies and cards" }).click();
      const dialog = page.getByRole("dialog", { name: "Quick replies and cards" });
      await dialog.getByRole("button", { name: "Send" }).click();
      await dialog.getByText("Write a message, or give the card a title").waitFor();
      await dialog.getByLabel("Quick replies").fill("This one\nAnother one\n");
      await dialog.getByLabel("Title").fill("Shoe <1>");
      await dialog.getByLabel("Button 1", { exact: true }).fill("See it");
      await dialog.getByLabel("Link of button 1").fill("https://shop.test/shoe");
      await dialog.getByRole("button", { name: "Send" }).click();
      await chat.getByRole("link", { name: "See it" }).waitFor();
      await log.getByText("Offered: This one · Another one").waitFor();
      await chat.getByRole("button", { name: "This one", exact: true }).click();
      await log.getByText("This one", { exact: true }).waitFor();
      assert.equal(await log.getByText("Shoe <1>").count(), 1);
    });
  },
));

Deno.test(consoleTest(
  "console: the quick replies of a widget are written one per line, with their automatic replies",
  async (stack, console) => {
    const { page } = console;
    const widgetId = await stack.makeWidget({});
    await console.logIn();
    await console.open(`widgets/${widgetId}`);
    await page.getByLabel("Visitors can send files").waitFor();
    await page.getByLabel("Emoji to choose from").click();
    await page.getByRole("tab", { name: "Texts" }).press("Enter");
    await page.getByLabel("Quick replies at the start").fill("Opening hours | From 9 to 18.\nMy order\n");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.", { exact: true }).waitFor();

    await eventually(async () => {
      const { config } = await manage(stack, "GET", `/widgets/${widgetId}`);
      assert.deepEqual(config.quick_replies, {
        en: [{ text: "Opening hours", reply: "From 9 to 18." }, { text: "My order" }],
      });
      assert.deepEqual(config.features, { emoji: false });
    });
  },
));
