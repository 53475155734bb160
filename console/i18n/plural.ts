/** A text for each form of the plural that a language has. `#` stands for the number. */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/**
 * Returns the function that chooses the form of a number in one language.
 *
 * ```ts
 * const plural = pluralOf("en");
 * plural(1, { one: "# row", other: "# rows" }); // "1 row"
 * ```
 */
export function pluralOf(language: string): (count: number, forms: Forms) => string {
  const locale = localeOf(language);
  const rules = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale);
  return (count, forms) => (forms[rules.select(count)] ?? forms.other).replaceAll("#", numbers.format(count));
}

/** Returns a language with the region that the browser prefers: its dates and numbers look as the member expects. */
export function localeOf(language: string): string {
  return navigator.languages.find((each) => each.split("-")[0] === language) ?? language;
}
