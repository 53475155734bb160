import { isAuthError } from "@supabase/supabase-js";
import { AppError, badFormat } from "../errors.ts";
import { authUnavailable } from "./auth_server.ts";

/** Supabase Auth does not say when it sends e-mails again. */
const EMAIL_WAIT_S = 60;

/**
 * Waits for a request of an administrator to the auth server.
 *
 * Throws `rate_limit_exceeded` when it sends too many e-mails, `validation_failed` when it refuses the e-mail, and
 * `service_unavailable` (502) when it cannot be reached, cannot send e-mails, or refuses our key.
 */
export async function askAuthServer<Result>(request: Promise<Result>, email?: string): Promise<Result> {
  try {
    return await request;
  } catch (error) {
    if (!isAuthError(error)) throw error;
    if (error.status === 429) throw tooManyEmails(error);
    if (error.status === 400 || error.status === 422) {
      throw badFormat("email", email, "an e-mail address that the login service accepts");
    }
    throw authUnavailable(error);
  }
}

function tooManyEmails(cause: unknown): AppError {
  const message = `The login service receives too many requests; wait ${EMAIL_WAIT_S} s`;
  return new AppError("rate_limit_exceeded", message, { retryAfterS: EMAIL_WAIT_S, cause });
}
