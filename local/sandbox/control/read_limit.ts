import type { Context } from "hono";
import { ControlError } from "./control_error.ts";

const MAX_LIMIT = 10_000;

/** The `limit` of a control call that lists things; `preset` without one, never more than 10,000. */
export function readLimit(c: Context, preset: number): number {
  const limit = Number(c.req.query("limit") ?? preset);
  if (!Number.isInteger(limit) || limit < 1) throw new ControlError(400, "limit must be a positive integer");
  return Math.min(limit, MAX_LIMIT);
}
