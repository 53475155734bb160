import {
  CONFIRMATIONS,
  type Language,
  LANGUAGES,
  OPT_IN_WORDS,
  OPT_OUT_WORDS,
  PROMOTION_LABELS,
  RESUME_LABELS,
  TYPED_ONLY_WORDS,
} from "./opt_out_lists.ts";
import { foldWords } from "./fold_words.ts";

/** A confirmation of an opt-out in one language. */
export interface Confirmation {
  language: Language;
  text: string;
}

/** The meaning of a message for marketing, by the words of all companies. */
export interface WordVerdict {
  says: "opt_out" | "opt_in";
  /** In the languages in which the word means this, the most likely one first. */
  confirmations: Confirmation[];
}

/** Payloads of quick-reply buttons that mean the same in every language. */
const PAYLOADS: Record<string, WordVerdict["says"]> = {
  STOP_PROMOTIONS: "opt_out",
  OPT_OUT: "opt_out",
  START_PROMOTIONS: "opt_in",
  OPT_IN: "opt_in",
};

type List = readonly [WordVerdict["says"], Partial<Record<Language, readonly string[]>>];
type Words = ReadonlyMap<string, WordVerdict>;

const ON_BUTTONS: List[] = [
  ["opt_out", OPT_OUT_WORDS],
  ["opt_out", PROMOTION_LABELS],
  ["opt_in", RESUME_LABELS],
];
const LABELS = indexOf(ON_BUTTONS);
const TYPED = indexOf([...ON_BUTTONS, ["opt_out", TYPED_ONLY_WORDS], ["opt_in", OPT_IN_WORDS]]);

/** The longest text that may be an opt-out: a company's own words may be longer than ours. */
const MAX_LENGTH = 200;

/** Folds a text for the comparison with words; null for one that is too long to be any. */
export function foldForWords(text: string | null): string | null {
  if (text === null || text.length > MAX_LENGTH) return null;
  return foldWords(text) || null;
}

/**
 * Returns what a typed text says about marketing, or null when it is about anything else. Only the whole text counts: "never
 * stop sending" is no opt-out. A word that is only repeated, "stop stop", counts as the word.
 *
 * @param folded as `foldForWords` returns it
 */
export function verdictOfText(folded: string | null): WordVerdict | null {
  return folded === null ? null : TYPED.get(once(folded)) ?? null;
}

/** The same for a pressed button, by its payload or else by its label. */
export function verdictOfButton(payload: string | null, folded: string | null): WordVerdict | null {
  const says = payload !== null && Object.hasOwn(PAYLOADS, payload) ? PAYLOADS[payload] : undefined;
  const byLabel = folded === null ? undefined : LABELS.get(once(folded));
  if (says === undefined) return byLabel ?? null;
  // The label shows the language, whatever it means.
  return { says, confirmations: byLabel?.confirmations ?? confirmationsIn(LANGUAGES) };
}

function indexOf(lists: List[]): Words {
  const found = new Map<string, { says: WordVerdict["says"]; languages: Language[] }>();
  for (const [says, list] of lists) {
    for (const language of LANGUAGES) {
      for (const word of (list[language] ?? []).map(foldWords)) {
        const known = found.get(word) ?? { says, languages: [] };
        if (!known.languages.includes(language)) known.languages.push(language);
        found.set(word, known);
      }
    }
  }
  return new Map(
    [...found].map(([word, { says, languages }]) =>
      [word, { says, confirmations: confirmationsIn(languages) }] as const
    ),
  );
}

function confirmationsIn(languages: readonly Language[]): Confirmation[] {
  return languages.map((language) => ({ language, text: CONFIRMATIONS[language] }));
}

function once(folded: string): string {
  const words = folded.split(/[^\p{L}\p{N}\p{M}'-]+/u);
  return words.every((word) => word === words[0]) ? words[0]! : folded;
}
