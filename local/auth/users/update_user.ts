import { compare } from "bcryptjs";
import { z } from "zod";
import type { AuthContext } from "../context.ts";
import { AuthError, validationFailed } from "../errors.ts";
import { requireUser } from "../guards.ts";
import { checkPasswordStrength, hashPassword } from "../passwords.ts";
import { readBody } from "../request_body.ts";
import { findUserById, userBody } from "./users.ts";

const bodySchema = z.object({ password: z.string().nullish() });

/** `PUT /user`: sets the password of the token's user, which ends their other sessions and uses up their links. */
export async function updateOwnUser(
  context: AuthContext,
  authorization: string | undefined,
  request: Request,
): Promise<Response> {
  const { user, sessionId } = await requireUser(context, authorization);
  const { password } = await readBody(request, bodySchema);
  if (!password) throw validationFailed("Only the password can be changed here");
  checkPasswordStrength(password);
  if (user.encrypted_password && await compare(password, user.encrypted_password)) throw samePassword();
  const { sql } = context;
  const hasFactor = user.factors.some(({ status }) => status === "verified");
  if (hasFactor && !await isSecondLevel(context, sessionId)) throw insufficientLevel();
  const hash = await hashPassword(password);
  await sql.begin(async (transaction) => {
    await transaction`
      update auth.users
      set encrypted_password = ${hash}, confirmation_token = '', recovery_token = '', recovery_sent_at = null,
        updated_at = now()
      where id = ${user.id}`;
    await transaction`
      delete from auth.sessions where user_id = ${user.id} and id is distinct from ${sessionId ?? null}`;
  });
  return Response.json(userBody((await findUserById(sql, user.id))!));
}

async function isSecondLevel({ sql }: AuthContext, sessionId: string | undefined): Promise<boolean> {
  const rows = await sql`select 1 from auth.sessions where id = ${sessionId ?? null} and aal = 'aal2'`;
  return rows.length > 0;
}

function insufficientLevel(): AuthError {
  const message = "AAL2 session is required to update email or password when MFA is enabled.";
  return new AuthError(401, "insufficient_aal", message);
}

function samePassword(): AuthError {
  return new AuthError(422, "same_password", "New password should be different from the old password.");
}
