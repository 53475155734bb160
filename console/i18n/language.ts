import { computed, signal } from "@preact/signals";
import { readPreference } from "../data/preferences.ts";
import type { Words } from "./en.ts";
import { localeOf } from "./plural.ts";

interface LanguageFile {
  name: string;
  load: () => Promise<{ words: Words }>;
}

/** The languages of the console. A new one is a line here, and its file of words. */
export const LANGUAGES = {
  en: { name: "English", load: () => import("./en.ts") },
  es: { name: "Español", load: () => import("./es.ts") },
  pt: { name: "Português", load: () => import("./pt.ts") },
} satisfies Record<string, LanguageFile>;

export type Language = keyof typeof LANGUAGES;

/** The languages by their names, to choose from. */
export const LANGUAGE_NAMES = Object.entries(LANGUAGES).map(([code, { name }]) =>
  [code as Language, name] as const
);

/** The member's choice, or the browser's language, or English. */
export const language = signal<Language>(firstKnown([readPreference("language"), ...navigator.languages]));

/** The scripts of these run from right to left. */
const RIGHT_TO_LEFT: ReadonlySet<string> = new Set(["ar", "fa", "he", "ur"]);

/** Returns the direction in which a language is read. */
export function directionOf(code: string): "ltr" | "rtl" {
  return RIGHT_TO_LEFT.has(code) ? "rtl" : "ltr";
}

/** The language with its region. */
export const locale = computed(() => localeOf(language.value));

function firstKnown(wanted: (string | null)[]): Language {
  const codes = wanted.map((each) => each?.split("-")[0]);
  return codes.find((code): code is Language => code !== undefined && Object.hasOwn(LANGUAGES, code)) ?? "en";
}
