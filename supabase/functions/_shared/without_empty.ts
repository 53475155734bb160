/** The variables that are set to something; an empty one counts as not set. */
export function withoutEmpty<Value extends string | undefined>(
  variables: Record<string, Value>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
}
