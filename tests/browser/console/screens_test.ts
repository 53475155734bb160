import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { eventually } from "../../setup/eventually.ts";
import { assertAccessible } from "../browser_page.ts";
import { shareConsole } from "./console_page.ts";
import { technicalTexts } from "./technical_texts.ts";
import { visitScreens } from "./visit_screens.ts";

const consoleTest = shareConsole();

const WIDE = { width: 1280, height: 720 };
const NARROW = { width: 360, height: 740 };
/** The window at a zoom of 200 %. */
const ZOOMED = { width: 640, height: 360 };

/** Fails when the page has something serious for axe, in light or dark, or is wider than its window. */
async function assertFitForAll(page: Page, screen: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await assertAccessible(page.mainFrame());
  }
  for (const size of [NARROW, ZOOMED, WIDE]) {
    await page.setViewportSize(size);
    for (const direction of ["rtl", "ltr"]) {
      await page.evaluate(`document.documentElement.dir = "${direction}"`);
      // A chart is drawn again once it has been told its new width.
      await eventually(async () => {
        const width = await page.evaluate("document.documentElement.scrollWidth");
        assert.equal(width, size.width, `${screen}, ${direction}`);
      });
    }
  }
}

Deno.test(consoleTest(
  "console: no screen has anything serious for axe, light or dark, or is wider than a phone, at 200 % or read from the right",
  async (stack, console) => {
    const { page } = console;
    const look = (screen: string) => assertFitForAll(page, screen);
    await page.getByLabel("E-mail").waitFor();
    await look("log-in");
    await page.getByRole("button", { name: "Forgot your password?" }).click();
    await look("forgotten password");
    await page.getByRole("button", { name: "Go to the log-in" }).click();
    await console.logIn();

    await visitScreens(stack, console, look);

    await console.open("campaigns");
    await page.getByRole("link", { name: /^A name/ }).first().click();
    await page.getByRole("tab", { name: "Recipients" }).click();
    await page.getByRole("region", { name: "Recipients" }).getByRole("link").first().click();
    await page.getByRole("dialog").waitFor();
    await look("recipient");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search" }).waitFor();
    await look("commands");
  },
  { viewport: WIDE, bypassCSP: true },
));

Deno.test(consoleTest(
  "console: no screen shows the name of a field or a code in its sentences",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    const found: string[] = [];
    const look = async (screen: string) => {
      for (const text of await technicalTexts(page)) found.push(`${screen}: ${text}`);
    };
    await visitScreens(stack, console, look);
    assert.deepEqual([...new Set(found)], []);
  },
  { viewport: WIDE },
));

/** Marks what gets the focus, unless that shows nowhere. The link of a row shows it around the whole row. */
const WATCH_FOCUS = `document.addEventListener("focusin", ({ target }) => {
  const outlines = [null, "::after"].map((part) => getComputedStyle(target, part).outlineStyle);
  if (outlines.some((style) => style !== "none")) target.dataset.tabbed = "";
})`;

/**
 * The controls that did not get the focus. Tabs, options and radio buttons are reached from the chosen one by arrows; of the
 * rows of a table one has to do, because others come as it is scrolled.
 */
const MISSED = `(() => {
  const root = document.querySelector("dialog[open]") ?? document;
  return [...root.querySelectorAll("a[href], button, input, select, textarea, summary")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.matches(":disabled"))
    .filter((each) => !each.closest("[role=tab], [role=option]") && !each.matches("[type=radio]:not(:checked)"))
    .filter((each) => !each.closest("tr, [role=row]") || !root.querySelector(".row-link[data-tabbed]"))
    .filter(({ dataset }) => dataset.tabbed === undefined)
    .map(({ outerHTML }) => outerHTML.slice(0, 160));
})()`;

const MAX_TABS = 400;

Deno.test(consoleTest(
  "console: every control of every screen is reached with the Tab key, and shows it",
  async (stack, console) => {
    const { page } = console;
    await console.logIn();
    await page.evaluate(WATCH_FOCUS);
    const look = async (screen: string) => {
      let missed: unknown[] = [""];
      for (let presses = 0; missed.length > 0 && presses < MAX_TABS; presses++) {
        await page.keyboard.press("Tab");
        if (presses % 20 === 19) missed = await page.evaluate(MISSED) as string[];
      }
      assert.deepEqual(missed, [], screen);
    };
    await visitScreens(stack, console, look);
  },
  { viewport: WIDE },
));
