import { makeElement } from "../shared/page.ts";
import { fetchTheme, themeUrl } from "../theme/fetch_theme.ts";
import { pageOrigin } from "./host_page.ts";
import type { LoaderOptions } from "./options.ts";

/** How a widget looks, as far as that could be found out. */
export interface LoadedLook {
  /** `refused` by the API: wrong key or id, or a page that is not among the allowed origins. */
  state: "loaded" | "refused" | "unavailable";
  /** As the API has it. When it is unavailable, texts in the page's language at most. */
  look?: unknown;
}

/** The page in the iframe reports at once. If it has not after loading, it is an error page. */
const AFTER_LOAD_MS = 1000;
const TIMEOUT_MS = 8000;

/**
 * Loads a widget's look: from the API, on a page that says with `data-direct` that its policy allows that; otherwise, or
 * when that fails, through a hidden iframe, so that the page itself makes no request to the API. The API's own iframe saves
 * a chat a round trip. The one of the widget host follows where that fails, and says how.
 *
 * @param pageLanguage of the texts, where the company's own cannot be loaded
 */
export async function loadLook(options: LoaderOptions, pageLanguage: string): Promise<LoadedLook> {
  const { api, host, mode, customer: key, widget, lang = "", direct } = options;
  const page = pageOrigin();
  const request = { api, mode, key, widget, language: lang, page: page ?? "null" };
  if (direct) {
    const look = await fetchTheme(request);
    if (look !== undefined) return loaded(look);
  } else if (mode === "chat") {
    const found = await askFrame(themeUrl(request, "widget/look"));
    if (found.look !== undefined) return found;
  }
  // No server receives what follows the #.
  const fragment = { mode, widget, key, api, lang, page_lang: pageLanguage, parent: page ?? "" };
  return await askFrame(`${host}/theme.html#${new URLSearchParams(fragment)}`);
}

function loaded(look: unknown): LoadedLook {
  return look === "refused" ? { state: look } : { state: "loaded", look };
}

/** Loads a page in a hidden iframe, until it posts the look or why there is none. */
function askFrame(src: string): Promise<LoadedLook> {
  const frame = makeElement("iframe", {
    hidden: true,
    referrerpolicy: "no-referrer",
    src,
  });
  return new Promise((resolve) => {
    let isReady = false;
    const end = (found: LoadedLook) => {
      clearTimeout(timeout);
      removeEventListener("message", listen);
      frame.remove();
      resolve(found);
    };
    const listen = ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.contentWindow || origin !== new URL(src).origin) return;
      if (data?.type === "outbound:ready") isReady = true;
      if (data?.type !== "outbound:theme") return;
      const { theme, texts } = data;
      end(theme === undefined ? { state: "unavailable", look: { texts } } : loaded(theme));
    };
    const fail = () => end({ state: "unavailable" });
    const timeout = setTimeout(fail, TIMEOUT_MS);
    frame.addEventListener("load", () => setTimeout(() => isReady || fail(), AFTER_LOAD_MS));
    addEventListener("message", listen);
    document.body.append(frame);
  });
}
