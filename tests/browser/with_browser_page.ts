import assert from "node:assert/strict";
import { type Browser, chromium, type Page } from "playwright-core";
import { skipped } from "../setup/skipped.ts";
import { findChromium } from "./find_chromium.ts";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"];

export interface PageOptions {
  /** What is skipped where there is no browser. */
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
