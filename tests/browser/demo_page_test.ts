import assert from "node:assert/strict";
import { skipped } from "../setup/skipped.ts";
import { STEP_TIMEOUT_MS } from "./find_chromium.ts";
import { SHARED, shareWidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

Deno.test(
  "demo page: its steps lead from a message in the chat to a reply in the console",
  SHARED,
  async () => {
    const stack = sharedStack();
    if (!stack) return skipped("the demo page", "no Chromium found");
    const { widgetUrl, demo } = stack;
    const window = await stack.browser.newContext({ locale: "en-GB" });
    window.setDefaultTimeout(STEP_TIMEOUT_MS);
    const page = await window.newPage();
    const complaints: string[] = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));

    await page.goto(`${widgetUrl}/`);
    await page.getByRole("button", { name: "Open the chat" }).click();
    const chat = page.frameLocator(`[data-outbound-widget="${demo.chat_widget_id}"] iframe`).frameLocator(
      "iframe",
    );
    await chat.getByRole("textbox").fill("Is this the demo?");
    await chat.getByRole("textbox").press("Enter");
    await chat.locator("li.visitor:not(.pending)").waitFor();
    await page.getByText(demo.email).waitFor();

    const opening = window.waitForEvent("page");
    await page.getByRole("link", { name: "the inbox in the console" }).click();
    const inbox = await opening;
    await inbox.getByLabel("E-mail").fill(demo.email);
    await inbox.getByLabel("Password").fill(demo.password);
    await inbox.getByRole("button", { name: "Log in" }).click();
    await inbox.getByRole("link", { name: /^Website Visitor/ }).click();
    await inbox.getByRole("textbox", { name: "Write a reply" }).fill("Yes, it is.");
    await inbox.getByRole("textbox", { name: "Write a reply" }).press("Enter");
    await chat.getByText("Yes, it is.").waitFor();

    const showing = window.waitForEvent("page");
    await page.getByRole("link", { name: "The chat in the console" }).click();
    await (await showing).getByRole("link", { name: "Test Demo chat" }).waitFor();
    assert.deepEqual(complaints, []);
    await window.close();
  },
);
