/** The expected format of a text that the database can hold, for messages. */
export const STORABLE = "text of valid Unicode without NUL";

/** Returns whether the database can hold all texts and names in a value: none has a NUL or half a surrogate pair. */
export function isStorable(value: unknown): boolean {
  if (typeof value === "string") return !value.includes("\0") && value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, field]) => isStorable(name) && isStorable(field));
}
