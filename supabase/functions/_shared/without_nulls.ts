/** The fields of an object that are not null: many clients write null for what they leave out. */
export function withoutNulls<Value>(fields: Record<string, Value>): Record<string, NonNullable<Value>> {
  return Object.fromEntries(
    Object.entries(fields).filter((field): field is [string, NonNullable<Value>] => field[1] !== null),
  );
}
