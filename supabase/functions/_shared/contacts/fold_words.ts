/** Accents, and everything that is neither letter, number nor space. */
const DROPPED = /\p{M}|[^\p{L}\p{N}\s]/gu;

/** Returns a text as opt-out words are compared: without case, accents, punctuation, symbols and superfluous spaces. */
export function foldWords(text: string): string {
  return text.normalize("NFKD").toLowerCase().replace(DROPPED, "").replace(/\s+/g, " ").trim();
}
