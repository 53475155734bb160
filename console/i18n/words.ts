import { batch, signal } from "@preact/signals";
import { writePreference } from "../data/preferences.ts";
import { Problem } from "../data/problem.ts";
import type { Words } from "./en.ts";
import { type Language, language, LANGUAGES } from "./language.ts";

const loaded = signal<Words | undefined>(undefined);

/**
 * Returns the words of the console in the member's language, by screen.
 *
 * ```ts
 * <h1>{words().senders.title}</h1>
 * ```
 */
export function words(): Words {
  if (loaded.value === undefined) throw new Error("The words are not loaded");
  return loaded.value;
}

/** Loads the words of a language, and shows them. Each language is a file of its own. */
export async function loadWords(wanted: Language = language.peek()): Promise<void> {
  const file = await LANGUAGES[wanted].load();
  batch(() => {
    language.value = wanted;
    loaded.value = file.words;
  });
}

/**
 * Changes the language, for this browser.
 *
 * @throws {Problem} when its file cannot be loaded
 */
export async function chooseLanguage(chosen: Language): Promise<void> {
  try {
    await loadWords(chosen);
  } catch {
    throw new Problem("page_error", "");
  }
  writePreference("language", chosen);
}
