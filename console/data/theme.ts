import { effect, signal } from "@preact/signals";
import { readPreference, writePreference } from "./preferences.ts";

/** `system` follows the system's light or dark; `contrast` is high contrast in either. */
export const THEMES = ["system", "light", "dark", "contrast"] as const;

export type Theme = typeof THEMES[number];

export const theme = signal<Theme>(THEMES.find((each) => each === readPreference("theme")) ?? "system");

/** Changes the theme, for this browser. */
export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  writePreference("theme", chosen);
}

effect(() => {
  document.documentElement.dataset.theme = theme.value;
});
