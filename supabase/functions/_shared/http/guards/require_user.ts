import { readAccessToken } from "../../access/access_token.ts";
import { signedInUser } from "../../access/signed_in_user.ts";
import type { AppContext } from "../app/context.ts";
import { clientAddress } from "../app/request_context.ts";
import { tooManyPerMinute } from "./limits.ts";

/** Tokens per minute that the auth server checks for one address. An office is one address. */
const MAX_TOKEN_CHECKS = 120;

/**
 * Returns the id of the user whose access token a request carries in `Authorization: Bearer`.
 *
 * Throws `unauthorized`, `rate_limit_exceeded` once its address had too many tokens checked, and `service_unavailable`
 * (502) when the auth server cannot be reached.
 */
export async function requireUser(c: AppContext): Promise<string> {
  const services = c.get("services");
  const token = readAccessToken(c.req.header("Authorization"), services.now());
  limitTokenChecks(c);
  const userId = await signedInUser(services, token);
  services.outages.worked("auth");
  c.set("userId", userId);
  return userId;
}

/** Counts a check of a token. Does not limit a request whose address is not known. */
export function limitTokenChecks(c: AppContext): void {
  const address = clientAddress(c);
  if (address === undefined) return;
  const waitS = c.get("services").perMinute.count(`token:${address}`, MAX_TOKEN_CHECKS);
  if (waitS === 0) return;
  throw tooManyPerMinute(c, "Too many requests came from your address", { limit: MAX_TOKEN_CHECKS, waitS });
}
