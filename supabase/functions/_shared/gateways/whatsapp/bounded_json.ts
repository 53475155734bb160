/** The longest text of a message, by the platform's rules. */
const MAX_TEXT_LENGTH = 4096;
const MAX_LEVELS = 8;
const MAX_FIELDS = 50;
/** Of all that is kept of one message. */
const MAX_JSON_LENGTH = 16 * 1024;

/** Returns a text as Postgres can keep it, cut to the longest that the platform allows; null for anything else. */
export function cleanText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  return value.slice(0, MAX_TEXT_LENGTH).replaceAll("\0", "").toWellFormed() || null;
}

/**
 * Returns a JSON value that strangers wrote, bounded in size and depth and as Postgres can keep it. Of a longer list or
 * object the first fields stay; null stands for what is too deep, or for all of it when the rest is still too long.
 */
export function boundedJson(value: unknown): unknown {
  const bounded = boundedAt(value, 0);
  return JSON.stringify(bounded).length > MAX_JSON_LENGTH ? null : bounded;
}

function boundedAt(value: unknown, level: number): unknown {
  if (typeof value === "string") return cleanText(value) ?? "";
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "boolean") return value;
  if (typeof value !== "object" || value === null || level === MAX_LEVELS) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_FIELDS).map((item) => boundedAt(item, level + 1));
  const fields = Object.entries(value).slice(0, MAX_FIELDS);
  return Object.fromEntries(
    fields.map(([name, field]) => [cleanText(name) ?? "", boundedAt(field, level + 1)]),
  );
}
