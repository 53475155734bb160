import { parseColors, type WidgetColors } from "../shared/colors.ts";
import { parsePosition, type Position } from "./position.ts";
import { makeElement } from "../shared/page.ts";
import type { LoaderOptions } from "./options.ts";
import { pageOrigin } from "./host_page.ts";

/** The part of a widget's configuration that the button needs. */
export interface Theme {
  colors: WidgetColors;
  position: Position;
  /** By name, in the visitor's language; empty when they could not be loaded. */
  texts: Record<string, unknown>;
}

/** The API refused the widget: wrong key or id, or a page that is not among the allowed origins. */
export const REFUSED = Symbol("refused");

/** Reads the frame's response; invalid or missing parts become the defaults. */
function parseTheme(value: unknown): Theme | typeof REFUSED {
  if (value === "refused") return REFUSED;
  const { colors, position, texts } = (typeof value === "object" && value !== null ? value : {}) as Record<
    string,
    unknown
  >;
  return {
    colors: parseColors(colors),
    position: parsePosition(position),
    texts: typeof texts === "object" && texts !== null ? { ...texts } : {},
  };
}

/** The page in the iframe reports at once. If it has not after loading, it is an error page. */
const AFTER_LOAD_MS = 1000;
const TIMEOUT_MS = 8000;

/**
 * Loads a widget's colours, position and texts through a hidden iframe of the widget host, so that the page itself makes
 * no request to the API. Returns the defaults when a server is unavailable or the page's policy forbids the iframe.
 */
export function loadTheme(options: LoaderOptions): Promise<Theme | typeof REFUSED> {
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
    const end = (theme?: unknown) => {
      clearTimeout(timeout);
      removeEventListener("message", listen);
      frame.remove();
      resolve(parseTheme(theme));
    };
    const listen = ({ source, origin, data }: MessageEvent) => {
      if (source !== frame.contentWindow || origin !== new URL(options.host).origin) return;
      if (data?.type === "outbound:ready") isReady = true;
      if (data?.type === "outbound:theme") end(data.theme);
    };
    const timeout = setTimeout(end, TIMEOUT_MS);
    frame.addEventListener("load", () => setTimeout(() => isReady || end(), AFTER_LOAD_MS));
    addEventListener("message", listen);
    document.body.append(frame);
  });
}

/** Returns the iframe's address. The parameters are in the fragment, which no server receives. */
function sourceOf({ host, api, mode, customer, widget, lang }: LoaderOptions): string {
  const page = pageOrigin();
  const fragment = new URLSearchParams({
    ...{ mode, widget, key: customer, api },
    ...(lang && { lang }),
    ...(page && { parent: page }),
  });
  return `${host}/theme.html#${fragment}`;
}
