import { html, raw } from "hono/html";
import { scriptJson } from "../_shared/http/app/inline_script.ts";
import type { KnownWidget } from "../_shared/http/guards/require_widget.ts";
import type { describeChatWidget } from "../_shared/widgets/describe_widget.ts";
import { PAGE_SCRIPT } from "./page_script.ts";

export interface WebView {
  widget: KnownWidget;
  described: ReturnType<typeof describeChatWidget>;
  baseUrl: string;
  widgetUrl: string;
  showClose: boolean;
  nonce: string;
}

const STYLE = "html,body{margin:0;height:100%}iframe{display:block;width:100%;height:100%;border:0}";

/** The frame takes the appearance that the chat in it has, so that the browser paints no light behind a dark chat. */
const SCHEMES = { light: "light", dark: "dark", auto: "light dark" };

/** Returns the page. `html` escapes everything but `raw`; the script reads its data from a block of JSON. */
export function webViewPage(view: WebView): ReturnType<typeof html> {
  const { described, nonce } = view;
  return html`
    <!doctype html>
    <html lang="${described.language}">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>${described.texts.title}</title>
        <style nonce="${nonce}">${raw(`:root{color-scheme:${SCHEMES[described.appearance]}}${STYLE}`)}</style>
      </head>
      <body>
        <iframe id="chat" title="${described.texts.title}" src="${chatUrl(
          view,
        )}" referrerpolicy="no-referrer"></iframe>
        <script type="application/json" id="data">${raw(scriptData(view))}</script>
        <script nonce="${nonce}">${raw(PAGE_SCRIPT)}</script>
      </body>
    </html>
  `;
}

/** Returns the iframe's address. It contains no secret: the iframe requests the rest. */
function chatUrl({ widgetUrl, baseUrl, showClose, described }: WebView): string {
  const url = new URL("chat.html", widgetUrl.endsWith("/") ? widgetUrl : `${widgetUrl}/`);
  url.hash = new URLSearchParams({
    showClose: String(showClose),
    lang: described.language,
    api: baseUrl,
    parent: new URL(baseUrl).origin,
  }).toString();
  return url.href;
}

/** Returns the data of the script, as JSON. */
function scriptData({ widget, described, baseUrl, widgetUrl, showClose }: WebView): string {
  const data = {
    widgetOrigin: new URL(widgetUrl).origin,
    showClose,
    userKey: `outbound:user:${widget.companyId}`,
    storagePrefix: `outbound:chat:${widget.id}:`,
    widget: { ...described, access_key: widget.key, base_url: baseUrl },
    customer: { company_id: widget.companyId, company_name: widget.companyName },
  };
  return scriptJson(data);
}

/**
 * Returns the page's policy: its one script, its one style and the chat's iframe. There is no `frame-ancestors` for a widget
 * that may be shown anywhere, because even `*` would exclude pages that are files.
 */
export function contentSecurityPolicy(nonce: string, widgetUrl: string, allowedOrigins: string[]): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    `frame-src ${new URL(widgetUrl).origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    ...(allowedOrigins.length > 0 ? [`frame-ancestors ${allowedOrigins.join(" ")}`] : []),
  ].join("; ");
}
