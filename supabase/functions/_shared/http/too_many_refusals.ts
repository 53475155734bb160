import { MAX_REFUSALS, REFUSAL_WINDOW_S } from "../access/refused_addresses.ts";
import { AppError } from "../errors.ts";
import type { AppContext } from "./app.ts";

/** The 429 for an address that presented too many wrong credentials. */
export function tooManyRefusals(c: AppContext, waitS: number): AppError {
  return new AppError(
    "rate_limit_exceeded",
    `Too many requests with wrong credentials came from your address; wait ${waitS} s`,
    {
      retryAfter: waitS,
      details: {
        limit: MAX_REFUSALS,
        window: `${REFUSAL_WINDOW_S}s`,
        reset_time: new Date(c.var.services.now().getTime() + waitS * 1000).toISOString(),
      },
    },
  );
}
