import type { KeyPermission } from "../../access/permissions.ts";
import { afterRow } from "../driver/after_row.ts";
import type { Sql } from "../driver/connect.ts";
import { type Actor, withoutAudited } from "./audit.ts";
import { keyColumns, type KeyLimits, type KeyRow, lockKeys } from "./keys.ts";

/** A key of a company beside its current one. Its text is shown once and not stored. */
export interface FurtherKeyRow extends KeyRow {
  name: string;
  /** The senders that it may use; null for all. */
  sender_ids: string[] | null;
  expires_at: Date | null;
}

/** The settings of a further key, which an owner decides. */
export interface FurtherKeyFields extends KeyLimits {
  name: string;
  permissions: KeyPermission[];
  senderIds: string[] | null;
  expiresAt: string | null;
}

/** The ids of a further key. */
export interface KeyIds {
  companyId: string;
  keyId: string;
}

function columns(sql: Sql, key: string) {
  return sql`${keyColumns(sql, key)}, ${sql(key)}.name, ${sql(key)}.sender_ids, ${sql(key)}.expires_at`;
}

/** The facts of a further key for the audit. */
function facts(sql: Sql, key: string) {
  const k = sql(key);
  return sql`jsonb_build_object('name', ${k}.name, 'permissions', ${k}.permissions, 'rate_limit', ${k}.rate_limit,
    'daily_quota', ${k}.daily_quota, 'sender_ids', ${k}.sender_ids, 'expires_at', ${k}.expires_at,
    'is_active', ${k}.is_active)`;
}

/** Returns a page of a company's further keys, newest first, revoked ones included. */
export async function readFurtherKeyPage(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<FurtherKeyRow[]> {
  return await sql<FurtherKeyRow[]>`
    select ${columns(sql, "k")} from outbound.api_keys as k
    where k.company_id = ${companyId} and k.name is not null
      ${afterRow(sql, "k", { table: "outbound.api_keys", companyId, after })}
    order by k.created_at desc, k.id desc limit ${limit}`;
}

/** Returns a further key; undefined when the company has no such key. */
export async function readFurtherKey(
  sql: Sql,
  { companyId, keyId }: KeyIds,
): Promise<FurtherKeyRow | undefined> {
  const [row] = await sql<FurtherKeyRow[]>`
    select ${columns(sql, "k")} from outbound.api_keys as k
    where k.company_id = ${companyId} and k.id = ${keyId} and k.name is not null`;
  return row;
}

/** Keeps other transactions from changing a further key until this one ends. */
export async function lockFurtherKey(sql: Sql, { companyId, keyId }: KeyIds): Promise<void> {
  await lockKeys(sql, companyId);
  await sql`select from outbound.api_keys where company_id = ${companyId} and id = ${keyId} for no key update`;
}

/** Stores a further key and returns it. */
export async function insertFurtherKey(
  sql: Sql,
  { companyId, keyId, hash, ...fields }: KeyIds & { hash: string } & FurtherKeyFields,
  by: Actor,
): Promise<FurtherKeyRow> {
  const { name, permissions, rateLimit, dailyQuota, senderIds, expiresAt } = fields;
  const [row] = await sql<(FurtherKeyRow & { audited: string })[]>`
    with added as (
      insert into outbound.api_keys
        (company_id, id, key_hash, is_current, name, permissions, rate_limit, daily_quota, sender_ids, expires_at)
      values (${companyId}, ${keyId}, ${hash}, false, ${name}, ${permissions}, ${rateLimit}, ${dailyQuota}, ${senderIds},
        ${expiresAt})
      returning *
    )
    select ${columns(sql, "added")}, outbound.write_audit(
      company_id, ${by.actor}, 'key.created', id::text, null, ${facts(sql, "added")}, ${by.requestId ?? null}
    ) as audited from added`;
  return withoutAudited(row!);
}

/** Changes a further key; what is undefined stays. Undefined when there is none, or it was revoked: that is for good. */
export async function updateFurtherKey(
  sql: Sql,
  { companyId, keyId }: KeyIds,
  { name, permissions, rateLimit, dailyQuota, senderIds, expiresAt, revoke = false }:
    & { [Name in keyof FurtherKeyFields]?: FurtherKeyFields[Name] | undefined }
    & { revoke?: boolean },
  by: Actor,
): Promise<FurtherKeyRow | undefined> {
  const action = revoke ? "key.revoked" : "key.updated";
  const [row] = await sql<(FurtherKeyRow & { audited: string })[]>`
    with old as materialized (
      select * from outbound.api_keys
      where company_id = ${companyId} and id = ${keyId} and name is not null and (is_active or ${revoke})
      for no key update
    ),
    changed as (
      update outbound.api_keys as k
      set name = coalesce(${name ?? null}, k.name), permissions = coalesce(${
    permissions ?? null
  }, k.permissions),
        rate_limit = coalesce(${rateLimit ?? null}, k.rate_limit),
        daily_quota = coalesce(${dailyQuota ?? null}, k.daily_quota),
        sender_ids = case when ${senderIds === undefined} then k.sender_ids else ${
    senderIds ?? null
  }::uuid[] end,
        expires_at = case when ${expiresAt === undefined} then k.expires_at else ${
    expiresAt ?? null
  }::timestamptz end,
        is_active = k.is_active and not ${revoke},
        old_key_hash = case when not ${revoke} then k.old_key_hash end,
        old_expires_at = case when not ${revoke} then k.old_expires_at end
      from old where k.company_id = old.company_id and k.id = old.id
      returning k.*
    )
    select ${columns(sql, "changed")}, outbound.audit_change(
      changed.company_id, ${by.actor}, ${action}, changed.id::text, ${facts(sql, "old")}, ${
    facts(sql, "changed")
  },
      ${by.requestId ?? null}
    ) as audited from changed cross join old`;
  return row && withoutAudited(row);
}

/** The share of a company's limits that its other keys take. */
export interface TakenLimits {
  rate_limit: number;
  daily_quota: number;
  /** Further keys that were not revoked. */
  further_keys: number;
}

/**
 * Returns what the keys of a company take of its ceilings, but for `keyId`. A key that was revoked or lowered today takes
 * what it has used, so that a new one in its place opens no second quota.
 */
export async function readTakenLimits(
  sql: Sql,
  { companyId, keyId }: { companyId: string; keyId: string | null },
): Promise<TakenLimits> {
  const [row] = await sql<TakenLimits[]>`
    select coalesce(sum(k.rate_limit) filter (where k.is_active or k.is_current), 0)::float8 as rate_limit,
      coalesce(sum(greatest(u.notifications, case when k.is_active or k.is_current then k.daily_quota else 0 end)), 0)::float8
        as daily_quota,
      (count(*) filter (where k.is_active and k.name is not null))::int as further_keys
    from outbound.api_keys as k
    left join outbound.usage as u on u.company_id = k.company_id and u.api_key_id = k.id
      and u.day = (now() at time zone 'UTC')::date
    where k.company_id = ${companyId} and k.id is distinct from ${keyId}`;
  return row!;
}

/** Returns the index of the first id that names no sender of the company; undefined when all do. */
export async function findUnknownSender(
  sql: Sql,
  { companyId, senderIds }: { companyId: string; senderIds: string[] },
): Promise<number | undefined> {
  const [row] = await sql<{ index: number }[]>`
    select (given.ord - 1)::int as index from unnest(${senderIds}::uuid[]) with ordinality as given(id, ord)
    where not exists (
      select from outbound.senders as s where s.company_id = ${companyId} and s.id = given.id
    )
    order by given.ord limit 1`;
  return row?.index;
}
