import type { Context } from "hono";
import type { z } from "zod";
import { PlatformError } from "./platform_error.ts";

/** Reads the JSON body of a request to the platform. Throws code 100 when there is none. */
export async function readJson(c: Context): Promise<unknown> {
  if (!/^application\/json\b/i.test(c.req.header("Content-Type") ?? "")) {
    throw new PlatformError(100, "Content-Type must be application/json");
  }
  try {
    return await c.req.json();
  } catch {
    throw new PlatformError(100, "The body is not valid JSON");
  }
}

/**
 * Parses `value` or throws the platform's refusal of the first fault: 100 for an unknown field, 131008 for a missing
 * one, 131009 for any other.
 */
export function parseStrictly<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const where = issue.path.join(".") || "body";
  if (issue.code === "unrecognized_keys") {
    throw new PlatformError(100, `Unexpected key "${issue.keys[0]}" on param "${where}"`);
  }
  if (valueAt(value, issue.path) === undefined) {
    throw new PlatformError(131008, `The parameter ${where} is required`);
  }
  throw new PlatformError(131009, `${where}: ${issue.message}`);
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) => typeof at === "object" && at !== null ? Reflect.get(at, key) : undefined,
    value,
  );
}
