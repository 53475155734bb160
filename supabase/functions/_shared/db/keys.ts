import type { Sql } from "./connect.ts";

export interface CompanyKeyRow {
  company_id: string;
  company_name: string;
  api_access: boolean;
  /** Null when the company has no key yet. */
  key_id: string | null;
  key_sealed: string | null;
  is_active: boolean | null;
  last_used_at: Date | null;
}

/** Returns the companies whose keys a user may see, each with its current key, by name. Viewers see none. */
export async function readCompanyKeys(sql: Sql, userId: string): Promise<CompanyKeyRow[]> {
  return await sql<CompanyKeyRow[]>`
    select c.id as company_id, c.name as company_name, c.api_access, k.id as key_id, k.key_sealed, k.is_active,
      k.last_used_at
    from outbound.company_members as m
    join outbound.companies as c on c.id = m.company_id
    left join outbound.api_keys as k on k.company_id = c.id and k.is_current
    where m.user_id = ${userId} and m.role <> 'viewer'
    order by c.name, c.id`;
}

/** The permissions a key may have. */
export const KEY_PERMISSIONS = ["chatapp_notifications", "voice_notifications", "contacts"] as const;

export type KeyPermission = typeof KEY_PERMISSIONS[number];

/** An access key's limits. */
export interface KeyLimits {
  permissions: string[];
  /** Requests per minute. */
  rateLimit: number;
  /** Notifications per UTC day. */
  dailyQuota: number;
}

/** An access key to be stored. */
export interface NewKey {
  companyId: string;
  keyId: string;
  hash: string;
  sealed: string;
}

/** Stores a company's first access key. */
export async function insertKey(
  sql: Sql,
  { companyId, keyId, hash, sealed, permissions, rateLimit, dailyQuota }: NewKey & KeyLimits,
): Promise<void> {
  await sql`
      insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions, rate_limit, daily_quota)
      values (${companyId}, ${keyId}, ${hash}, ${sealed}, ${permissions}, ${rateLimit}, ${dailyQuota})`;
}

/**
 * Replaces a company's current access key by a new, active one with the same limits; the old key ends in this moment.
 * Changes nothing unless the outcome is `replaced`.
 */
export async function replaceKey(
  sql: Sql,
  { companyId, keyId, hash, sealed }: NewKey,
): Promise<"replaced" | "no_company" | "no_key"> {
  return await sql.begin(async (transaction) => {
    // The company's row is the lock: a second rotation waits here and then sees the first one's key.
    const [company] = await transaction`
      select 1 from outbound.companies where id = ${companyId} for no key update`;
    if (!company) return "no_company";
    const [old] = await transaction<KeyLimits[]>`
      update outbound.api_keys set is_current = false, is_active = false
      where company_id = ${companyId} and is_current
      returning permissions, rate_limit as "rateLimit", daily_quota as "dailyQuota"`;
    if (!old) return "no_key";
    await transaction`
      insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions, rate_limit, daily_quota)
      values (${companyId}, ${keyId}, ${hash}, ${sealed}, ${old.permissions}, ${old.rateLimit},
        ${old.dailyQuota})`;
    return "replaced";
  });
}

/** Revokes or activates a company's current key. Returns its id; undefined when the company has none. */
export async function updateKeyActive(
  sql: Sql,
  companyId: string,
  isActive: boolean,
): Promise<string | undefined> {
  const [row] = await sql<{ keyId: string }[]>`
    update outbound.api_keys set is_active = ${isActive}
    where company_id = ${companyId} and is_current
    returning id as "keyId"`;
  return row?.keyId;
}

/** A company's current key as operators see it, still sealed. */
export interface CurrentKeyRow extends KeyLimits {
  keyId: string;
  sealed: string;
  isActive: boolean;
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** Returns a company's current key; undefined when it has none. */
export async function readCurrentKey(sql: Sql, companyId: string): Promise<CurrentKeyRow | undefined> {
  const [row] = await sql<CurrentKeyRow[]>`
    select id as "keyId", key_sealed as sealed, permissions, rate_limit as "rateLimit",
      daily_quota as "dailyQuota", is_active as "isActive", last_used_at as "lastUsedAt",
      created_at as "createdAt"
    from outbound.api_keys where company_id = ${companyId} and is_current`;
  return row;
}

/** Stores a publishable key and returns its id. */
export async function insertPublishableKey(
  sql: Sql,
  companyId: string,
  key: string,
): Promise<{ keyId: string }> {
  const [row] = await sql<{ keyId: string }[]>`
      insert into outbound.publishable_keys (company_id, key) values (${companyId}, ${key})
      returning id as "keyId"`;
  return row!;
}

/** Revokes or activates a publishable key. Returns its id; undefined when the company has no such key. */
export async function updatePublishableKeyActive(
  sql: Sql,
  { companyId, key, isActive }: { companyId: string; key: string; isActive: boolean },
): Promise<string | undefined> {
  const [row] = await sql<{ keyId: string }[]>`
    update outbound.publishable_keys set is_active = ${isActive}
    where company_id = ${companyId} and key = ${key}
    returning id as "keyId"`;
  return row?.keyId;
}

export interface PublishableKeyRow {
  keyId: string;
  companyId: string;
  key: string;
  isActive: boolean;
  createdAt: Date;
}

/** Returns the publishable keys of one company, or of all, revoked ones included. */
export async function readPublishableKeys(
  sql: Sql,
  { companyId }: { companyId?: string | undefined },
): Promise<PublishableKeyRow[]> {
  return await sql<PublishableKeyRow[]>`
    select id as "keyId", company_id as "companyId", key, is_active as "isActive", created_at as "createdAt"
    from outbound.publishable_keys
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}

/** Returns the hash of a company's current access key; undefined where it has none that is active. */
export async function readCurrentKeyHash(sql: Sql, companyId: string): Promise<string | undefined> {
  const [row] = await sql<{ key_hash: string }[]>`
    select key_hash from outbound.api_keys where company_id = ${companyId} and is_current and is_active`;
  return row?.key_hash;
}
