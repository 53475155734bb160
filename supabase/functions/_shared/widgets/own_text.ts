/**
 * Returns one text of the company's, by language: the first of these languages, each with and without its region, that has
 * it; otherwise the first that there is.
 */
export function chooseOwnText(texts: Record<string, string>, languages: string[]): string | undefined {
  const tags = Object.keys(texts);
  const found = languages.flatMap((tag) => [findTag(tags, tag), findTag(tags, baseOf(tag))]).find(Boolean);
  return texts[found ?? tags[0] ?? ""];
}

/** Finds a language tag, ignoring case. */
export function findTag(tags: string[], wanted: string | undefined): string | undefined {
  return tags.find((tag) => tag.toLowerCase() === wanted?.toLowerCase());
}

/** Returns a language tag without its region. */
export function baseOf(tag: string | undefined): string | undefined {
  return tag?.split("-")[0];
}
