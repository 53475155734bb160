import { type AccessToken, readAccessToken } from "../../access/access_token.ts";
import { signedInUser } from "../../access/signed_in_user.ts";
import { sha256Hex } from "../../crypto/digests.ts";
import type { AppContext } from "../app/context.ts";
import { tooManyPerMinute } from "./limits.ts";
import { limitTokenChecks } from "./require_user.ts";

/** Requests of one token per minute: a person with several open consoles. */
const MAX_REQUESTS = 1200;

/**
 * Returns the id of the user whose access token a request carries. The auth server checks a token once in ten seconds,
 * because a console makes many requests.
 *
 * Throws `unauthorized`, `rate_limit_exceeded`, and `service_unavailable` (502) when the auth server cannot be reached.
 *
 * @param options as {@link readAccessToken} takes them
 */
export async function requireSignedIn(c: AppContext, options: { ofApp?: boolean } = {}): Promise<string> {
  const services = c.get("services");
  const token = readAccessToken(c.req.header("Authorization"), services.now(), options);
  const hash = sha256Hex(token.text);
  await (services.signedInUsers.get(hash) ?? checkToken(c, token, hash));
  c.set("isKnown", true);
  c.set("userId", token.userId);
  const waitS = services.perMinute.count(`member:${hash}`, MAX_REQUESTS);
  if (waitS > 0) throw tooManyPerMinute(c, "Too many requests", { limit: MAX_REQUESTS, waitS });
  return token.userId;
}

/**
 * Checks a token, once for all requests that carry it meanwhile. Only tokens that were not good lately count against the
 * limit of an address: an office of many consoles is one address, and each token is checked again every ten seconds.
 */
async function checkToken(c: AppContext, token: AccessToken, hash: string): Promise<string> {
  const services = c.get("services");
  if (!services.goodTokens.get(hash)) limitTokenChecks(c);
  const check = signedInUser(services, token);
  services.signedInUsers.set(hash, check);
  try {
    const userId = await check;
    services.goodTokens.set(hash, true);
    services.outages.worked("auth");
    return userId;
  } catch (error) {
    forgetToken(c, token);
    throw error;
  }
}

/** Forgets that a token was good: its session has ended. */
export function forgetToken(c: AppContext, { text }: AccessToken): void {
  const { signedInUsers, goodTokens } = c.get("services");
  const hash = sha256Hex(text);
  signedInUsers.delete(hash);
  goodTokens.delete(hash);
}
