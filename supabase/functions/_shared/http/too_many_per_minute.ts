import { type AppError, tooManyRequests } from "../errors.ts";
import type { AppContext } from "./app.ts";

/** The 429 for a limit that `services.perMinute` counts: `message` says what there were too many of. */
export function tooManyPerMinute(
  c: AppContext,
  message: string,
  { limit, waitS }: { limit: number; waitS: number },
): AppError {
  return tooManyRequests(message, { limit, windowS: 60, waitS, now: c.var.services.now() });
}
