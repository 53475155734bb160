import type { z } from "zod";
import { PlatformError } from "./platform_error.ts";

/**
 * Parses `value` or throws what the platform answers: an unknown field is code 100, a missing one 131008,
 * any other fault 131009. The first fault is the one reported.
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
