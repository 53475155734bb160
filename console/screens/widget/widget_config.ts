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
  chat: ["typing", "names", "files", "emoji", "rating", "sound", "title_blink"],
  voice: ["transcript", "feedback", "text_input", "handoff"],
} as const;

export type FeatureName = typeof FEATURES["chat" | "voice"][number];

/** All others are on by default. */
export const OFF_BY_DEFAULT: FeatureName[] = ["sound", "title_blink"];

/** Modes of the machine that replies first in a chat; `off` is the default. */
export const ASSISTANT_MODES = ["off", "search", "agent"] as const;

/** After how many minutes a chat asks for an e-mail address, and reports an unread reply; with the defaults. */
export const FOLLOW_UP = { ask_after_minutes: 5, send_after_minutes: 10 };

/** The days of the week, as office hours name them. */
export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;

/** When members reply. */
export interface OfficeHours {
  timezone: string;
  /** Of each day the times, each from and until. */
  days: Partial<Record<typeof DAYS[number], string[][]>>;
  holidays?: string[];
}

/** Texts by language and name. */
export type Texts = Record<string, Record<string, string>>;

/** A text that the chat offers with the welcome, and what it writes by itself once a visitor has chosen it. */
export interface QuickReply {
  text: string;
  reply?: string;
}

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
  /** By language. */
  quick_replies?: Record<string, QuickReply[]>;
  assistant?: { mode?: typeof ASSISTANT_MODES[number]; agent_id?: string };
  animation?: Partial<typeof ANIMATION>;
  agent_id?: string;
  connection?: string;
  office_hours?: OfficeHours | null;
  follow_up?: Partial<typeof FOLLOW_UP> | null;
  consent?: { text: string; link?: string | null } | null;
}

/** Returns the language that visitors get whose own is not available. */
export function defaultLanguage({ default_language = "en" }: WidgetConfig): string {
  return default_language;
}
