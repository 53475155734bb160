import type { Context } from "hono";
import { z } from "zod";
import { ControlError } from "./control_error.ts";

/**
 * Parses the JSON body of a control call. The content type is insisted on: a page of another origin then needs
 * a preflight, which nobody answers.
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
