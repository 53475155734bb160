import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { requestAuth } from "./auth_server.ts";

/**
 * Signs a user in with e-mail and password, and returns the session as the auth server sent it. The auth server receives the
 * spelling of the e-mail by which logins are counted.
 *
 * Throws `unauthorized` for wrong credentials, an unconfirmed address or a banned user, `rate_limit_exceeded` when the
 * auth server receives too many requests, and `service_unavailable` (502) when it cannot be reached.
 */
export async function signIn(
  env: Env,
  { email, password }: { email: string; password: string },
  clientAddress: string | undefined,
): Promise<unknown> {
  const { data, refusal: refused } = await requestAuth(env, "token?grant_type=password", {
    method: "POST",
    body: { email: accountEmail(email), password },
    clientAddress,
  });
  if (refused) throw new AppError("unauthorized", refusal(refused.code), { cause: refused });
  return data;
}

/**
 * The auth server says that an address is not confirmed only after the password was right. It checks a ban before the
 * password, so reporting a ban would show strangers which addresses exist.
 */
function refusal(code: string): string {
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
