const VARIABLE = /\{\{([^{}]+)\}\}/g;

/** Replaces variables in an agent's text with the values of a call; a variable without a value stays as it is. */
export function fillVariables(text: string, values: Record<string, unknown>): string {
  return text.replace(VARIABLE, (whole, written: string) => {
    const name = written.trim();
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    return value === undefined ? whole : String(value);
  });
}

/** The variables of a text that have no value, each once. */
export function missingVariables(text: string, values: Record<string, unknown>): string[] {
  const names = [...text.matchAll(VARIABLE)].map((match) => match[1]!.trim());
  return [...new Set(names)].filter((name) => !Object.hasOwn(values, name));
}

/**
 * The platform's reason for ending a conversation whose variables have no values. A close frame holds 123 bytes of it.
 */
export function missingReason(field: string, names: string[]): string {
  return `Missing required dynamic variables in ${field}: {${names.map((name) => `'${name}'`).join(", ")}}`;
}
