import { badFormat } from "../errors.ts";

/** The text that a search looks for in names and addresses. */
export interface SearchText {
  text: string;
  /** The digits of a part of a number, however it is written; null where the text is none. */
  digits: string | null;
}

/** The index keeps groups of three characters. */
const MIN_LENGTH = 3;

/**
 * Reads the text of a search for people: a part of a name or an e-mail address, or of a number in any spelling: with
 * separators, a plus, 00, or the 0 of a national number. Throws `validation_failed` for a text that is too short.
 */
export function readSearchText(search: string): SearchText {
  const text = search.trim().replace(/\s+/g, " ");
  const digits = /^[+\d\s().\-/]+$/.test(text) ? text.replace(/\D/g, "").replace(/^0+/, "") : null;
  if (
    Math.max([...text].length, digits?.length ?? 0) < MIN_LENGTH ||
    digits !== null && digits.length < MIN_LENGTH
  ) {
    throw badFormat(
      "search",
      search,
      `at least ${MIN_LENGTH} letters or digits of a name, a number or an address`,
    );
  }
  return { text, digits };
}
