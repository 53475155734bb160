import { AppError, badFormat } from "../errors.ts";
import type { Env } from "../env.ts";
import { type AccessToken, invalidToken } from "./access_token.ts";
import { type AuthRefusal, requestAuth, secondFactorRequired } from "./auth_server.ts";
import { accountEmail } from "./sign_in.ts";

/**
 * Has the auth server e-mail a link to set a new password, if there is an account with this address. Its refusals are
 * left out, because it refuses only addresses with an account, such as one that had an e-mail a moment ago.
 *
 * Throws `service_unavailable` (502) when the auth server cannot be reached.
 */
export async function sendRecovery(
  env: Env,
  email: string,
  clientAddress: string | undefined,
): Promise<void> {
  const redirect = env.OUTBOUND_CONSOLE_URL
    ? `?${new URLSearchParams({ redirect_to: env.OUTBOUND_CONSOLE_URL })}`
    : "";
  await requestAuth(env, `recover${redirect}`, {
    method: "POST",
    body: { email: accountEmail(email) },
    clientAddress,
  });
}

/**
 * Sets the password of the user whose access token it is. The auth server ends their other sessions.
 *
 * Throws `unauthorized` for a token that opens nothing, `validation_failed` for a password that the auth server does not
 * accept, `second_factor_required`, `forbidden` where it wants a link of its e-mails first, `rate_limit_exceeded` and
 * `service_unavailable` (502).
 */
export async function setPassword(env: Env, token: AccessToken, password: string): Promise<void> {
  const { refusal } = await requestAuth(env, "user", {
    method: "PUT",
    token: token.text,
    body: { password },
  });
  if (refusal) throw passwordRefused(refusal);
}

/** The refusals that name a step to take first, by the code of the auth server. */
const NEEDED_FIRST: Record<string, string> = {
  reauthentication_needed: "The log-in is too old: use the link of a recovery e-mail",
  current_password_required: "Use the link of a recovery e-mail to set a new password",
};

function passwordRefused(refusal: AuthRefusal): AppError {
  const { status, code } = refusal;
  if (code === "weak_password") {
    return badFormat("password", "", "a password that is long enough and not easy to guess");
  }
  if (code === "same_password") return badFormat("password", "", "another password than the present one");
  if (code === "insufficient_aal") return secondFactorRequired(refusal);
  const needed = NEEDED_FIRST[code];
  if (needed) return new AppError("forbidden", needed, { cause: refusal });
  if (status === 400 || status === 422) {
    return badFormat("password", "", "a password that the login service accepts");
  }
  return invalidToken(refusal);
}
