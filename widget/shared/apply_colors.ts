import { type Color, isColor, isDark, mix, readableOn, textOn } from "./colors.ts";

/** The colours of a widget's configuration. */
export interface WidgetColors {
  primary: Color;
  secondary: Color;
  background: Color;
  text: Color;
  accent: Color;
}

const DEFAULTS: WidgetColors = {
  primary: "#1f5eff",
  secondary: "#eef2ff",
  background: "#ffffff",
  text: "#1c1e21",
  accent: "#0b7a4b",
};

/** Takes the colours that are ones and the defaults for the others. */
export function parseColors(value: unknown): WidgetColors {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const chosen = Object.keys(DEFAULTS).filter((name) => isColor(given[name])).map((
    name,
  ) => [name, given[name]]);
  return { ...DEFAULTS, ...Object.fromEntries(chosen) };
}

/**
 * Sets the colours as CSS variables of an element, with what is written on each made readable: `--primary` and
 * `--on-primary`, `--secondary` and `--on-secondary`, `--background`, `--text`, `--muted` (lesser text), `--line`
 * (borders one must see), `--accent` (as text and shape on the background). Set through the CSSOM, which no
 * Content-Security-Policy forbids.
 */
export function applyColors(element: HTMLElement, colors: WidgetColors): void {
  const { primary, secondary, background } = colors;
  const text = textOn(background, colors.text);
  const variables: Record<string, string> = {
    primary,
    "on-primary": textOn(primary, isDark(primary) ? "#ffffff" : "#111111"),
    secondary,
    "on-secondary": textOn(secondary, colors.text),
    background,
    text,
    muted: readableOn(background, mix(text, background, 0.65)),
    line: readableOn(background, mix(text, background, 0.3), 3),
    accent: readableOn(background, colors.accent),
    focus: readableOn(background, colors.primary, 3),
  };
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(`--${name}`, value);
  element.style.setProperty("color-scheme", isDark(background) ? "dark" : "light");
}
