import assert from "node:assert/strict";
import axe from "axe-core";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import { skipped } from "../setup/skipped.ts";
import { findChromium } from "./find_chromium.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

export interface PageOptions {
  /** The check that is skipped where there is no browser. */
  what: string;
  viewport?: { width: number; height: number } | undefined;
}

/** Calls `fn` with a page in a browser; fails when the page logs an error. */
export async function withBrowserPage(
  { what, viewport = { width: 1280, height: 800 } }: PageOptions,
  fn: (page: Page) => Promise<void>,
): Promise<void> {
  const executablePath = findChromium();
  if (executablePath === undefined) return skipped(what, "no Chromium found");
  const browser: Browser = await chromium.launch({ executablePath, args: FLAGS });
  try {
    const page = await browser.newPage({ viewport });
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await fn(page);
    assert.deepEqual(errors, []);
  } finally {
    await browser.close();
  }
}

/** Fails when axe-core finds something serious or critical in a frame. */
export async function assertAccessible(frame: Frame): Promise<void> {
  await frame.evaluate(axe.source);
  const found = await frame.evaluate(
    `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`,
  );
  assert.deepEqual(found, []);
}
