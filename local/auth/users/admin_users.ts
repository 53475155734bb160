import { z } from "zod";
import { accountEmail } from "../../../supabase/functions/_shared/access/sign_in.ts";
import type { AuthContext } from "../context.ts";
import { AuthError, validationFailed } from "../errors.ts";
import { checkPasswordStrength, hashPassword } from "../passwords.ts";
import { bannedUntil, checkEmail, readBody, type UserFields, userFieldsSchema } from "../request_body.ts";
import { findUserById, findUsers, userBody, type UserRow } from "./users.ts";
import type postgres from "postgres";

const DEFAULT_PER_PAGE = 50;
const MAX_PER_PAGE = 1000;

/**
 * `GET /admin/users?page&per_page&filter`: users, newest first; with a filter, those whose e-mail contains it. The total is in `X-Total-Count` and the next and last page in
 * `Link`, where supabase-js looks for them (and expects `page` to be the first parameter).
 */
export async function listUsers({ sql }: AuthContext, url: URL): Promise<Response> {
  const page = whole(url, "page", 1) || 1;
  const perPage = Math.min(whole(url, "per_page", DEFAULT_PER_PAGE) || DEFAULT_PER_PAGE, MAX_PER_PAGE);
  const filter = (url.searchParams.get("filter") ?? "").replaceAll("\0", "");
  const matches = filter === "" ? sql`true` : sql`u.email like ${`%${filter}%`}`;
  const [row] = await sql`
    select count(*)::int as total from auth.users as u where deleted_at is null and ${matches}`;
  const total: number = row!.total;
  const users = await findUsers(sql, matches, { limit: perPage, offset: (page - 1) * perPage });
  const last = Math.max(1, Math.ceil(total / perPage));
  const link = (to: number, rel: string) =>
    `<${url.origin}${url.pathname}?page=${to}&per_page=${perPage}>; rel="${rel}"`;
  const links = page < last ? [link(page + 1, "next"), link(last, "last")] : [link(last, "last")];
  return Response.json({ users: users.map(userBody), aud: "authenticated" }, {
    headers: { "X-Total-Count": String(total), "Link": links.join(", ") },
  });
}

/** Supabase Auth treats page 0 as page 1. */
function whole(url: URL, name: string, fallback: number): number {
  const value = url.searchParams.get(name);
  if (value === null || value === "") return fallback;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw validationFailed(`Bad Pagination Parameters: ${name} must be a whole number`);
}

/** Loads the user of an administrator's path, or throws 404 `user_not_found`. */
export async function loadUser({ sql }: AuthContext, id: string): Promise<UserRow> {
  if (!z.uuid().safeParse(id).success) {
    throw new AuthError(404, "validation_failed", "user_id must be an UUID");
  }
  const user = await findUserById(sql, id);
  if (!user) throw new AuthError(404, "user_not_found", "User not found");
  return user;
}

/**
 * `PUT /admin/users/{id}`: changes the fields of the body. A new password ends all sessions. `ban_duration` bans the user;
 * `none` lifts the ban.
 */
export async function updateUser(context: AuthContext, id: string, request: Request): Promise<Response> {
  const user = await loadUser(context, id);
  const fields = await readBody(request, userFieldsSchema);
  const { sql } = context;
  const columns = await changedColumns(sql, user, fields);
  await sql.begin(async (transaction) => {
    await transaction`update auth.users set ${transaction(columns)} where id = ${id}`;
    if (fields.password) await transaction`delete from auth.sessions where user_id = ${id}`;
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

const bodySchema = z.object({ should_soft_delete: z.boolean().nullish() });

/** `DELETE /admin/users/{id}`: deletes a user with sessions and identities, or only the personal data. */
export async function deleteUser(context: AuthContext, id: string, request: Request): Promise<Response> {
  const user = await loadUser(context, id);
  const { should_soft_delete } = request.body ? await readBody(request, bodySchema) : {};
  const { sql } = context;
  if (should_soft_delete) {
    await sql.begin(async (transaction) => {
      await transaction`
        update auth.users set deleted_at = now(), email = null, encrypted_password = '' where id = ${user.id}`;
      await transaction`delete from auth.sessions where user_id = ${user.id}`;
    });
  } else {
    await sql`delete from auth.users where id = ${user.id}`;
  }
  return Response.json({});
}
