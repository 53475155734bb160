/** A colour as `#rrggbb`, the only form a widget's configuration may have. */
export type Color = `#${string}`;

/** Whether a value is a colour we can reckon with. */
export function isColor(value: unknown): value is Color {
  return typeof value === "string" && /^#[0-9a-f]{6}$/i.test(value);
}

/** Whether light text reads better on it than dark text. */
export function isDark(color: Color): boolean {
  return contrast(color, "#ffffff") > contrast(color, "#000000");
}

/** The contrast of two colours as WCAG 2 reckons it, from 1 (none) to 21. */
export function contrast(one: Color, other: Color): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** `share` of the first colour, from 0 to 1, and the rest of the second. */
export function mix(one: Color, other: Color, share: number): Color {
  const [a, b] = [channels(one), channels(other)];
  const mixed = a.map((value, index) => Math.round(value * share + b[index]! * (1 - share)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * The colour itself where it can be read on the background, otherwise moved towards black or white only as far as it
 * takes: a company chooses its colours, but not that its visitors cannot read.
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

/** The colour itself where it can be read on the background as text, otherwise black or white, whichever can. */
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
