import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { type HostPage, withHostPage } from "./host_page.ts";
import { SHARED, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

const sharedStack = shareWidgetStack();

/** A page with the demo's chat and then its voice assistant, both at the lower right. */
async function withBoth(
  what: string,
  fn: (host: HostPage, stack: WidgetStack) => Promise<void>,
): Promise<void> {
  const stack = sharedStack();
  if (!stack) return skipped(what, "no Chromium found");
  const { demo, widgetUrl } = stack;
  const voice = { mode: "voice", widget: demo.voice_widget_id, position: "bottom-right" };
  await withHostPage(stack, (host) => fn(host, stack), {
    others: [{ attributes: voice, loader: `${widgetUrl}/loader.js?second` }],
  });
}

const isShown = (page: Page, id: string) =>
  page.locator(`[data-outbound-widget="${id}"] .panel:not(.away)`).count().then((count) => count === 1);

Deno.test(
  "several widgets: two at the same corner are stacked in the document's order, with a warning",
  SHARED,
  () =>
    withBoth("two widgets at one corner", async ({ page, screenshot }, { demo }) => {
      const warnings: string[] = [];
      page.on("console", (message) => message.type() === "warning" && warnings.push(message.text()));
      // The second script of the document is the first to run.
      const late = Promise.withResolvers<void>();
      await page.route("**/loader.js", (route) => late.promise.then(() => route.continue()));
      await page.reload({ waitUntil: "commit" });
      const voice = page.locator(`[data-outbound-widget="${demo.voice_widget_id}"] .button`);
      await voice.waitFor();
      const alone = await voice.boundingBox();
      late.resolve();
      const chat = page.locator(`[data-outbound-widget="${demo.chat_widget_id}"] .button`);
      await chat.waitFor();

      await eventually(async () => assert.notDeepEqual(await voice.boundingBox(), alone));
      assert.deepEqual(await chat.boundingBox(), alone);
      const [above, below] = [(await voice.boundingBox())!, (await chat.boundingBox())!];
      assert.deepEqual([above.x, above.y + above.height + 12], [below.x, below.y]);
      assert.equal(warnings.filter((text) => text.includes(demo.voice_widget_id)).length, 1);
      await screenshot("8-stacked");
      await voice.click();
      await eventually(async () => assert.ok(await isShown(page, demo.voice_widget_id)));
      await screenshot("9-stacked-open");

      await page.evaluate(`outbound.destroy("${demo.chat_widget_id}")`);
      await eventually(async () => assert.deepEqual(await voice.boundingBox(), alone));
    }),
);

Deno.test(
  "several widgets: outbound.open() opens the document's first, or the one that is named",
  SHARED,
  () =>
    withBoth("which widget opens", async ({ page }, { demo }) => {
      for (const slow of ["**/loader.js", "**/loader.js?second"]) {
        const late = Promise.withResolvers<void>();
        await page.route(slow, (route) => late.promise.then(() => route.continue()));
        await page.reload({ waitUntil: "commit" });
        await eventually(async () => assert.ok(await page.evaluate("Boolean(globalThis.outbound)")));
        await page.evaluate("outbound.open()");
        late.resolve();
        await eventually(async () => assert.ok(await isShown(page, demo.chat_widget_id), slow));
        assert.ok(!await isShown(page, demo.voice_widget_id), slow);
        await page.unroute(slow);
      }

      await page.evaluate(`outbound.close(); outbound.open("voice")`);
      await eventually(async () => assert.ok(await isShown(page, demo.voice_widget_id)));
      assert.ok(!await isShown(page, demo.chat_widget_id));
      await page.evaluate(`outbound.close("voice"); outbound.open("${demo.chat_widget_id.toUpperCase()}")`);
      await eventually(async () => assert.ok(await isShown(page, demo.chat_widget_id)));
      assert.ok(!await isShown(page, demo.voice_widget_id));
    }),
);
