import { distance } from "fastest-levenshtein";

/** A field that is not known, and the one that its writer probably meant. */
export interface MisspelledField {
  name: string;
  meant: string;
}

/** More unknown fields are not looked at: they are data, not mistakes. */
const MAX_COMPARED = 20;
const MAX_LENGTH = 40;

/**
 * Returns the fields whose names resemble a known field that is not given: in other letter case or with other
 * separators, or with one letter wrong, two in names of eight letters or more.
 *
 * @param isUsed whether something refers to a field of this name, which is then no mistake
 */
export function misspelledFields(
  given: Record<string, unknown>,
  known: ReadonlySet<string>,
  isUsed: (name: string) => boolean,
): MisspelledField[] {
  const unknown = Object.keys(given).filter((name) => !known.has(name));
  if (unknown.length === 0) return [];
  const missing = [...known].filter((name) => !Object.hasOwn(given, name));
  return unknown.slice(0, MAX_COMPARED).flatMap((name) => {
    if (name.length > MAX_LENGTH || isUsed(name)) return [];
    const meant = missing.find((candidate) => resembles(name, candidate));
    return meant === undefined ? [] : { name, meant };
  });
}

function resembles(name: string, known: string): boolean {
  const [written, meant] = [plain(name), plain(known)];
  return distance(written, meant) <= (meant.length < 8 ? 1 : 2);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_. ]/g, "");
}
