import {
  DEFAULT_HOURS,
  HOURS_PRESETS,
  PRESET_COUNTRIES,
  type PresetHours,
} from "../../supabase/functions/_shared/scheduling/hours_presets.ts";
import { describeWindows } from "../../supabase/functions/_shared/scheduling/week_windows.ts";
import { type Column, renderTable } from "../terminal/render.ts";
import type { CommandOutput } from "../session.ts";

interface PresetRow extends PresetHours {
  /** `others` for countries without a preset. */
  country: string;
  channel: "any" | "voice" | "whatsapp";
  strength: string;
  about: string;
  source: string;
}

const OTHERS: PresetRow = {
  country: "others",
  channel: "any",
  ...DEFAULT_HOURS,
  strength: "vendor's advice",
  about: "marketing SMS worldwide",
  source: "help.getvero.com",
};

const COLUMNS: Column<PresetRow>[] = [
  ["COUNTRY", ({ country }) => country],
  ["CHANNEL", ({ channel }) => channel],
  ["HOURS", ({ windows }) => describeWindows(windows)],
  ["HOLIDAYS", ({ holidays }) => holidays ? "closed" : "open"],
  ["STRENGTH", ({ strength }) => strength],
  ["MADE FOR", ({ about }) => about],
  ["SOURCE", ({ source }) => source],
];

/** Returns all presets with their sources. */
export function listPresets(): CommandOutput {
  const rows = [...PRESET_COUNTRIES.flatMap(rowsOf), OTHERS];
  const text = `${renderTable(COLUMNS, rows, "")}\n\nPresets are a start, not legal advice.`;
  return { json: { presets: rows }, text };
}

function rowsOf(country: typeof PRESET_COUNTRIES[number]): PresetRow[] {
  const { calls, messages, ...facts } = HOURS_PRESETS[country];
  if (calls === messages) return [{ country, channel: "any", ...calls, ...facts }];
  return [
    { country, channel: "voice", ...calls, ...facts },
    { country, channel: "whatsapp", ...messages, ...facts },
  ];
}
