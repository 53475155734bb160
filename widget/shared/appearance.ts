import { applyColors, darkColors, parseColors, type WidgetColors } from "./colors.ts";

/** The colours of a widget, and when it uses which. */
export interface Appearance {
  when: "light" | "dark" | "auto";
  light: WidgetColors;
  dark: WidgetColors;
}

/** Reads `appearance`, `colors` and `dark_colors` of a configuration; invalid or missing parts become the defaults. */
export function parseAppearance(value: unknown): Appearance {
  const { appearance, colors, dark_colors } = (value ?? {}) as Record<string, unknown>;
  const light = parseColors(colors);
  return {
    when: appearance === "dark" || appearance === "auto" ? appearance : "light",
    light,
    dark: darkColors(light, dark_colors),
  };
}

/**
 * Sets the colours as CSS variables of an element, and again whenever the device changes between light and dark. Returns a
 * function that ends this.
 */
export function followAppearance(element: HTMLElement, { when, light, dark }: Appearance): () => void {
  const device = matchMedia("(prefers-color-scheme: dark)");
  const apply = () =>
    applyColors(element, when === "dark" || (when === "auto" && device.matches) ? dark : light);
  apply();
  device.addEventListener("change", apply);
  return () => device.removeEventListener("change", apply);
}
