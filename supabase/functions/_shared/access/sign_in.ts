import type { Session } from "@supabase/supabase-js";
import { AppError } from "../errors.ts";
import type { Env } from "../env.ts";
import { accountEmail } from "./account_email.ts";
import { connectAuthServer } from "./auth_server.ts";

/**
 * Signs a user in with e-mail and password. The auth server gets the spelling of the e-mail that log-ins are counted by.
 *
 * Throws `unauthorized` for wrong credentials, an unconfirmed address or a banned user, `rate_limit_exceeded` when the
 * auth server itself is asked too often, and `service_unavailable` (502) when it cannot be reached.
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
 * The auth server says that an address is not confirmed only after the password was right. It looks at a ban before the
 * password, so passing that on would show a stranger which addresses exist.
 */
function refusal(code: string | undefined): string {
  return code === "email_not_confirmed"
    ? "The e-mail address is not confirmed yet"
    : "Wrong e-mail or password";
}
