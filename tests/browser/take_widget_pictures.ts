/**
 * Takes the pictures of a chat in docs/images, from a demo of its own: `deno task widget:picture`. With `--states FOLDER`,
 * it takes one of each state instead, in light, in dark, on a phone and from right to left; `--only chat-NAME` or
 * `voice-NAME`: of one state.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CHAT_STATES, type VisitLanguage, withChatState } from "./chat_states.ts";
import type { Page } from "playwright-core";
import { open, send, withHostPage } from "./host_page.ts";
import { startVoiceStack } from "./with_voice_widget.ts";
import { VOICE_STATES, withVoiceState } from "./voice_states.ts";
import { startWidgetStack, type WidgetStack } from "./widget_stack.ts";

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

const PHONE = { width: 360, height: 740 };

const { states: folder, only } = parseArgs({
  options: { states: { type: "string" }, only: { type: "string" } },
}).values;

/** Each state in both languages, in light and dark and on a phone: five pictures. */
async function shootAll(
  kind: "chat" | "voice",
  names: string[],
  visit: (name: string, language: VisitLanguage, fn: (page: Page) => Promise<void>) => Promise<void>,
): Promise<void> {
  for (const name of names.filter((each) => only === undefined || `${kind}-${each}` === only)) {
    const shoot = async (page: Page, look: string) =>
      void await page.screenshot({ path: `${folder}/${kind}-${name}-${look}.png` });
    await visit(name, "en", async (page) => {
      await shoot(page, "light");
      await page.emulateMedia({ colorScheme: "dark" });
      await shoot(page, "dark");
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: "light" });
      await shoot(page, "phone");
    });
    await visit(name, "ar", async (page) => {
      await shoot(page, "rtl");
      await page.setViewportSize(PHONE);
      await page.emulateMedia({ colorScheme: "dark" });
      await shoot(page, "phone-rtl-dark");
    });
  }
}

/** The states in the gallery, each with its language and appearance. */
const GALLERY = [
  ["first", "en", "light"],
  ["reply", "en", "dark"],
  ["away", "ar", "light"],
  ["ended", "en", "light"],
] as const;

/** Several states side by side, in one picture. */
async function takeGallery(stack: WidgetStack): Promise<void> {
  const pictures: string[] = [];
  for (const [name, language, colorScheme] of GALLERY) {
    await withChatState(stack, { name, language, look: { logo: LOGO } }, async ({ page }) => {
      await page.emulateMedia({ colorScheme });
      await page.mouse.move(0, 0);
      const picture = await page.locator(".panel").screenshot();
      pictures.push(`<img alt="" src="data:image/png;base64,${picture.toString("base64")}">`);
    });
  }
  const page = await stack.browser.newPage({
    viewport: { width: 1065, height: 420 },
    deviceScaleFactor: 1.5,
  });
  const style =
    "body { background: #e4e7eb; display: flex; gap: 12px; width: max-content; margin: 12px } img { height: 400px }";
  await page.setContent(`<style>${style}</style>${pictures.join("")}`);
  await page.screenshot({ path: `${IMAGES}/widget-states.png`, fullPage: true });
  await page.close();
}

async function takeStates(stack: WidgetStack): Promise<void> {
  const look = { logo: LOGO };
  await shootAll(
    "chat",
    Object.keys(CHAT_STATES),
    (name, language, fn) => withChatState(stack, { name, language, look }, ({ page }) => fn(page)),
  );
  const voice = await startVoiceStack();
  try {
    await shootAll(
      "voice",
      Object.keys(VOICE_STATES),
      (name, language, fn) => withVoiceState(voice!, { name, language, look }, ({ page }) => fn(page)),
    );
  } finally {
    await voice?.close();
  }
}

async function takeForDocs(stack: WidgetStack): Promise<void> {
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
}

const stack = await startWidgetStack();
if (stack === undefined) throw new Error("This needs Chromium");
try {
  if (folder === undefined) {
    await takeForDocs(stack);
    await takeGallery(stack);
  } else await takeStates(stack);
} finally {
  await stack.close();
}
