import type postgres from "postgres";
import { z } from "zod";
import { accountEmail } from "../../../supabase/functions/_shared/access/sign_in.ts";
import { AuthError, validationFailed } from "../errors.ts";
import type { AuthContext } from "../context.ts";
import { hashPassword } from "../passwords.ts";
import { bannedUntil, checkEmail, readBody, type UserFields, userFieldsSchema } from "../request_body.ts";
import { findUserByEmail, findUserById, userBody } from "./users.ts";

/**
 * `POST /admin/users`: makes a user with an e-mail identity. 422 `email_exists` when the address is in use. Like
 * Supabase Auth, it accepts any password that bcrypt can hash, and responds before it has read `confirmed_at` back.
 */
export async function createUser({ sql }: AuthContext, request: Request): Promise<Response> {
  const body = await readBody(request, userFieldsSchema);
  const email = accountEmail(body.email);
  if (email === "") throw validationFailed("Cannot create a user without either an email or phone");
  checkEmail(email);
  if (await findUserByEmail(sql, email)) throw emailExists();
  const id = body.id ?? crypto.randomUUID();
  if (!z.uuid().safeParse(id).success) throw validationFailed("ID must conform to the uuid v4 format");
  const columns = {
    id,
    email,
    role: body.role || "authenticated",
    encrypted_password: await passwordHash(body),
    email_confirmed_at: body.email_confirm ? new Date() : null,
    banned_until: bannedUntil(body.ban_duration),
  };
  const user = await sql.begin(async (transaction) => {
    await insertUser(transaction, columns, body);
    return await findUserById(transaction, id);
  }).catch(explainDuplicate);
  const { confirmed_at: _, ...view } = userBody(user!);
  return Response.json(view);
}

async function passwordHash({ password, password_hash }: UserFields): Promise<string> {
  if (password_hash) return password_hash;
  return await hashPassword(password || crypto.randomUUID());
}

/** Stores a user with an e-mail identity. */
export async function insertUser(
  transaction: postgres.TransactionSql,
  columns: Record<string, string | Date | null> & { id: string; email: string },
  { user_metadata, app_metadata, email_confirm }: Partial<UserFields>,
): Promise<void> {
  const json = (value: Record<string, unknown>) => transaction.json(value as postgres.JSONValue);
  const empty = Object.fromEntries(TOKEN_COLUMNS.map((column) => [column, ""]));
  await transaction`insert into auth.users ${
    transaction({
      ...empty,
      ...columns,
      instance_id: "00000000-0000-0000-0000-000000000000",
      aud: "authenticated",
      raw_app_meta_data: json({ provider: "email", providers: ["email"], ...app_metadata }),
      raw_user_meta_data: json({ ...user_metadata, ...(email_confirm ? { email_verified: true } : {}) }),
      created_at: new Date(),
      updated_at: new Date(),
    })
  }`;
  const identity = { sub: columns.id, email: columns.email, email_verified: false, phone_verified: false };
  await transaction`
    insert into auth.identities
      (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
    values (${columns.id}, ${columns.id}, ${json(identity)}, 'email', now(), now(), now())`;
}

/** Supabase Auth reads these as texts and fails on a NULL. */
const TOKEN_COLUMNS = [
  "confirmation_token",
  "recovery_token",
  "email_change_token_new",
  "email_change_token_current",
  "email_change",
  "phone_change",
  "phone_change_token",
  "reauthentication_token",
];

/** Throws the refusal of Supabase Auth for a user who is there already. */
export function explainDuplicate(error: { code?: string; constraint_name?: string }): never {
  if (error.code !== "23505") throw error;
  if (error.constraint_name === "users_email_partial_key") throw emailExists();
  throw new AuthError(422, "user_already_exists", "A user with this ID already exists");
}

/** The refusal of an address that has an account. */
export function emailExists(): AuthError {
  return new AuthError(422, "email_exists", "A user with this email address has already been registered");
}
