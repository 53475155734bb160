import { z } from "@hono/zod-openapi";
import { isOneLine } from "../values/control_characters.ts";

/** Facts of the client's own about a notification, such as the id of an order. */
export type Metadata = Record<string, unknown>;

const MAX_BYTES = 1024;

const FORMAT = "an object of at most 1 KB as JSON, without control characters";

/**
 * Makes the schema of `metadata`. What is no object is a field of the client's own, as the contract lets it name them, and
 * must fit `own`.
 */
export function metadataOr(own: z.ZodType) {
  return z.custom<unknown>(
    (value) => isObject(value) ? isMetadata(value) : own.safeParse(value).success,
    FORMAT,
  )
    .openapi({
      type: "object",
      additionalProperties: true,
      description:
        "The client's own facts, at most 1 KB as JSON. Events about the notification and the list of recipients return " +
        "them. No source of values for templates and agents. Text is an ordinary field instead",
      example: { order_id: "A-1001" },
    });
}

const encoder = new TextEncoder();

/** Returns whether a value has the form of metadata. */
export function isObject(value: unknown): value is Metadata {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isMetadata(value: Metadata): boolean {
  return encoder.encode(JSON.stringify(value)).length <= MAX_BYTES && hasPlainTexts(value);
}

function hasPlainTexts(value: unknown): boolean {
  if (typeof value === "string") return isOneLine(value);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, field]) => isOneLine(name) && hasPlainTexts(field));
}

/**
 * Returns the metadata to store with a notification: the request's and the contact's, whose fields win. A field that is
 * null counts as left out. Null when nothing is left.
 */
export function mergeMetadata(request: unknown, contact: unknown): Metadata | null {
  const given = [request, contact].filter(isObject);
  if (given.length === 0) return null;
  const merged = withoutNestedNulls({ ...given[0], ...given[1] });
  return Object.keys(merged).length === 0 ? null : merged;
}

/** Events leave out what is null, at every level. What is stored is what they show. */
function withoutNestedNulls(metadata: Metadata): Metadata {
  return JSON.parse(JSON.stringify(metadata, (_, value) => value === null ? undefined : value));
}
