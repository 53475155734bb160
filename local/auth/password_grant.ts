import { z } from "zod";
import { AuthError, invalidCredentials, validationFailed } from "./errors.ts";
import type { AuthContext } from "./context.ts";
import { passwordMatches } from "./passwords.ts";
import { readBody } from "./request_body.ts";
import { openSession, type Origin, sessionResponse } from "./sessions.ts";
import { findUserByEmail, isBanned } from "./users/users.ts";

const text = z.string().nullish().transform((value) => value ?? "");

const bodySchema = z.object({ email: text, phone: text, password: text });

/** Shorter correct passwords are reported as weak. */
const STRONG_LENGTH = 8;

/** `POST /token?grant_type=password`: logs a user in and opens a session. */
export async function passwordGrant(
  context: AuthContext,
  request: Request,
  origin: Origin,
): Promise<Response> {
  const { email, phone, password } = await readBody(request, bodySchema);
  refuseOtherThanEmail(email, phone);
  const user = await findUserByEmail(context.sql, email);
  if (user && isBanned(user)) throw new AuthError(400, "user_banned", "User is banned");
  if (!await passwordMatches(password, user?.encrypted_password ?? null) || !user) throw invalidCredentials();
  if (!user.email_confirmed_at) throw new AuthError(400, "email_not_confirmed", "Email not confirmed");
  const opened = await openSession(context.sql, user, origin);
  return await sessionResponse(context, opened, { weak_password: weakness(password) });
}

function refuseOtherThanEmail(email: string, phone: string): void {
  if (email !== "" && phone !== "") {
    throw validationFailed("Only an email address or phone number should be provided on login.");
  }
  if (phone !== "") throw new AuthError(422, "phone_provider_disabled", "Phone logins are disabled");
  if (email === "") throw validationFailed("missing email or phone");
}

function weakness(password: string): { message: string; reasons: string[] } | null {
  if (password.length >= STRONG_LENGTH) return null;
  return { message: `Password should be at least ${STRONG_LENGTH} characters.`, reasons: ["length"] };
}
