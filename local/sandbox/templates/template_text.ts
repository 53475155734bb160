/** A variable of a template: `{{1}}` or `{{first_name}}`; the first group is the text between the braces. */
export const TEMPLATE_VARIABLE = /\{\{([^{}]*)\}\}/g;

/** The variables of a text in the order they first appear, each once. */
export function variablesOf(text: string | undefined): string[] {
  return [...new Set([...(text ?? "").matchAll(TEMPLATE_VARIABLE)].map((match) => match[1]!))];
}

/** Replaces variables with values; one without a value stays as it is. */
export function fillText(text: string, values: ReadonlyMap<string, string>): string {
  return text.replaceAll(TEMPLATE_VARIABLE, (whole, name: string) => values.get(name) ?? whole);
}

/** Length as the platform's limits count it here: in characters, not in UTF-16 units. */
export function lengthOf(text: string): number {
  return [...text].length;
}
