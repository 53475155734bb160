/**
 * `deno task bench:button`: how long after its address was entered a page on slow 3G shows the button of a chat.
 *
 * @module
 */
import { parseArgs } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { print } from "../cli/terminal/print.ts";
import { findChromium } from "../tests/browser/find_chromium.ts";
import { freePorts } from "../tests/browser/free_ports.ts";
import { closeServer } from "../tests/setup/http/close_server.ts";
import { withStart } from "../tests/start/run_start.ts";
import { median } from "./setup/median.ts";

/** Slow 3G, as the developer tools of browsers have it. */
const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };

/** Frames of other sites would be processes of their own, which the emulation of a page leaves out. */
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-site-isolation-trials"];

/** The attributes of the loader's script, by the name of the row. */
const PAGES: Record<string, string> = {
  "through the hidden iframe": "",
  "with data-direct": "data-direct",
  "with data-color": 'data-color="#1f5eff"',
};

interface Visits {
  /** The first one, with an empty cache, in milliseconds. */
  cold: number;
  /** The next page of the same site. */
  warm: number;
}

async function visit(browser: Browser, url: string): Promise<Visits> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    await (await context.newCDPSession(page)).send("Network.emulateNetworkConditions", SLOW_3G);
    await page.addInitScript(
      `addEventListener("outbound:ready", () => globalThis.shownAt ??= performance.now())`,
    );
    const shown = async () => {
      await page.goto(url, { waitUntil: "commit" });
      return await (await page.waitForFunction("globalThis.shownAt")).jsonValue() as number;
    };
    const cold = await shown();
    await page.waitForLoadState("networkidle");
    return { cold, warm: await shown() };
  } finally {
    await context.close();
  }
}

const { rounds } = parseArgs({ options: { rounds: { type: "string", default: "5" } } }).values;
const folder = await Deno.makeTempDir({ prefix: "outbound-bench-" });
await withStart(
  { OUTBOUND_HOME: folder, PORT: String(freePorts()) },
  async ({ stack: { demo, widget_url } }) => {
    const browser = await chromium.launch({ executablePath: findChromium()!, args: FLAGS });
    const pageWith = (attributes: string) =>
      `<!doctype html><title>A shop</title><script async src="${widget_url}/loader.js" data-mode="chat"
      data-customer="${demo!.publishable_key}" data-widget="${demo!.chat_widget_id}" ${attributes}></script>`;
    const site = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ({ url }) => {
      const attributes = decodeURIComponent(new URL(url).search.slice(1));
      return new Response(pageWith(attributes), { headers: { "Content-Type": "text/html" } });
    });
    try {
      for (const [name, attributes] of Object.entries(PAGES)) {
        const url = `http://localhost:${site.addr.port}/?${encodeURIComponent(attributes)}`;
        await visit(browser, url);
        const visits: Visits[] = [];
        while (visits.length < Number(rounds)) visits.push(await visit(browser, url));
        const figure = (kind: keyof Visits) =>
          `${(median(visits.map((each) => each[kind])) / 1000).toFixed(2)} s`;
        print(`${name}: first page ${figure("cold")}, next page ${figure("warm")}`);
      }
    } finally {
      await browser.close();
      await closeServer(site);
    }
  },
);
await Deno.remove(folder, { recursive: true });
