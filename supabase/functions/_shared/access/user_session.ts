import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { requestAuth } from "./auth_server.ts";

/**
 * Exchanges a refresh token for a new session, and returns it as the auth server sent it: a new access token, and the
 * refresh token that follows. The auth server takes each refresh token once, and ends the session when one comes again later.
 *
 * Throws `unauthorized` for a token that is unknown or used up and for a session that has ended, `rate_limit_exceeded`
 * when the auth server receives too many requests, and `service_unavailable` (502) when it cannot be reached.
 */
export async function refreshSession(
  env: Env,
  refreshToken: string,
  clientAddress: string | undefined,
): Promise<unknown> {
  const { data, refusal } = await requestAuth(env, "token?grant_type=refresh_token", {
    method: "POST",
    body: { refresh_token: refreshToken },
    clientAddress,
  });
  if (refusal) {
    throw new AppError("unauthorized", "The session has ended; log in again", { cause: refusal });
  }
  return data;
}

/**
 * Ends the session that an access token belongs to, with its refresh token. A token that opens nothing, such as one that
 * has expired, is no error.
 *
 * Throws `rate_limit_exceeded` and `service_unavailable` (502) as {@link refreshSession} does.
 */
export async function endSession(env: Env, accessToken: string): Promise<void> {
  await requestAuth(env, "logout?scope=local", { method: "POST", token: accessToken });
}
