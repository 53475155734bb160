import { parseColors, type WidgetColors } from "../shared/apply_colors.ts";
import { parsePosition, type Position } from "../shared/positions.ts";

/** What the button needs to know of a widget's configuration. */
export interface Look {
  colors: WidgetColors;
  position: Position;
  /** By name, in the visitor's language; empty when they could not be had. */
  texts: Record<string, unknown>;
}

/** The API said that this widget is not to be shown here: a wrong key or id, or a page it may not be on. */
export const REFUSED = Symbol("refused");

/** Takes what can be used of an answer, and the defaults for the rest. */
export function parseLook(value: unknown): Look | typeof REFUSED {
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
