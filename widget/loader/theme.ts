import { type Appearance, parseAppearance } from "../shared/appearance.ts";
import { parsePosition, type Position } from "./position.ts";
import { parseProactive, type ProactiveMessage } from "./proactive.ts";

/** The part of a widget's configuration that the page needs before the widget is opened. */
export interface Theme {
  appearance: Appearance;
  position: Position;
  /** By name, in the visitor's language; empty when they could not be loaded. */
  texts: Record<string, unknown>;
  /** The button's icon as SVG paths; empty for the usual one. */
  icon: string[];
  proactive: ProactiveMessage[];
  /** How to call a visitor who is elsewhere: both off by default. */
  features: { sound: boolean; titleBlink: boolean };
}

/** Reads the look that the API or the last visit has; invalid or missing parts become the defaults. */
export function parseTheme(value: unknown): Theme {
  const look: Record<string, unknown> = Object(value);
  const { paths } = Object(look.launcher);
  const features = Object(look.features);
  return {
    appearance: parseAppearance(look),
    position: parsePosition(look.position),
    texts: Object(look.texts),
    // A path can only draw, whatever its text is.
    icon: Array.isArray(paths) ? paths.map(String) : [],
    proactive: parseProactive(look.proactive),
    features: { sound: features.sound === true, titleBlink: features.title_blink === true },
  };
}
