import { computed, signal } from "@preact/signals";
import { readPreference, writePreference } from "../data/preferences.ts";

/** The languages of the console. */
export const LANGUAGES = { en: "English", es: "Español" } as const;

export type Language = keyof typeof LANGUAGES;

/** A text in every language. */
export type Text = Record<Language, string>;

/** The person's choice, or the browser's language, or English. */
export const language = signal<Language>(firstKnown([readPreference("language"), ...navigator.languages]));

/** Changes the language, for this browser. */
export function chooseLanguage(chosen: Language): void {
  language.value = chosen;
  writePreference("language", chosen);
}

/** With the region the browser prefers, so that dates and numbers look as the person is used to. */
export const locale = computed(() =>
  navigator.languages.find((each) => each.startsWith(language.value)) ?? language.value
);

/**
 * Returns the words of a part or a screen. A word that one language lacks does not compile.
 *
 * ```ts
 * const words = defineWords({ title: "Senders" }, { title: "Remitentes" });
 * <h1>{words().title}</h1>
 * ```
 */
export function defineWords<W>(en: W, es: NoInfer<W>): () => W {
  const all: Record<Language, W> = { en, es };
  return () => all[language.value];
}

function firstKnown(wanted: (string | null)[]): Language {
  const codes = wanted.map((each) => each?.split("-")[0]);
  return codes.find((code): code is Language => code !== undefined && Object.hasOwn(LANGUAGES, code)) ?? "en";
}
