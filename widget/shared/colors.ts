/** A colour as `#rrggbb`, the only form a widget's configuration may have. */
export type Color = `#${string}`;

/** Returns whether a value is a colour in that form. */
export function isColor(value: unknown): value is Color {
  return typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value);
}

/** Returns whether light text is easier to read on the colour than dark text. */
export function isDark(color: Color): boolean {
  return contrast(color, "#ffffff") > contrast(color, "#000000");
}

/** Returns the contrast of two colours as WCAG 2 defines it, from 1 (none) to 21. */
export function contrast(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Mixes two colours: `share` of the first, from 0 to 1, and the rest of the second. */
export function mix(one: Color, other: Color, share: number): Color {
  const [a, b] = [channels(one), channels(other)];
  const mixed = a.map((value, index) => Math.round(value * share + b[index]! * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Returns the wanted colour if it is readable on the background. Otherwise moves it towards black or white, only as far
 * as needed: a company may choose any colour, but visitors must be able to read.
 *
 * @param ratio 4.5 for text, 3 for large text and for shapes (WCAG 2.2, 1.4.3 and 1.4.11)
 */
export function readableOn(background: Color, wanted: Color, ratio = 4.5): Color {
  const end = isDark(background) ? "#ffffff" : "#000000";
  for (let share = 1; share > 0; share -= 0.1) {
    const color = mix(wanted, end, share);
    if (contrast(color, background) >= ratio) return color;
  }
  return end;
}

/** Returns the wanted colour if text in it is readable on the background, otherwise black or white. */
export function textOn(background: Color, wanted: Color): Color {
  if (contrast(background, wanted) >= 4.5) return wanted;
  return isDark(background) ? "#ffffff" : "#000000";
}

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channels(color: Color): number[] {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
}

/** The colours of a widget's configuration. */
export interface WidgetColors {
  primary: Color;
  secondary: Color;
  background: Color;
  text: Color;
  accent: Color;
}

/** An HTML element, as far as it is needed here. */
interface StyledElement {
  style: { setProperty(name: string, value: string): void };
}

const DEFAULTS: WidgetColors = {
  primary: "#1f5eff",
  secondary: "#eef2ff",
  background: "#ffffff",
  text: "#1c1e21",
  accent: "#0b7a4b",
};

/** Reads the colours of a configuration; invalid or missing ones become the defaults. */
export function parseColors(value: unknown): WidgetColors {
  return { ...DEFAULTS, ...chosenColors(value) };
}

function chosenColors(value: unknown): Partial<WidgetColors> {
  const given = Object(value) as Record<string, unknown>;
  const chosen = Object.keys(DEFAULTS).filter((name) => isColor(given[name])).map((
    name,
  ) => [name, given[name]]);
  return Object.fromEntries(chosen);
}

/** Nearly black, so that shadows and borders still show on it. */
const NIGHT = "#15171b";

/**
 * Returns the colours for dark: those that the company chose for it, the rest derived from its colours for light, readable
 * on the dark background. Colours that are dark already stay.
 *
 * @param own the `dark_colors` of a configuration; invalid ones are left out
 */
export function darkColors(colors: WidgetColors, own?: unknown): WidgetColors {
  const chosen = chosenColors(own);
  const isNight = isDark(colors.background);
  const background = chosen.background ?? (isNight ? colors.background : mix(colors.primary, NIGHT, 0.06));
  const derived = isNight ? colors : {
    primary: readableOn(background, colors.primary, 3),
    secondary: mix("#ffffff", background, 0.11),
    text: textOn(background, "#e9ebee"),
    accent: readableOn(background, colors.accent),
  };
  return { ...derived, ...chosen, background };
}

/** Two colours of a configuration that are hard to tell apart where both are shown. */
export interface UnreadablePair {
  /** The colour that `better` would replace. */
  name: keyof WidgetColors;
  /** The colour that it is shown with. */
  against: keyof WidgetColors;
  /** The contrast that they have, and that they need. */
  ratio: number;
  needed: number;
  /** The nearest colour in place of `name` that is readable. */
  better: Color;
}

/** The pairs that are shown together, with the contrast that each needs: 4.5 for text, 3 for shapes. */
const PAIRS: [name: keyof WidgetColors, against: keyof WidgetColors, needed: number][] = [
  ["text", "background", 4.5],
  ["secondary", "text", 4.5],
  ["accent", "background", 4.5],
  ["primary", "background", 3],
];

/** Returns the pairs whose contrast is too low. Visitors see readable colours in their place. */
export function unreadablePairs(colors: WidgetColors): UnreadablePair[] {
  return PAIRS.map(([name, against, needed]) => ({
    name,
    against,
    needed,
    ratio: contrast(colors[name], colors[against]),
    better: readableOn(colors[against], colors[name], needed),
  })).filter(({ ratio, needed }) => ratio < needed);
}

/**
 * Sets the colours as CSS variables of an element, with readable text colours for each: `--primary` and `--on-primary`,
 * `--secondary` and `--on-secondary`, `--background`, `--text`, `--muted` (secondary text), `--line` (visible borders),
 * `--accent` (text and shapes on the background), `--rim` (the border of what stands on the page, which may have any
 * colour). It uses the CSSOM, which no Content-Security-Policy forbids.
 */
export function applyColors(element: StyledElement, colors: WidgetColors): void {
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
    rim: mix(primary, isDark(primary) ? "#ffffff" : "#000000", 0.7),
  };
  for (const [name, value] of Object.entries(variables)) element.style.setProperty(`--${name}`, value);
  element.style.setProperty("color-scheme", isDark(background) ? "dark" : "light");
}
