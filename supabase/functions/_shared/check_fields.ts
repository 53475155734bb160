import type { z } from "zod";
import { type AppError, badFormat, missingField } from "./errors.ts";

/**
 * Checks `value` against a schema whose messages say the expected format.
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
    : badFormat(field, provided, issue.message);
}
