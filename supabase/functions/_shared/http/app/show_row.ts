import type { z } from "@hono/zod-openapi";
import { utcSeconds } from "../../scheduling/due_time.ts";

/** A value of JSON as a row may hold it: with a Date for a time. */
export type Stored<Value> = Value extends string ? (string extends Value ? Value | Date : Value)
  : Value extends object ? { [Name in keyof Value]: Stored<Value[Name]> }
  : Value;

/** Returns the fields of a row that a schema names, with times as text. Other columns of the row stay inside. */
export function showRow<Schema extends z.ZodObject>(
  schema: Schema,
  row: Stored<z.input<Schema>>,
): z.input<Schema> {
  const columns = row as Record<string, unknown>;
  const shown = Object.keys(schema.shape).filter((name) => columns[name] !== undefined);
  return Object.fromEntries(shown.map((name) => [name, withTimesAsText(columns[name])])) as z.input<Schema>;
}

function withTimesAsText(value: unknown): unknown {
  if (value instanceof Date) return utcSeconds(value);
  if (Array.isArray(value)) return value.map(withTimesAsText);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withTimesAsText(inner)]));
}
