import type { LauncherIcon } from "../../../supabase/functions/_shared/widgets/launcher_icons.ts";

/** The colours of a widget, with their defaults. */
export const COLORS = {
  primary: "#1f5eff",
  secondary: "#eef2ff",
  background: "#ffffff",
  text: "#1c1e21",
  accent: "#0b7a4b",
} as const;

export type ColorName = keyof typeof COLORS;

export const PLACEMENTS = ["bottom-right", "bottom-left", "top-right", "top-left"] as const;

export type Placement = typeof PLACEMENTS[number];

/** Where the button is, with the defaults. */
export const POSITION = { placement: "bottom-right" as Placement, offset_x: 20, offset_y: 20, size: 60 };

/** How a voice widget moves, with the defaults. */
export const ANIMATION = { type: "orb", speed: 1, intensity: 0.6 };

export const ANIMATIONS = ["orb", "pulse", "none"] as const;

export const APPEARANCES = ["light", "dark", "auto"] as const;

export type AppearanceName = typeof APPEARANCES[number];

/** A message that the page shows beside the button by itself. */
export interface ProactiveMessage {
  /** By language. */
  texts: Record<string, string>;
  path?: string;
  delay_s?: number;
}

/** The API's limit. */
export const MAX_PROACTIVE = 10;

/** The features of each kind. */
export const FEATURES = {
  chat: ["typing", "sound", "title_blink"],
  voice: ["transcript", "feedback", "text_input", "handoff"],
} as const;

export type FeatureName = typeof FEATURES["chat" | "voice"][number];

/** All others are on by default. */
export const OFF_BY_DEFAULT: FeatureName[] = ["sound", "title_blink"];

/** Texts by language and name. */
export type Texts = Record<string, Record<string, string>>;

/** A widget's configuration as docs/widgets.md describes it: whatever is left out follows the defaults. */
export interface WidgetConfig {
  default_language?: string;
  texts?: Texts;
  appearance?: AppearanceName;
  colors?: Partial<Record<ColorName, string>>;
  dark_colors?: Partial<Record<ColorName, string>>;
  launcher?: { icon?: LauncherIcon; path?: string };
  /** Undefined, when the member has removed it. */
  logo?: string | undefined;
  proactive?: ProactiveMessage[];
  position?: Partial<typeof POSITION>;
  features?: Partial<Record<FeatureName, boolean>>;
  animation?: Partial<typeof ANIMATION>;
  agent_id?: string;
  connection?: string;
}

/** Returns the language that visitors get whose own is not available. */
export function defaultLanguage({ default_language = "en" }: WidgetConfig): string {
  return default_language;
}
