import type { Page } from "playwright-core";
import { closeServer } from "../setup/http/close_server.ts";
import { STEP_TIMEOUT_MS } from "./find_chromium.ts";
import type { WidgetStack } from "./widget_stack.ts";

/** The nonce of the page's policy. */
export const NONCE = "bm9uY2U";

/** Policies of a page that allow its own scripts, and with them the widgets, by a nonce. */
export const POLICIES = {
  /** Scripts that a script with the nonce adds may run. */
  strictDynamic: `script-src 'nonce-${NONCE}' 'strict-dynamic'`,
  /** Each script needs the nonce. */
  nonce: `script-src 'nonce-${NONCE}'`,
};

/** A page of another site. */
export interface PackagePage {
  page: Page;
  /** The complaints in the consoles of page and widget, among them those about the policy. */
  complaints: string[];
}

/** Calls `fn` with a page that runs a bundled program under a policy and requires trusted types. */
export async function withPackagePage(
  stack: WidgetStack,
  { program = "", policy, body = "" }: { program?: string; policy: string; body?: string },
  fn: (page: PackagePage) => Promise<void>,
): Promise<void> {
  const headers = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": [
      ...["default-src 'none'", policy, `frame-src ${stack.widgetUrl} ${new URL(stack.apiUrl).origin}`],
      ...["base-uri 'none'", "require-trusted-types-for 'script'", "trusted-types outbound-widget"],
    ].join("; "),
  };
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A shop</title></head>
    <body><main><h1>A shop</h1>${body}</main><script type="module" nonce="${NONCE}" src="/program.js"></script>
    </body></html>`;
  const site = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) =>
      url.endsWith(".js")
        ? new Response(program, { headers: { "Content-Type": "text/javascript" } })
        : url.endsWith("/shop")
        ? new Response(html, { headers })
        : new Response(null, { status: 204 }),
  );
  const context = await stack.browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(STEP_TIMEOUT_MS);
    const complaints: string[] = [];
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await page.goto(`http://localhost:${site.addr.port}/shop`, { waitUntil: "commit" });
    await fn({ page, complaints });
  } finally {
    await context.close();
    await closeServer(site);
  }
}
