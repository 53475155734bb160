import { makeElement } from "../shared/make_element.ts";
import { type Look, parseLook, type REFUSED } from "./look.ts";
import type { LoaderOptions } from "./options.ts";
import { pageOrigin } from "./page_origin.ts";

/** The page in the iframe reports at once; one that has not after it has loaded is an error page of some kind. */
const AFTER_LOAD_MS = 1000;
const TIMEOUT_MS = 8000;

/**
 * Asks for a widget's colours, place and texts, through an iframe of the widget host that nobody sees: the page itself
 * makes no request to the API. Where that is impossible (a server is away, or the page's policy forbids the iframe), the
 * defaults are used.
 */
export function askLook(options: LoaderOptions): Promise<Look | typeof REFUSED> {
  const frame = makeElement("iframe", {
    hidden: true,
    title: "",
    "aria-hidden": "true",
    tabindex: -1,
    referrerpolicy: "no-referrer",
    src: sourceOf(options),
  });
  return new Promise((resolve) => {
    let isReady = false;
    const end = (look?: unknown) => {
      clearTimeout(timeout);
      removeEventListener("message", listen);
      frame.remove();
      resolve(parseLook(look));
    };
    const listen = ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.contentWindow || origin !== new URL(options.host).origin) return;
      if (data?.type === "outbound:ready") isReady = true;
      if (data?.type === "outbound:look") end(data.look);
    };
    const timeout = setTimeout(end, TIMEOUT_MS);
    frame.addEventListener("load", () => setTimeout(() => isReady || end(), AFTER_LOAD_MS));
    addEventListener("message", listen);
    document.body.append(frame);
  });
}

/** What only a browser needs to know stands behind the #, which no server sees. */
function sourceOf({ host, api, mode, customer, widget, lang }: LoaderOptions): string {
  const page = pageOrigin();
  const fragment = new URLSearchParams({
    ...{ mode, widget, key: customer, api },
    ...(lang && { lang }),
    ...(page && { parent: page }),
  });
  return `${host}/look.html#${fragment}`;
}
