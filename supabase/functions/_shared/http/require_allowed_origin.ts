import { AppError } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { baseUrl } from "./base_url.ts";

/**
 * Refuses a browser's request from a page that a widget may not be shown on. Besides the widget's own list, the widget
 * host and this service are always allowed: they are where the widget's iframes come from. The voice widget's iframe says
 * in `page_origin` which page it is on, which that page cannot change. Requests without either are not a page's. Throws
 * `forbidden`.
 */
export function requireAllowedOrigin(c: AppContext, allowed: string[]): void {
  if (allowed.length === 0) return;
  const { WIDGET_URL } = c.var.services.env;
  const own = [baseUrl(c), ...(WIDGET_URL ? [WIDGET_URL] : [])].map((url) => new URL(url).origin);
  for (const origin of [c.req.header("Origin"), c.req.query("page_origin")]) {
    if (origin === undefined || allowed.includes(origin) || own.includes(origin)) continue;
    throw new AppError("forbidden", "This widget may not be used on this page");
  }
}
