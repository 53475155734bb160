import { join } from "node:path";
import type { BrowserContextOptions, FrameLocator, Page } from "playwright-core";
import { closeServer } from "../setup/http/close_server.ts";
import { skipped } from "../setup/skipped.ts";
import { STEP_TIMEOUT_MS } from "./find_chromium.ts";
import { type Launch, shareWidgetStack, type WidgetStack } from "./widget_stack.ts";

/** A page of another site with a chat on it. */
export interface HostPage {
  page: Page;
  /** The chat inside both iframes. */
  chat: FrameLocator;
  /** The requests over the network, with their referrers, and whether the page itself sent them. */
  requests: { url: string; referrer: string | undefined; page: boolean }[];
  /** The complaints in the consoles of page and widget. */
  complaints: string[];
  screenshot(name: string): Promise<void>;
}

export interface HostPageOptions {
  /** Attributes of the loader's script, in place of the usual ones or besides them. */
  attributes?: Record<string, string>;
  context?: BrowserContextOptions;
  /**
   * `localhost` is another site than the widget host to the browser, which lets no third-party iframe store anything in
   * the private windows that tests have; `127.0.0.1` is another origin of the same site.
   */
  hostname?: "localhost" | "127.0.0.1";
  /** Where the loader is loaded from. */
  loader?: string;
  /** Rules of the page's policy besides those that a chat needs. */
  policy?: string[];
  /** More widgets, each with its own address of the loader, in the order of the document. */
  others?: { attributes: Record<string, string>; loader: string }[];
}

/** Opens the chat and waits for its text field. */
export async function open({ page, chat }: HostPage): Promise<void> {
  await page.locator("[data-outbound-widget] .button").click();
  await chat.getByRole("textbox").waitFor();
}

/** Writes a message, as the visitor. */
export async function write({ chat }: HostPage, text: string): Promise<void> {
  await chat.getByRole("textbox").fill(text);
  await chat.getByRole("textbox").press("Enter");
}

/** Writes a message and waits until the service has it. */
export async function send(host: HostPage, text: string): Promise<void> {
  await write(host, text);
  await host.chat.locator("li.visitor:not(.pending)", { hasText: text }).waitFor();
}

const ARTIFACTS = new URL("../../artifacts", import.meta.url).pathname;

/** Returns the least that a page's policy allows for a chat, as in docs/widgets.md. The page asks the API nothing. */
function policyOf({ widgetUrl, apiUrl }: WidgetStack, more: string[]): string {
  const api = new URL(apiUrl).origin;
  return ["default-src 'none'", `script-src ${widgetUrl}`, `frame-src ${api} ${widgetUrl}`]
    .concat("base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", ...more).join(
      "; ",
    );
}

/** Calls `fn` with a page of another site that shows the demo's chat, under a strict policy. */
export async function withHostPage(
  stack: WidgetStack,
  fn: (host: HostPage) => Promise<void>,
  {
    attributes = {},
    context,
    hostname = "localhost",
    loader = `${stack.widgetUrl}/loader.js`,
    others = [],
    policy = [],
  }: HostPageOptions = {},
): Promise<void> {
  const { publishable_key, chat_widget_id } = stack.demo;
  const scripts = [{ attributes, loader }, ...others].map((script) => {
    const data = { mode: "chat", customer: publishable_key, widget: chat_widget_id, ...script.attributes };
    const text = Object.entries(data).map(([name, value]) => `data-${name}="${value}"`).join(" ");
    return `<script async src="${script.loader}" ${text}></script>`;
  }).join("\n");
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    ${scripts}</head><body><main><h1>A shop</h1>
    <p><a href="#bought">Buy</a></p></main></body></html>`;
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": policyOf(stack, policy),
  };
  const site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) =>
      url.endsWith("/shop") ? new Response(html, { headers }) : new Response(null, { status: 204 }),
  );
  const browserContext = await stack.browser.newContext(context);
  try {
    const page = await browserContext.newPage();
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    const [requests, complaints] = [[] as HostPage["requests"], [] as string[]];
    page.on("request", (request) => {
      const isPage = request.frame() === page.mainFrame();
      requests.push({ url: request.url(), referrer: request.headers().referer, page: isPage });
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(`http://${hostname}:${site.addr.port}/shop`, { waitUntil: "commit" });
    await fn({
      page,
      chat: page.frameLocator(`[data-outbound-widget="${attributes.widget ?? chat_widget_id}"] iframe`)
        .frameLocator("iframe"),
      requests,
      complaints,
      async screenshot(name) {
        await page.screenshot({ path: join(ARTIFACTS, `chat-${name}.png`) });
      },
    });
  } finally {
    await browserContext.close();
    await closeServer(site);
  }
}

/**
 * Starts one stack for all tests of the file. Returns the function that calls `fn` with a page of another site and the
 * stack, or says that `what` is skipped where there is no such browser.
 */
export function shareHostPage(launch?: Launch) {
  const shared = shareWidgetStack(launch);
  return async (
    what: string,
    fn: (host: HostPage, stack: WidgetStack) => Promise<void>,
    options: HostPageOptions = {},
  ): Promise<void> => {
    const stack = shared();
    if (!stack) return skipped(what, "no such browser found");
    await withHostPage(stack, (host) => fn(host, stack), options);
  };
}
