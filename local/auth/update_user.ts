import type postgres from "postgres";
import { accountEmail } from "../../supabase/functions/_shared/access/account_email.ts";
import type { AuthContext } from "./context.ts";
import { loadUser } from "./load_user.ts";
import { checkPasswordStrength, hashPassword } from "./passwords.ts";
import { readBody } from "./read_body.ts";
import { userBody } from "./user_body.ts";
import { bannedUntil, checkEmail, type UserFields, userFieldsSchema } from "./user_fields.ts";
import { findUserById, type UserRow } from "./users.ts";

/** `PUT /admin/users/{id}`: changes what the body names. `ban_duration` bans, or with `none` no longer. */
export async function updateUser(context: AuthContext, id: string, request: Request): Promise<Response> {
  const user = await loadUser(context, id);
  const fields = await readBody(request, userFieldsSchema);
  const { sql } = context;
  const columns = await changedColumns(sql, user, fields);
  await sql.begin(async (transaction) => {
    await transaction`update auth.users set ${transaction(columns)} where id = ${id}`;
    if (!columns.email) return;
    const data = { email: columns.email, email_verified: fields.email_confirm === true };
    await transaction`
      update auth.identities set identity_data = identity_data || ${
      transaction.json(data)
    }, updated_at = now()
      where user_id = ${id} and provider = 'email'`;
  });
  return Response.json(userBody((await findUserById(sql, id))!));
}

async function changedColumns(sql: postgres.Sql, user: UserRow, fields: UserFields) {
  const json = (value: Record<string, unknown>) => sql.json(value as postgres.JSONValue);
  const email = accountEmail(fields.email);
  if (email) checkEmail(email);
  if (fields.password) checkPasswordStrength(fields.password);
  const verified = fields.email_confirm ? { email_verified: true } : {};
  return {
    updated_at: new Date(),
    raw_app_meta_data: json({ ...user.raw_app_meta_data, ...fields.app_metadata }),
    raw_user_meta_data: json({ ...user.raw_user_meta_data, ...verified, ...fields.user_metadata }),
    ...(email ? { email } : {}),
    ...(fields.password ? { encrypted_password: await hashPassword(fields.password) } : {}),
    ...(fields.email_confirm ? { email_confirmed_at: new Date() } : {}),
    ...(fields.role ? { role: fields.role } : {}),
    ...(fields.ban_duration ? { banned_until: bannedUntil(fields.ban_duration) } : {}),
  };
}
