const VARIABLE = /\{\{\s*([\p{L}\p{N}_]+)\s*\}\}/gu;

/** Fills `{{name}}` and other variables of a text. One without a value stays as it is written. */
export function fillVariables(text: string, values: Record<string, string | undefined>): string {
  return text.replaceAll(VARIABLE, (written, name: string) => values[name] || written);
}

/** Returns the names of the variables that a text still has. */
export function variablesOf(text: string): string[] {
  return [...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => name!))];
}

/** The text that is typed after a slash at the beginning of a word, before the caret: `/hou` asks for `hou`. */
export function slashAt(text: string, caret: number): { from: number; typed: string } | undefined {
  const [, , typed] = /(^|\s)\/([a-z0-9_-]*)$/i.exec(text.slice(0, caret)) ?? [];
  if (typed === undefined) return undefined;
  return { from: caret - typed.length - 1, typed: typed.toLowerCase() };
}
