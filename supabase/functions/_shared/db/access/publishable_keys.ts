import { afterRow } from "../driver/after_row.ts";
import { type Actor, withoutAudited } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";

/** A key for web pages: it opens a company's widgets and nothing else, so it is no secret. */
export interface PublishableKeyRow {
  key_id: string;
  company_id: string;
  key: string;
  is_active: boolean;
  created_at: Date;
}

function columns(sql: Sql) {
  return sql`id as key_id, company_id, key, is_active, created_at`;
}

/** Stores a publishable key and returns it. */
export async function insertPublishableKey(
  sql: Sql,
  companyId: string,
  key: string,
  by: Actor,
): Promise<PublishableKeyRow> {
  const [row] = await sql<(PublishableKeyRow & { audited: string })[]>`
    with added as (
      insert into outbound.publishable_keys (company_id, key) values (${companyId}, ${key}) returning *
    )
    select ${columns(sql)}, outbound.write_audit(
      company_id, ${by.actor}, 'publishable_key.created', id::text, null, null, ${by.requestId ?? null}
    ) as audited from added`;
  return withoutAudited(row!);
}

/** Revokes or activates a publishable key, by its id or its text. Undefined when the company has no such key. */
export async function updatePublishableKeyActive(
  sql: Sql,
  { companyId, isActive, ...which }:
    & { companyId: string; isActive: boolean }
    & (
      { keyId: string } | { key: string }
    ),
  by: Actor,
): Promise<PublishableKeyRow | undefined> {
  const action = isActive ? "publishable_key.activated" : "publishable_key.revoked";
  const [row] = await sql<(PublishableKeyRow & { audited: string })[]>`
    with old as materialized (
      select company_id as of_company, id as of_id, is_active as was_active from outbound.publishable_keys
      where company_id = ${companyId} and ${
    "key" in which ? sql`key = ${which.key}` : sql`id = ${which.keyId}`
  }
      for no key update
    ),
    changed as (
      update outbound.publishable_keys as k set is_active = ${isActive}
      from old where k.company_id = of_company and k.id = of_id
      returning k.*, was_active
    )
    select ${columns(sql)}, outbound.audit_change(
      company_id, ${by.actor}, ${action}, id::text, jsonb_build_object('is_active', was_active),
      jsonb_build_object('is_active', is_active), ${by.requestId ?? null}
    ) as audited from changed`;
  return row && withoutAudited(row);
}

/** Returns a page of a company's publishable keys, newest first. */
export async function readPublishableKeyPage(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<PublishableKeyRow[]> {
  return await sql<PublishableKeyRow[]>`
    select ${columns(sql)} from outbound.publishable_keys
    where company_id = ${companyId}
      ${afterRow(sql, "publishable_keys", { table: "outbound.publishable_keys", companyId, after })}
    order by created_at desc, id desc limit ${limit}`;
}

/** Returns a company's newest active publishable key; undefined when it has none. */
export async function readEmbeddingKey(sql: Sql, companyId: string): Promise<string | undefined> {
  const [row] = await sql<{ key: string }[]>`
    select key from outbound.publishable_keys where company_id = ${companyId} and is_active
    order by created_at desc, id desc limit 1`;
  return row?.key;
}
