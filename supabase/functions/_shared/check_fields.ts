import type { z } from "zod";
import { type AppError, badFormat, missingField } from "./errors.ts";

/**
 * Checks `value` against a schema whose messages name the expected format.
 *
 * Throws `validation_failed` for the first field that does not fit, named with its path behind `prefix`.
 */
export function checkFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  prefix = "",
): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw fieldError(result.error.issues[0]!, value, prefix);
}

/**
 * Checks the parameters of a URL against the schema that documents them. An empty value of a required parameter counts as
 * missing. Throws `validation_failed`.
 */
export function checkQuery<Schema extends z.ZodObject>(
  schema: Schema,
  query: Record<string, string>,
): z.infer<Schema> {
  return checkFields(schema, Object.values(query).includes("") ? withoutMissing(schema, query) : query);
}

function withoutMissing(schema: z.ZodObject, query: Record<string, string>): Record<string, string> {
  // `Object.hasOwn`, because a client may name a parameter like a property that every object inherits.
  const isRequired = (name: string) =>
    Object.hasOwn(schema.shape, name) && !schema.shape[name]!.safeParse(undefined).success;
  const isMissing = ([name, value]: [string, string]) => value === "" && isRequired(name);
  return Object.fromEntries(Object.entries(query).filter((parameter) => !isMissing(parameter)));
}

function fieldError(issue: z.core.$ZodIssue, value: unknown, prefix: string): AppError {
  const unknown = issue.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const path = [...issue.path, ...unknown];
  const field = path.reduce<string>(
    (name, key) =>
      typeof key === "number" ? `${name}[${key}]` : name ? `${name}.${String(key)}` : String(key),
    prefix,
  );
  const provided = path.reduce<unknown>(
    (node, key) => (node as Record<PropertyKey, unknown>)?.[key],
    value,
  );
  return unknown.length === 0 && (provided === undefined || provided === null)
    ? missingField(field)
    : badFormat(field, SECRET_FIELDS.has(field) ? "" : provided, issue.message);
}

/** Fields whose values are not repeated in an error. */
const SECRET_FIELDS = new Set(["password", "refresh_token"]);
