import { z } from "zod";
import { accountEmail } from "../../../supabase/functions/_shared/access/sign_in.ts";
import type { AuthContext } from "../context.ts";
import { emailExists, explainDuplicate, insertUser } from "./create_user.ts";
import { checkEmail, readBody } from "../request_body.ts";
import { findUserByEmail, userBody } from "./users.ts";

const bodySchema = z.object({
  email: z.string().nullish().transform((value) => value ?? ""),
  data: z.record(z.string(), z.unknown()).nullish().transform((value) => value ?? {}),
});

/**
 * `POST /invite`: makes a user without a password, whose address is not confirmed. Invites one again who has not confirmed
 * it; 422 `email_exists` for any other. No e-mail is sent: there is no mail server here.
 */
export async function inviteUser({ sql }: AuthContext, request: Request): Promise<Response> {
  const body = await readBody(request, bodySchema);
  const email = accountEmail(body.email);
  checkEmail(email);
  const known = await findUserByEmail(sql, email);
  if (known?.confirmed_at) throw emailExists();
  await sql.begin(async (transaction) => {
    const id = known?.id ?? crypto.randomUUID();
    const columns = { id, email, role: "authenticated", encrypted_password: "" };
    if (!known) await insertUser(transaction, columns, { user_metadata: body.data });
    await transaction`
      update auth.users
      set invited_at = now(), confirmation_sent_at = now(), confirmation_token = ${crypto.randomUUID()}
      where id = ${id}`;
  }).catch(explainDuplicate);
  return Response.json(userBody((await findUserByEmail(sql, email))!));
}
