import type { Session } from "@supabase/supabase-js";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { connectAuthServer } from "./auth_server.ts";

/**
 * Signs a user in with e-mail and password. The auth server receives the spelling of the e-mail by which logins are counted.
 *
 * Throws `unauthorized` for wrong credentials, an unconfirmed address or a banned user, `rate_limit_exceeded` when the
 * auth server receives too many requests, and `service_unavailable` (502) when it cannot be reached.
 */
export async function signIn(
  env: Env,
  { email, password }: { email: string; password: string },
  clientAddress: string | undefined,
): Promise<Session> {
  const server = connectAuthServer(env, { clientAddress });
  const { data, error } = await server.auth.signInWithPassword({ email: accountEmail(email), password });
  if (!error) return data.session;
  throw server.failure(error) ?? new AppError("unauthorized", refusal(error.code), { cause: error });
}

/**
 * The auth server says that an address is not confirmed only after the password was right. It checks a ban before the
 * password, so reporting a ban would show strangers which addresses exist.
 */
function refusal(code: string | undefined): string {
  return code === "email_not_confirmed"
    ? "The e-mail address is not confirmed yet"
    : "Wrong e-mail or password";
}

/**
 * Returns the one spelling of an e-mail under which the auth server looks up an account.
 *
 * Supabase Auth lowers each character by itself (Go's `strings.ToLower`). JavaScript lowers `İ` to two characters and a
 * final `Σ` by its neighbours. Login limits must not count two spellings of one account as two accounts.
 */
export function accountEmail(email: string): string {
  return Array.from(email, (character) => character === "İ" ? "i" : character.toLowerCase()).join("");
}
