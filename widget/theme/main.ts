/**
 * Fetches a widget's theme for the embedding page, so that the page itself makes no request to the API. It stands in its
 * page, which saves the button a round trip.
 *
 * @module
 */
import { readFragment } from "../shared/urls.ts";
import { builtInApi } from "../shared/page.ts";
import { fallbackTexts } from "./fallback_texts.ts";
import { fetchTheme } from "./fetch_theme.ts";

const { api: given, parent: page, language, get } = readFragment(location.hash);
const api = builtInApi() ?? given;
const [mode, key, widget] = [get("mode"), get("key"), get("widget")];

/** Sends a message to the embedding page. A page without an origin needs `*`; a theme contains no secret. */
function post(message: { type: string; theme?: unknown; texts?: Record<string, string> }): void {
  if (parent !== window) parent.postMessage(message, page ?? "*");
}

post({ type: "outbound:ready" });
if (api && key && widget && (mode === "chat" || mode === "voice")) {
  const theme = await fetchTheme({ api, mode, key, widget, language, page: page ?? "null" });
  const texts = theme === undefined &&
    fallbackTexts(mode, get("page_lang") || language || navigator.language);
  post({ type: "outbound:theme", theme, ...(texts && { texts }) });
}
