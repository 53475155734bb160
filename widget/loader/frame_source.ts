import type { LoaderOptions } from "./options.ts";
import { pageOrigin } from "./page_origin.ts";

/** The address of the page in the iframe. What only a browser needs to know stands behind the #, which no server sees. */
export function frameSource(options: LoaderOptions): string {
  const { api, customer, widget, lang, showClose } = options;
  if (options.mode === "chat") {
    const query = new URLSearchParams({
      customer_id: customer,
      widget_id: widget,
      showClose: String(showClose),
    });
    if (lang) query.set("lang", lang);
    const page = pageOrigin();
    return `${api}/widgetWebView?${query}${page ? `#${new URLSearchParams({ page })}` : ""}`;
  }
  const fragment = new URLSearchParams({ widget, key: customer, api, showClose: String(showClose) });
  if (lang) fragment.set("lang", lang);
  return `${options.host}/voice.html#${fragment}`;
}
