import type postgres from "postgres";
import { z } from "zod";
import { AuthError, validationFailed } from "./auth_error.ts";
import type { AuthContext } from "./context.ts";
import { hashPassword } from "./passwords.ts";
import { readBody } from "./read_body.ts";
import { userBody } from "./user_body.ts";
import { findUserById } from "./users.ts";

const metadata = z.record(z.string(), z.unknown()).nullish().transform((value) => value ?? {});

const bodySchema = z.object({
  id: z.string().nullish(),
  email: z.string().nullish().transform((value) => (value ?? "").toLowerCase()),
  password: z.string().nullish(),
  password_hash: z.string().nullish(),
  email_confirm: z.boolean().nullish(),
  role: z.string().nullish(),
  user_metadata: metadata,
  app_metadata: metadata,
  ban_duration: z.string().nullish(),
});

type NewUser = z.infer<typeof bodySchema>;

/** `POST /admin/users`: makes a user with an e-mail identity. 422 `email_exists` when the address is taken. */
export async function createUser({ sql }: AuthContext, request: Request): Promise<Response> {
  const body = await readBody(request, bodySchema);
  checkEmail(body.email);
  const id = body.id ?? crypto.randomUUID();
  if (!z.uuid().safeParse(id).success) throw validationFailed("ID must conform to the uuid v4 format");
  const columns = {
    id,
    email: body.email,
    role: body.role || "authenticated",
    encrypted_password: await passwordHash(body),
    email_confirmed_at: body.email_confirm ? new Date() : null,
    banned_until: bannedUntil(body.ban_duration),
  };
  const user = await sql.begin(async (transaction) => {
    await insertUser(transaction, columns, body);
    return await findUserById(transaction, id);
  }).catch(explainDuplicate);
  return Response.json(userBody(user!));
}

function checkEmail(email: string): void {
  if (email === "") throw validationFailed("Cannot create a user without either an email or phone");
  if (!z.email().safeParse(email).success || email.length > 255) {
    throw validationFailed("Unable to validate email address: invalid format");
  }
}

async function passwordHash({ password, password_hash }: NewUser): Promise<string> {
  if (password_hash) return password_hash;
  return await hashPassword(password || crypto.randomUUID());
}

/** `none`, or Go's way to write a duration, such as `24h` or `1h30m`. */
function bannedUntil(duration: string | null | undefined): Date | null {
  if (!duration || duration === "none") return null;
  const [whole, hours = 0, minutes = 0, seconds = 0] = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(duration) ??
    [];
  if (!whole) throw validationFailed("invalid format for ban duration");
  return new Date(Date.now() + ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000);
}

async function insertUser(
  transaction: postgres.TransactionSql,
  columns: Record<string, string | Date | null> & { id: string; email: string },
  { user_metadata, app_metadata, email_confirm }: NewUser,
): Promise<void> {
  const json = (value: Record<string, unknown>) => transaction.json(value as postgres.JSONValue);
  const empty = Object.fromEntries(TOKEN_COLUMNS.map((column) => [column, ""]));
  await transaction`insert into auth.users ${
    transaction({
      ...columns,
      ...empty,
      instance_id: "00000000-0000-0000-0000-000000000000",
      aud: "authenticated",
      raw_app_meta_data: json({ provider: "email", providers: ["email"], ...app_metadata }),
      raw_user_meta_data: json({ email_verified: email_confirm === true, ...user_metadata }),
      created_at: new Date(),
      updated_at: new Date(),
    })
  }`;
  const identity = { sub: columns.id, email: columns.email, email_verified: false, phone_verified: false };
  await transaction`
    insert into auth.identities (provider_id, user_id, identity_data, provider, created_at, updated_at)
    values (${columns.id}, ${columns.id}, ${json(identity)}, 'email', now(), now())`;
}

/** Supabase Auth reads these into texts and fails on a NULL. */
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

function explainDuplicate(error: { code?: string; constraint_name?: string }): never {
  if (error.code !== "23505") throw error;
  if (error.constraint_name === "users_email_partial_key") {
    const message = "A user with this email address has already been registered";
    throw new AuthError(422, "email_exists", message);
  }
  throw new AuthError(422, "user_already_exists", "A user with this ID already exists");
}
