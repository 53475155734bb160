import type { Context } from "hono";
import { z } from "zod";

/** A refused control request; the response is `{error: message}`, not in the platform's form. */
export class ControlError extends Error {
  override readonly name = "ControlError";

  constructor(readonly status: 400 | 404 | 409 | 415, message: string) {
    super(message);
  }
}

/**
 * Parses the JSON body of a control request. It requires the content type: a page of another origin then needs a
 * preflight, which gets no response.
 */
export async function readControlBody<T>(c: Context, schema: z.ZodType<T>): Promise<T> {
  if (!/^application\/json\b/i.test(c.req.header("Content-Type") ?? "")) {
    throw new ControlError(415, "Content-Type must be application/json");
  }
  const body: unknown = await c.req.json().catch(() => {
    throw new ControlError(400, "The body is not valid JSON");
  });
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw new ControlError(400, z.prettifyError(parsed.error));
  return parsed.data;
}

const MAX_LIMIT = 10_000;

/** Reads the `limit` of a control request for a list; `preset` without one, at most 10,000. */
export function readLimit(c: Context, preset: number): number {
  const limit = Number(c.req.query("limit") ?? preset);
  if (!Number.isInteger(limit) || limit < 1) throw new ControlError(400, "limit must be a positive integer");
  return Math.min(limit, MAX_LIMIT);
}
