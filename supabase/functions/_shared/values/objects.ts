/** The variables that are set to something; an empty one counts as not set. */
export function withoutEmpty<Value extends string | undefined>(
  variables: Record<string, Value>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
}

/** The fields of an object that are not null; the object itself if none is. Many clients write null for what they leave out. */
export function withoutNulls<Value>(fields: Record<string, Value>): Record<string, NonNullable<Value>> {
  if (!Object.values(fields).includes(null as Value)) return fields as Record<string, NonNullable<Value>>;
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, NonNullable<Value>] => field[1] !== null),
  );
}

/** Sets a field, whatever its name: an assignment to `__proto__` would set the prototype instead. */
export function setField(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Returns the object with its own keys in snake_case; its values stay the same. */
export function snakeKeys(object: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
