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
  const found: MisspelledField[] = [];
  let compared = 0;
  for (const name in given) {
    if (known.has(name) || name.length > MAX_LENGTH) continue;
    if (++compared > MAX_COMPARED) break;
    const meant = resembling(name, known, given);
    if (meant !== undefined && !isUsed(name)) found.push({ name, meant });
  }
  return found;
}

function resembling(
  name: string,
  known: ReadonlySet<string>,
  given: Record<string, unknown>,
): string | undefined {
  const written = plain(name);
  for (const candidate of known) {
    const meant = plain(candidate);
    const mistakes = meant.length < 8 ? 1 : 2;
    if (Math.abs(written.length - meant.length) > mistakes || Object.hasOwn(given, candidate)) continue;
    if (distance(written, meant) <= mistakes) return candidate;
  }
  return undefined;
}

const plainNames = new Map<string, string>();
const MAX_PLAIN_NAMES = 1000;

function plain(name: string): string {
  let text = plainNames.get(name);
  if (text === undefined) {
    text = name.toLowerCase().replace(/[-_. ]/g, "");
    if (plainNames.size >= MAX_PLAIN_NAMES) plainNames.clear();
    plainNames.set(name, text);
  }
  return text;
}
