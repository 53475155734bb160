import { MAX_REFUSALS } from "../access/refused_addresses.ts";
import type { AppError } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { tooManyPerMinute } from "./too_many_per_minute.ts";

/** The 429 for an address that presented too many wrong credentials. */
export function tooManyRefusals(c: AppContext, waitS: number): AppError {
  const message = "Too many requests with wrong credentials came from your address";
  return tooManyPerMinute(c, message, { limit: MAX_REFUSALS, waitS });
}
