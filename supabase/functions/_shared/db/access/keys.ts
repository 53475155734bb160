import type { KeyPermission } from "../../access/permissions.ts";
import { type Actor, withoutAudited } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";

export interface CompanyKeyRow {
  company_id: string;
  company_name: string;
  api_access: boolean;
  /** Whether the user's role may see the key's text. */
  may_see: boolean;
  /** Null when the company has no key yet. */
  key_id: string | null;
  key_sealed: string | null;
  is_active: boolean | null;
  last_used_at: Date | null;
}

/** Returns the companies of a user, each with its current key, by name. Viewers may see none. */
export async function readCompanyKeys(sql: Sql, userId: string): Promise<CompanyKeyRow[]> {
  return await sql<CompanyKeyRow[]>`
    select c.id as company_id, c.name as company_name, c.api_access, m.role <> 'viewer' as may_see, k.id as key_id,
      k.key_sealed, k.is_active, k.last_used_at
    from outbound.company_members as m
    join outbound.companies as c on c.id = m.company_id
    left join outbound.api_keys as k on k.company_id = c.id and k.is_current
    where m.user_id = ${userId}
    order by c.name, c.id`;
}

/** Records that the texts of companies' current keys leave the service. */
export async function auditShownKeys(
  sql: Sql,
  keys: { company_id: string; key_id: string | null }[],
  by: Actor,
): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    select outbound.write_audit(
      shown.company_id, ${by.actor}, 'key.shown', shown.key_id, null, null, ${by.requestId ?? null}
    )
    from unnest(${keys.map((key) => key.company_id)}::uuid[], ${keys.map((key) => key.key_id)}::text[])
      as shown(company_id, key_id)`;
}

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
  by: Actor,
): Promise<void> {
  await sql`
    with added as (
      insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions, rate_limit, daily_quota)
      values (${companyId}, ${keyId}, ${hash}, ${sealed}, ${permissions}, ${rateLimit}, ${dailyQuota})
      returning *
    )
    select outbound.write_audit(
      company_id, ${by.actor}, 'key.created', id::text, null,
      jsonb_build_object('permissions', permissions, 'rate_limit', rate_limit, 'daily_quota', daily_quota),
      ${by.requestId ?? null}
    ) from added`;
}

/**
 * Replaces a company's current access key by a new, active one with the same limits; the old key ends in this moment.
 * Changes nothing unless the outcome is `replaced`.
 */
export async function replaceKey(
  sql: Sql,
  { companyId, keyId, hash, sealed }: NewKey,
  by: Actor,
): Promise<"replaced" | "no_company" | "no_key"> {
  return await sql.begin(async (transaction) => {
    // The company's row is the lock: a second rotation waits here and then sees the first one's key.
    const [company] = await transaction`
      select 1 from outbound.companies where id = ${companyId} for no key update`;
    if (!company) return "no_company";
    const [replaced] = await transaction`
      with old as (
        update outbound.api_keys set is_current = false, is_active = false
        where company_id = ${companyId} and is_current
        returning *
      )
      select outbound.write_audit(
        company_id, ${by.actor}, 'key.rotated', ${keyId}, jsonb_build_object('key_id', id),
        jsonb_build_object('key_id', ${keyId}::text), ${by.requestId ?? null}
      ), permissions, rate_limit, daily_quota from old`;
    if (!replaced) return "no_key";
    await transaction`
      insert into outbound.api_keys (company_id, id, key_hash, key_sealed, permissions, rate_limit, daily_quota)
      values (${companyId}, ${keyId}, ${hash}, ${sealed}, ${replaced.permissions}, ${replaced.rate_limit},
        ${replaced.daily_quota})`;
    return "replaced";
  });
}

/** The parts of a company's current key to change; the others stay. */
export interface KeyChanges {
  isActive?: boolean | undefined;
  permissions?: readonly KeyPermission[] | undefined;
  /** Requests per minute. */
  rateLimit?: number | undefined;
  /** Notifications per UTC day. */
  dailyQuota?: number | undefined;
}

/** Changes a company's current key and returns it without its text. Undefined when the company has none. */
export async function updateKey(
  sql: Sql,
  companyId: string,
  { isActive, permissions, rateLimit, dailyQuota }: KeyChanges,
  by: Actor,
): Promise<KeyRow | undefined> {
  const action = isActive === undefined ? "key.updated" : isActive ? "key.activated" : "key.revoked";
  const facts = (key: string) =>
    sql`jsonb_build_object('is_active', ${sql(key)}.is_active, 'permissions', ${sql(key)}.permissions,
      'rate_limit', ${sql(key)}.rate_limit, 'daily_quota', ${sql(key)}.daily_quota)`;
  const [row] = await sql<(KeyRow & { audited: string })[]>`
    with old as materialized (
      select * from outbound.api_keys where company_id = ${companyId} and is_current for no key update
    ),
    changed as (
      update outbound.api_keys as k
      set is_active = coalesce(${isActive ?? null}, k.is_active),
        permissions = coalesce(${permissions ? [...permissions] : null}, k.permissions),
        rate_limit = coalesce(${rateLimit ?? null}, k.rate_limit),
        daily_quota = coalesce(${dailyQuota ?? null}, k.daily_quota)
      from old where k.company_id = old.company_id and k.id = old.id
      returning k.*
    )
    select ${keyColumns(sql, "changed")}, outbound.audit_change(
      changed.company_id, ${by.actor}, ${action}, changed.id::text, ${facts("old")}, ${facts("changed")},
      ${by.requestId ?? null}
    ) as audited from changed cross join old`;
  return row && withoutAudited(row);
}

/** A company's current key without its text. */
export interface KeyRow {
  key_id: string;
  permissions: KeyPermission[];
  /** Requests per minute. */
  rate_limit: number;
  /** Notifications per UTC day. */
  daily_quota: number;
  is_active: boolean;
  last_used_at: Date | null;
  created_at: Date;
}

/** A company's current key, still sealed. */
export interface CurrentKeyRow extends KeyRow {
  sealed: string;
}

function keyColumns(sql: Sql, key: string) {
  const k = sql(key);
  return sql`
    ${k}.id as key_id, ${k}.permissions, ${k}.rate_limit, ${k}.daily_quota, ${k}.is_active, ${k}.last_used_at,
    ${k}.created_at`;
}

/** Returns a company's current key; undefined when it has none. */
export async function readCurrentKey(sql: Sql, companyId: string): Promise<CurrentKeyRow | undefined> {
  const [row] = await sql<CurrentKeyRow[]>`
    select ${keyColumns(sql, "k")}, k.key_sealed as sealed
    from outbound.api_keys as k where k.company_id = ${companyId} and k.is_current`;
  return row;
}

/** Keeps other transactions from changing a company's current key until this one ends. */
export async function lockCurrentKey(sql: Sql, companyId: string): Promise<void> {
  await sql`select from outbound.api_keys where company_id = ${companyId} and is_current for no key update`;
}

/** Returns a company's current access key; undefined where it has none that is active. */
export async function readActiveKey(
  sql: Sql,
  companyId: string,
): Promise<{ id: string; hash: string } | undefined> {
  const [row] = await sql<{ id: string; hash: string }[]>`
    select id, key_hash as hash from outbound.api_keys
    where company_id = ${companyId} and is_current and is_active`;
  return row;
}

/** Returns those of the keys that are good: company's keys by their hashes, publishable ones by their text. */
export async function findGoodKeys(
  sql: Sql,
  { hashes, texts }: { hashes: string[]; texts: string[] },
): Promise<Set<string>> {
  const rows = await sql<{ found: string }[]>`
    select key_hash as found from outbound.api_keys where key_hash = any (${hashes}) and is_active
    union all
    select key from outbound.publishable_keys where key = any (${texts}) and is_active`;
  return new Set(rows.map(({ found }) => found));
}
