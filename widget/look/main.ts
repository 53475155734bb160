/**
 * Asks the API what a widget looks like and hands that to the page around this one, which makes no request to the API
 * itself.
 *
 * @module
 */
import { builtInApi } from "../shared/built_in_api.ts";
import { readFragment } from "../shared/read_fragment.ts";
import { fetchLook } from "./fetch_look.ts";

const { api: given, parent: page, language, get } = readFragment(location.hash);
const api = builtInApi() ?? given;
const [mode, key, widget] = [get("mode"), get("key"), get("widget")];

/** A page that has no origin can be reached by `*` alone. A look holds no secret, and the API knows of such a page. */
function tell(message: { type: string; look?: unknown }): void {
  if (parent !== window) parent.postMessage(message, page ?? "*");
}

tell({ type: "outbound:ready" });
if (api && key && widget && (mode === "chat" || mode === "voice")) {
  const look = await fetchLook({ api, mode, key, widget, language, page: page ?? "null" });
  tell({ type: "outbound:look", look });
}
