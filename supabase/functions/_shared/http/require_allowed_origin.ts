import { AppError } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { baseUrl } from "./base_url.ts";

/**
 * Refuses a browser's request from a page that a widget may not be shown on. Besides the widget's own list, the widget
 * host and this service are always allowed: they are where the widget's iframes come from. Requests without an `Origin`
 * are not a page's. Throws `forbidden`.
 */
export function requireAllowedOrigin(c: AppContext, allowed: string[]): void {
  const origin = c.req.header("Origin");
  if (origin === undefined || allowed.length === 0 || allowed.includes(origin)) return;
  const widgetUrl = c.var.services.env.WIDGET_URL;
  const own = [baseUrl(c), ...(widgetUrl ? [widgetUrl] : [])].map((url) => new URL(url).origin);
  if (!own.includes(origin)) throw new AppError("forbidden", "This widget may not be used on this page");
}
