import type postgres from "postgres";
import { accountEmail } from "../../supabase/functions/_shared/access/account_email.ts";

/** A row of auth.users with its identities, as far as they are used here. */
export interface UserRow {
  id: string;
  aud: string;
  role: string;
  email: string | null;
  encrypted_password: string | null;
  email_confirmed_at: Date | null;
  invited_at: Date | null;
  confirmation_sent_at: Date | null;
  recovery_sent_at: Date | null;
  last_sign_in_at: Date | null;
  confirmed_at: Date | null;
  banned_until: Date | null;
  raw_app_meta_data: Record<string, unknown> | null;
  raw_user_meta_data: Record<string, unknown> | null;
  created_at: Date;
  updated_at: Date;
  phone: string | null;
  is_anonymous: boolean;
  identities: IdentityRow[];
}

/** Its times are text, as they come out of jsonb. */
export interface IdentityRow {
  id: string;
  provider_id: string;
  user_id: string;
  identity_data: Record<string, unknown>;
  provider: string;
  last_sign_in_at: string | null;
  created_at: string;
  updated_at: string;
  email: string | null;
}

/** Finds the users a condition names, newest first. */
export async function findUsers(
  sql: postgres.Sql | postgres.TransactionSql,
  condition: postgres.Fragment,
  page: { limit: number; offset: number } = { limit: 1, offset: 0 },
): Promise<UserRow[]> {
  return await sql<UserRow[]>`
    select u.*, coalesce(i.identities, '[]'::jsonb) as identities
    from auth.users as u
    left join lateral (
      select jsonb_agg(to_jsonb(identity) order by identity.created_at) as identities
      from auth.identities as identity
      where identity.user_id = u.id
    ) as i on true
    where u.deleted_at is null and ${condition}
    order by u.created_at desc, u.id
    limit ${page.limit} offset ${page.offset}`;
}

/** The user of an address; addresses are kept in Go's lower case. */
export async function findUserByEmail(sql: postgres.Sql, email: string): Promise<UserRow | undefined> {
  // Postgres takes no NUL in a text, and no user has one in the address.
  if (email.includes("\0")) return undefined;
  const condition = sql`u.email = ${
    accountEmail(email)
  } and u.aud = 'authenticated' and u.is_sso_user = false`;
  return (await findUsers(sql, condition))[0];
}

/** The user of an id, which must be a UUID. */
export async function findUserById(
  sql: postgres.Sql | postgres.TransactionSql,
  id: string,
): Promise<UserRow | undefined> {
  return (await findUsers(sql, sql`u.id = ${id}`))[0];
}

/** Whether the user may not log in at present. */
export function isBanned(user: UserRow): boolean {
  return user.banned_until !== null && user.banned_until > new Date();
}
