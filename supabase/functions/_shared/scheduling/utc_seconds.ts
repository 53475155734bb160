/** A time as the API writes it: ISO 8601 in UTC, to the second. */
export function utcSeconds(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, "Z");
}
