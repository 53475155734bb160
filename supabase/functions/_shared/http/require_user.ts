import { readAccessToken } from "../access/access_token.ts";
import { signedInUser } from "../access/signed_in_user.ts";
import type { AppContext } from "./app.ts";
import { clientAddress } from "./client_address.ts";

/**
 * The id of the user whose access token a request carries in `Authorization: Bearer`.
 *
 * Throws `unauthorized`, `rate_limit_exceeded` once its address had too many tokens checked, and `service_unavailable`
 * (502) when the auth server cannot be reached.
 */
export async function requireUser(c: AppContext): Promise<string> {
  const { env, now, tokenChecks } = c.var.services;
  const token = readAccessToken(c.req.header("Authorization"), now());
  tokenChecks.count(clientAddress(c), now());
  return await signedInUser(env, token, now());
}
