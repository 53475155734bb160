import { MAX_REFUSALS } from "../access/refused_addresses.ts";
import { type AppError, tooManyRequests } from "../errors.ts";
import type { AppContext } from "./app.ts";

/** The 429 for an address that presented too many wrong credentials. */
export function tooManyRefusals(c: AppContext, waitS: number): AppError {
  return tooManyRequests("Too many requests with wrong credentials came from your address", {
    limit: MAX_REFUSALS,
    windowS: 60,
    waitS,
    now: c.var.services.now(),
  });
}
