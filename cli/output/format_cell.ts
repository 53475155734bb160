/** What moves the cursor or colours a terminal: visitors and platforms write texts that operators read there. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** One value as people read it in a table: times in UTC to the minute, nothing as `-`, no control characters. */
export function formatCell(value: unknown): string {
  if (value === null || value === undefined || value === "") return "-";
  if (value instanceof Date) return `${value.toISOString().slice(0, 16).replace("T", " ")}Z`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en-US");
  return String(value).replace(CONTROL, "\ufffd");
}
