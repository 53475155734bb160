import { z } from "zod";
import { type AccessToken, invalidToken } from "./access_token.ts";
import { authUnavailable, requestAuth, secondFactorRequired } from "./auth_server.ts";
import type { Services } from "../services.ts";

const userSchema = z.object({
  id: z.string(),
  banned_until: z.string().nullish(),
  factors: z.array(z.object({ status: z.string() })).nullish(),
});

/**
 * Returns the id of the user whose access token it is.
 *
 * Queries the auth server every time: a token stays well signed until it expires, while its user may have logged out, been
 * banned or been deleted.
 *
 * Throws `unauthorized` for a token that is forged or whose user is no longer signed in, `second_factor_required` for one
 * of the password alone whose user has a second factor, `rate_limit_exceeded` when the auth server receives too many
 * requests, and `service_unavailable` (502) when it cannot be reached or refuses our key.
 */
export async function signedInUser(
  { env, tokenIssuer, now }: Pick<Services, "env" | "tokenIssuer" | "now">,
  token: AccessToken,
): Promise<string> {
  if (token.issuer !== await tokenIssuer.get("issuer")) throw invalidToken();
  const response = await requestAuth(env, "user", { token: token.text });
  if (response.refusal) throw invalidToken(response.refusal);
  const user = userSchema.safeParse(response.data);
  if (!user.success) throw authUnavailable();
  const { id, banned_until, factors } = user.data;
  // Older auth servers let a banned user's token pass.
  if (id !== token.userId || (banned_until && new Date(banned_until) > now())) throw invalidToken();
  const hasFactor = factors?.some(({ status }) => status === "verified");
  if (hasFactor && token.level === "aal1") throw secondFactorRequired();
  return id;
}
