import { readAccessToken } from "../access/access_token.ts";
import { signedInUser } from "../access/signed_in_user.ts";
import { MAX_TOKEN_CHECKS, TOKEN_CHECK_WINDOW_S } from "../access/token_checks.ts";
import { AppError } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { clientAddress } from "./client_address.ts";

/**
 * The id of the user whose access token a request carries in `Authorization: Bearer`.
 *
 * Throws `unauthorized`, `rate_limit_exceeded` once its address had too many tokens checked, and `service_unavailable`
 * (502) when the auth server cannot be reached.
 */
export async function requireUser(c: AppContext): Promise<string> {
  const { env, now, tokenChecks, outages } = c.var.services;
  const token = readAccessToken(c.req.header("Authorization"), now());
  const waitS = tokenChecks.count(clientAddress(c));
  if (waitS > 0) throw tooManyChecks(waitS, now());
  const userId = await signedInUser(env, token, now());
  outages.worked("auth");
  return userId;
}

function tooManyChecks(waitS: number, now: Date): AppError {
  return new AppError("rate_limit_exceeded", `Too many requests came from your address; wait ${waitS} s`, {
    retryAfter: waitS,
    details: {
      limit: MAX_TOKEN_CHECKS,
      window: `${TOKEN_CHECK_WINDOW_S}s`,
      reset_time: new Date(now.getTime() + waitS * 1000).toISOString(),
    },
  });
}
