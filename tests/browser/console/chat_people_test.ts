import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { open, send, withHostPage } from "../host_page.ts";
import { manage, shareConsole } from "./console_page.ts";

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
