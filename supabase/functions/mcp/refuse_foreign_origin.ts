import { AppError } from "../_shared/errors.ts";
import type { AppContext } from "../_shared/http/app/context.ts";

/**
 * Refuses pages of any origin but the console's, as the protocol requires against DNS rebinding. Other clients send no
 * `Origin`. Throws `forbidden`.
 */
export function refuseForeignOrigin(c: AppContext): void {
  const origin = c.req.header("Origin");
  const { OUTBOUND_CONSOLE_URL } = c.get("services").env;
  if (origin === undefined || (OUTBOUND_CONSOLE_URL && origin === new URL(OUTBOUND_CONSOLE_URL).origin)) {
    return;
  }
  throw new AppError("forbidden", "Pages of this origin may not use the tools");
}
