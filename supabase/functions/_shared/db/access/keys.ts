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

/** The new text of a key, and how long the present one still passes. */
export interface NewText {
  companyId: string;
  keyId: string;
  hash: string;
  /** Null for a further key. */
  sealed: string | null;
  overlapHours: number;
}

/**
 * Gives an access key a new text. The present one passes for `overlapHours` more, and the one before it no longer. A current
 * key becomes active; a further one that was revoked, or has expired, stays as it is.
 *
 * @returns when the present text ends; undefined when there is no such key to rotate
 */
export async function replaceKeyText(
  sql: Sql,
  { companyId, keyId, hash, sealed, overlapHours }: NewText,
  by: Actor,
): Promise<{ old_expires_at: Date } | undefined> {
  const [row] = await sql<{ old_expires_at: Date }[]>`
    with old as materialized (
      select k.*, now() + make_interval(hours => ${overlapHours}) as ends_at from outbound.api_keys as k
      where k.company_id = ${companyId} and k.id = ${keyId} and k.is_current = ${sealed !== null}
        and (k.is_current or k.is_active) and (k.expires_at > now()) is not false
      for no key update
    ),
    changed as (
      update outbound.api_keys as k
      set key_hash = ${hash}, key_sealed = ${sealed}, is_active = true,
        old_key_hash = case when ${overlapHours} > 0 and old.is_active then old.key_hash end,
        old_expires_at = case when ${overlapHours} > 0 and old.is_active then old.ends_at end
      from old where k.company_id = old.company_id and k.id = old.id
      returning k.*, old.ends_at
    )
    select ends_at as old_expires_at, outbound.write_audit(
      company_id, ${by.actor}, 'key.rotated', id::text, null, jsonb_build_object('old_expires_at', ends_at),
      ${by.requestId ?? null}
    ) from changed`;
  return row && { old_expires_at: row.old_expires_at };
}

/** Records where a key is used from. */
export async function updateKeyAddress(
  sql: Sql,
  { companyId, keyId, address }: { companyId: string; keyId: string; address: string },
): Promise<void> {
  await sql`
    update outbound.api_keys set last_used_address = ${address}
    where company_id = ${companyId} and id = ${keyId} and last_used_address is distinct from ${address}`;
}

/** The parts of a company's current key to change; the others stay. */
export interface KeyChanges {
  /** False ends the text of before the last rotation too, for good. */
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
        daily_quota = coalesce(${dailyQuota ?? null}, k.daily_quota),
        old_key_hash = case when ${isActive !== false} then k.old_key_hash end,
        old_expires_at = case when ${isActive !== false} then k.old_expires_at end
      from old where k.company_id = old.company_id and k.id = old.id
      returning k.*
    )
    select ${keyColumns(sql, "changed")}, outbound.audit_change(
      changed.company_id, ${by.actor}, ${action}, changed.id::text, ${facts("old")}, ${facts("changed")},
      ${by.requestId ?? null}
    ) as audited from changed cross join old`;
  return row && withoutAudited(row);
}

/** A company's key without its text. */
export interface KeyRow {
  key_id: string;
  permissions: KeyPermission[];
  /** Requests per minute. */
  rate_limit: number;
  /** Notifications per UTC day. */
  daily_quota: number;
  is_active: boolean;
  last_used_at: Date | null;
  /** An IPv4 address, or the network of an IPv6 address; null until it is known. */
  last_used_address: string | null;
  /** Until when the text of before the last rotation passes; null where it does not. */
  old_expires_at: Date | null;
  created_at: Date;
}

/** A company's current key, still sealed. */
export interface CurrentKeyRow extends KeyRow {
  sealed: string;
}

/** Selects the columns of {@link KeyRow}. */
export function keyColumns(sql: Sql, key: string) {
  const k = sql(key);
  return sql`
    ${k}.id as key_id, ${k}.permissions, ${k}.rate_limit, ${k}.daily_quota, ${k}.is_active, ${k}.last_used_at,
    ${k}.last_used_address, case when ${k}.old_expires_at > now() then ${k}.old_expires_at end as old_expires_at,
    ${k}.created_at`;
}

/** Returns a company's current key; undefined when it has none. */
export async function readCurrentKey(sql: Sql, companyId: string): Promise<CurrentKeyRow | undefined> {
  const [row] = await sql<CurrentKeyRow[]>`
    select ${keyColumns(sql, "k")}, k.key_sealed as sealed
    from outbound.api_keys as k where k.company_id = ${companyId} and k.is_current`;
  return row;
}

/** Keeps other transactions from adding keys to a company, and from changing limits of its keys, until this one ends. */
export async function lockKeys(sql: Sql, companyId: string): Promise<void> {
  await sql`select from outbound.companies where id = ${companyId} for no key update`;
}

/** Keeps other transactions from changing a company's current key until this one ends. */
export async function lockCurrentKey(sql: Sql, companyId: string): Promise<void> {
  await lockKeys(sql, companyId);
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

/** Whether a company has a key, revoked or not. */
export async function hasKey(
  sql: Sql,
  { companyId, keyId }: { companyId: string; keyId: string },
): Promise<boolean> {
  const rows = await sql`select from outbound.api_keys where company_id = ${companyId} and id = ${keyId}`;
  return rows.length > 0;
}

/** Returns those of the keys that are good: company's keys by their hashes, publishable ones by their text. */
export async function findGoodKeys(
  sql: Sql,
  { hashes, texts }: { hashes: string[]; texts: string[] },
): Promise<Set<string>> {
  const rows = await sql<{ found: string }[]>`
    select given.hash as found from unnest(${hashes}::text[]) as given(hash)
    where exists (select from outbound.find_key(given.hash))
    union all
    select key from outbound.publishable_keys where key = any (${texts}) and is_active`;
  return new Set(rows.map(({ found }) => found));
}
