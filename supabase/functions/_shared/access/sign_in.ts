import { isAuthRetryableFetchError, type Session } from "@supabase/supabase-js";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { authUnavailable, createAuthClient } from "./supabase_auth.ts";

/**
 * Signs a user in with e-mail and password.
 *
 * Throws `unauthorized` for wrong credentials, an unconfirmed address or a banned user, `rate_limit_exceeded` when the
 * auth server itself is being asked too often, and `service_unavailable` (502) when it cannot be reached.
 */
export async function signIn(env: Env, credentials: { email: string; password: string }): Promise<Session> {
  const { data, error } = await createAuthClient(env).auth.signInWithPassword(credentials);
  if (!error) return data.session;
  if (isAuthRetryableFetchError(error) || !isRefusal(error.status)) throw authUnavailable(error);
  if (error.status === 429) {
    throw new AppError("rate_limit_exceeded", "Too many logins; wait a minute", {
      retryAfter: 60,
      cause: error,
    });
  }
  throw new AppError("unauthorized", refusal(error.code), { cause: error });
}

/** 401 and 404 come from the gateway before the auth server: the publishable key or the URL is wrong, not the password. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status < 500 && status !== 401 && status !== 404;
}

/**
 * That an address is not confirmed is told only after the password was right. A ban is told before it is looked at, so
 * passing it on would show a stranger which addresses exist. Source: the password grant of Supabase Auth.
 */
function refusal(code: string | undefined): string {
  return code === "email_not_confirmed"
    ? "The e-mail address is not confirmed yet"
    : "Wrong e-mail or password";
}
