import { type Actor, withoutAudited } from "../access/audit.ts";
import { afterRow } from "../driver/after_row.ts";
import type { Sql } from "../driver/connect.ts";
import {
  auditedFields,
  type EndpointKey,
  type EventFilters,
  OWN_ENDPOINT,
  webhookColumns,
  type WebhookRow,
} from "./webhooks.ts";

/** The ids of a webhook of a company beside its own. */
export interface FurtherKey {
  companyId: string;
  endpointId: string;
}

/** A webhook of a company beside its own. */
export interface EndpointRow extends WebhookRow {
  endpoint_id: string;
  name: string;
}

/** The settings of such a webhook, which an owner decides. */
export interface EndpointFields extends EventFilters {
  name: string;
  /** Checked by `checkEndpointUrl`. */
  url: string;
}

function columns(sql: Sql) {
  return sql`w.id as endpoint_id, w.name, ${webhookColumns(sql, sql`w.id`)}`;
}

function facts(sql: Sql, endpoint: string) {
  return sql`jsonb_build_object('name', ${sql(endpoint)}.name) || ${auditedFields(sql, endpoint)}`;
}

/** Returns a page of a company's further webhooks, newest first. */
export async function readEndpointPage(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<EndpointRow[]> {
  return await sql<EndpointRow[]>`
    select ${columns(sql)} from outbound.webhook_endpoints as w
    where w.company_id = ${companyId} ${
    afterRow(sql, "w", { table: "outbound.webhook_endpoints", companyId, after })
  }
    order by w.created_at desc, w.id desc limit ${limit}`;
}

/** Returns a further webhook; undefined when the company has no such. */
export async function readEndpoint(
  sql: Sql,
  { companyId, endpointId }: FurtherKey,
): Promise<EndpointRow | undefined> {
  const [row] = await sql<EndpointRow[]>`
    select ${columns(sql)} from outbound.webhook_endpoints as w
    where w.company_id = ${companyId} and w.id = ${endpointId}`;
  return row;
}

/** Keeps other transactions from changing a further webhook until this one ends. */
export async function lockEndpoint(
  sql: Sql,
  { companyId, endpointId }: FurtherKey,
): Promise<void> {
  await sql`
    select from outbound.webhook_endpoints where company_id = ${companyId} and id = ${endpointId} for no key update`;
}

/** Returns how many further webhooks a company has, those that are off included. */
export async function countEndpoints(sql: Sql, companyId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from outbound.webhook_endpoints where company_id = ${companyId}`;
  return row!.count;
}

/** Stores a further webhook and returns it. */
export async function insertEndpoint(
  sql: Sql,
  { companyId, endpointId, secretSealed, ...fields }: FurtherKey & EndpointFields & { secretSealed: string },
  by: Actor,
): Promise<EndpointRow> {
  const { name, url, event_types, channels, sender_ids } = fields;
  const [row] = await sql<(EndpointRow & { audited: string })[]>`
    with w as (
      insert into outbound.webhook_endpoints (company_id, id, name, url, event_types, channels, sender_ids, secret_sealed)
      values (${companyId}, ${endpointId}, ${name}, ${url}, ${event_types}, ${channels}, ${sender_ids}, ${secretSealed})
      returning *
    )
    select ${columns(sql)}, outbound.write_audit(
      w.company_id, ${by.actor}, 'webhook.created', w.id::text, null, ${facts(sql, "w")}, ${
    by.requestId ?? null
  }
    ) as audited from w`;
  return withoutAudited(row!);
}

/** Changes a further webhook, which exists, and switches it on again. */
export async function updateEndpoint(
  sql: Sql,
  { companyId, endpointId }: FurtherKey,
  { name, url, event_types, channels, sender_ids }: EndpointFields,
  by: Actor,
): Promise<EndpointRow> {
  const [row] = await sql<(EndpointRow & { audited: string })[]>`
    with old as materialized (
      select * from outbound.webhook_endpoints
      where company_id = ${companyId} and id = ${endpointId} for no key update
    ),
    w as (
      update outbound.webhook_endpoints as e
      set name = ${name}, url = ${url}, event_types = ${event_types}, channels = ${channels},
        sender_ids = ${sender_ids}, is_active = true, stopped_reason = null, failures = 0, updated_at = now()
      from old where e.company_id = old.company_id and e.id = old.id
      returning e.*
    )
    select ${columns(sql)}, outbound.audit_change(
      w.company_id, ${by.actor}, 'webhook.updated', w.id::text, ${facts(sql, "old")}, ${facts(sql, "w")},
      ${by.requestId ?? null}
    ) as audited from w cross join old`;
  return withoutAudited(row!);
}

/** Removes a further webhook; its pending deliveries end. Returns whether there was one. */
export async function deleteEndpoint(
  sql: Sql,
  { companyId, endpointId }: FurtherKey,
  by: Actor,
): Promise<boolean> {
  const [row] = await sql`
    with old as materialized (
      select * from outbound.webhook_endpoints
      where company_id = ${companyId} and id = ${endpointId} for update
    ),
    stopped as materialized (
      select outbound.stop_endpoint(old.company_id, old.id, 'The webhook was removed') from old
    )
    select outbound.write_audit(
      old.company_id, ${by.actor}, 'webhook.removed', old.id::text, ${facts(sql, "old")}, null,
      ${by.requestId ?? null}
    ) from old cross join stopped`;
  if (row === undefined) return false;
  // After it was stopped: one statement changes a row once.
  await sql`delete from outbound.webhook_endpoints where company_id = ${companyId} and id = ${endpointId}`;
  return true;
}

/** The attempts to reach an endpoint that ended in one hour. */
export interface EndpointHour {
  hour: Date;
  succeeded: number;
  failed: number;
}

/** Returns the hours since a time in which attempts to reach an endpoint ended, the latest first. */
export async function readEndpointHistory(
  sql: Sql,
  { companyId, endpointId = OWN_ENDPOINT, since }: EndpointKey & { since: Date },
): Promise<EndpointHour[]> {
  return await sql<EndpointHour[]>`
    select h.hour, h.succeeded, h.failed from outbound.webhook_history as h
    where h.company_id = ${companyId} and h.endpoint_id = ${endpointId} and h.hour >= ${since}
    order by h.hour desc`;
}
