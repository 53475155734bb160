import { parseColors, type WidgetColors } from "../shared/apply_colors.ts";
import { parsePosition, type Position } from "../shared/positions.ts";
import type { LoaderOptions } from "./options.ts";

/** What the button needs to know of a widget's configuration. */
export interface Look {
  colors: WidgetColors;
  position: Position;
  /** By name, in the visitor's language; empty when they could not be had. */
  texts: Record<string, unknown>;
}

export const DEFAULT_LOOK: Look = { colors: parseColors({}), position: parsePosition({}), texts: {} };

/** The API said that this widget is not to be shown here: a wrong key or id, or a page it may not be on. */
export const REFUSED = Symbol("refused");

const PATIENCE_MS = 5000;

/**
 * Asks for a widget's colours, place and texts. Where that is impossible (the server is away, or the page's policy
 * forbids to ask it) the defaults do. Never throws.
 */
export async function fetchLook(options: LoaderOptions): Promise<Look | typeof REFUSED> {
  try {
    const response = await fetch(addressOf(options), {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if ([400, 401, 403, 404].includes(response.status)) return REFUSED;
    if (!response.ok) return DEFAULT_LOOK;
    const { colors, position, texts } = await response.json();
    return { colors: parseColors(colors), position: parsePosition(position), texts: texts ?? {} };
  } catch {
    return DEFAULT_LOOK;
  }
}

function addressOf({ api, mode, customer, widget, lang }: LoaderOptions): string {
  const query = new URLSearchParams(
    mode === "chat"
      ? { access_key: customer, widget_id: widget, ...(lang && { lang }) }
      : { access_key: customer, id_widget: widget, ...(lang && { language: lang }) },
  );
  return `${api}/${mode === "chat" ? "widget" : "voice-widget"}?${query}`;
}
