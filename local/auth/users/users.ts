import type postgres from "postgres";
import { accountEmail } from "../../../supabase/functions/_shared/access/sign_in.ts";

/** A row of auth.users with its identities, with the columns used here. */
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
  factors: FactorOfUser[];
}

/** A second factor as the user has it: without its secret. Its times are text, as they come out of jsonb. */
export interface FactorOfUser {
  id: string;
  created_at: string;
  updated_at: string;
  status: "verified" | "unverified";
  friendly_name: string;
  factor_type: string;
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

/** Finds the users that match a condition, newest first. */
export async function findUsers(
  sql: postgres.Sql | postgres.TransactionSql,
  condition: postgres.Fragment,
  page: { limit: number; offset: number } = { limit: 1, offset: 0 },
): Promise<UserRow[]> {
  return await sql<UserRow[]>`
    select u.*, coalesce(i.identities, '[]'::jsonb) as identities, coalesce(f.factors, '[]'::jsonb) as factors
    from auth.users as u
    left join lateral (
      select jsonb_agg(to_jsonb(identity) order by identity.created_at) as identities
      from auth.identities as identity
      where identity.user_id = u.id
    ) as i on true
    left join lateral (
      select jsonb_agg(
        jsonb_build_object(
          'id', factor.id, 'created_at', factor.created_at, 'updated_at', factor.updated_at,
          'status', factor.status, 'friendly_name', factor.friendly_name, 'factor_type', factor.factor_type
        ) order by factor.created_at
      ) as factors
      from auth.mfa_factors as factor
      where factor.user_id = u.id
    ) as f on true
    where u.deleted_at is null and ${condition}
    order by u.created_at desc, u.id
    limit ${page.limit} offset ${page.offset}`;
}

/** The user of an address; addresses are kept in Go's lower case. */
export async function findUserByEmail(sql: postgres.Sql, email: string): Promise<UserRow | undefined> {
  // Postgres accepts no NUL in a text, and no user has one in the address.
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

/** Whether the user is banned at present. */
export function isBanned(user: UserRow): boolean {
  return user.banned_until !== null && user.banned_until > new Date();
}

/** The user in the form of Supabase Auth; times that were never set are left out. */
export function userBody(user: UserRow): Record<string, unknown> {
  return {
    id: user.id,
    aud: user.aud,
    role: user.role,
    email: user.email ?? "",
    ...time("email_confirmed_at", user.email_confirmed_at),
    ...time("invited_at", user.invited_at),
    phone: user.phone ?? "",
    ...time("confirmation_sent_at", user.confirmation_sent_at),
    ...time("confirmed_at", user.confirmed_at),
    ...time("recovery_sent_at", user.recovery_sent_at),
    ...time("last_sign_in_at", user.last_sign_in_at),
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    ...(user.factors.length > 0 ? { factors: user.factors } : {}),
    identities: user.identities.map(identityBody),
    created_at: user.created_at.toISOString(),
    updated_at: user.updated_at.toISOString(),
    ...time("banned_until", user.banned_until),
    is_anonymous: user.is_anonymous,
  };
}

function identityBody(identity: IdentityRow): Record<string, unknown> {
  return {
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    ...time("last_sign_in_at", identity.last_sign_in_at),
    ...time("created_at", identity.created_at),
    ...time("updated_at", identity.updated_at),
    ...(identity.email === null ? {} : { email: identity.email }),
  };
}

function time(name: string, value: Date | string | null): Record<string, string> {
  return value === null ? {} : { [name]: new Date(value).toISOString() };
}
