/**
 * Takes the pictures of a chat in docs/images, from a demo of its own: `deno task widget:picture`.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { open, send, withHostPage } from "./host_page.ts";
import { startWidgetStack } from "./widget_stack.ts";

const IMAGES = fileURLToPath(new URL("../../docs/images", import.meta.url));

/** An A on a white square. */
const LOGO = "data:image/png;base64," + [
  "iVBORw0KGgoAAAANSUhEUgAAAEgAAABICAYAAABV7bNHAAABLklEQVR42u3cuw3DMAxFUfYZLpt4/07ZIJQtfp6sS8CdAVMHxKtk",
  "mj2ssVlZZo2XFjCZUOOwAicKaRxe4DxFgsVBguQPEBwOEhQAAQRQFxAMDhIEYkCf67v8HA00+w5AJwLdObgKEkAqQHfDVyWsTXF6",
  "lKYIIAWglYN2IwHUDbQatt1hbcrTozBFAHUCRR6sCwmgLqDocO0Ka9thejqnCKAOoMyDVCMBVA2UHabVYW07TU/HFAFUCVTZeNW3",
  "rDp/qh45ICWcSCSAABIAUsSJQgIoG0gZJwIpHaiiANoVSOmaSlYvAGUBqV2Vy+rH3jA9mT0BlAGkiJPVG0DRQGrhnN0fN+09IP7X",
  "cHAAAggggLqBQHJwAJoAAsnBAWkCh/U47BCKwWFFF1AxMKwJNPsBXqUQfbZzEl8AAAAASUVORK5CYII=",
].join("");

const CONFIG = {
  appearance: "auto",
  colors: { primary: "#0b6e4f" },
  launcher: { icon: "dots" },
  texts: {
    en: {
      title: "Acme Shoes",
      subtitle: "We usually reply in a few minutes",
      welcome: "Hi! Ask us anything.",
      launcher_text: "Need help?",
    },
  },
  proactive: [{ texts: { en: "Questions about sizes? We are here." }, delay_s: 0 }],
};

const SIZE = { width: 440, height: 620 };

const stack = await startWidgetStack();
if (stack === undefined) throw new Error("This needs Chromium");
try {
  const widget = await stack.makeWidget({ ...CONFIG, logo: LOGO });
  const take = (context: Record<string, unknown>, shoot: Parameters<typeof withHostPage>[1]) =>
    withHostPage(stack, shoot, {
      attributes: { widget },
      context: {
        viewport: SIZE,
        deviceScaleFactor: 1.5,
        reducedMotion: "reduce",
        locale: "en-GB",
        ...context,
      },
    });
  await take({ viewport: { width: 440, height: 170 } }, async ({ page }) => {
    await page.locator(".bubble .said").waitFor();
    await page.evaluate("document.querySelector('main').remove()");
    await page.screenshot({ path: `${IMAGES}/widget-greeting.png` });
  });
  for (const colorScheme of ["light", "dark"] as const) {
    // A text names its conversation.
    const question = colorScheme === "light" ? "Do the blue ones run large?" : "Do the blue shoes run large?";
    await take({ colorScheme, viewport: { width: 481, height: 640 } }, async (host) => {
      await open(host);
      await send(host, question);
      await stack.reply(question, "A little: take half a size less.\nhttps://acme.example/sizes");
      await host.chat.locator("li.operator").waitFor();
      await host.page.evaluate("document.querySelector('main').remove()");
      await host.page.screenshot({ path: `${IMAGES}/widget-${colorScheme}.png` });
    });
  }
} finally {
  await stack.close();
}
