import type { EventType } from "../../events_out/event_types.ts";
import { type Actor, withoutAudited } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";

/** The id of a company's own webhook among its endpoints; those beside it have ids of their own. */
export const OWN_ENDPOINT = "00000000-0000-0000-0000-000000000000";

/** One of a company's endpoints: its own webhook where no other is named. */
export interface EndpointKey {
  companyId: string;
  endpointId?: string | undefined;
}

/** Where an endpoint is stored. */
function stored(sql: Sql, { companyId, endpointId = OWN_ENDPOINT }: EndpointKey) {
  return endpointId === OWN_ENDPOINT
    ? { table: sql`outbound.webhooks`, isIt: sql`company_id = ${companyId}` }
    : { table: sql`outbound.webhook_endpoints`, isIt: sql`company_id = ${companyId} and id = ${endpointId}` };
}

/** A delivery leased to this worker, with everything the request needs. */
export interface ClaimedDelivery {
  company_id: string;
  event_id: string;
  /** Over the event's whole life, from 1; goes back with the result. */
  attempt: number;
  /** Since the event was last replayed, from 1. */
  attempt_since_replay: number;
  /** JSON, to be sent as it is. */
  payload: string;
  url: string;
  secret_sealed: string;
  /** The secret before it, for 24 hours after a rotation. */
  old_secret_sealed: string | null;
  /** The endpoint failed three times in a row. */
  is_failing: boolean;
  /** The span of the request that made the campaign which the event is about, as `traceparent`. */
  trace: string | null;
}

/** The result of one attempt; see `outbound.finish_deliveries`. */
export interface FinishedDelivery {
  company_id: string;
  event_id: string;
  attempt: number;
  outcome: "succeeded" | "failed" | "released";
  /** As they were sent; null where none were. */
  request_headers: Record<string, string> | null;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number;
  /** Null when there is no further attempt. */
  retry_in_s: number | null;
  /** The endpoint wants no more events. */
  gone: boolean;
}

export interface DeliveryClaim {
  worker: string;
  limit: number;
  /** How many of them may go to endpoints in trouble. */
  maxFailing: number;
  leaseS: number;
}

/** Claims deliveries that are due. */
export async function claimDeliveries(
  sql: Sql,
  { worker, limit, maxFailing, leaseS }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  return await sql<ClaimedDelivery[]>`
    select * from outbound.claim_deliveries(${worker}, ${limit}, ${maxFailing}, make_interval(secs => ${leaseS}))`;
}

/** Records the results of deliveries. Returns how many it recorded: fewer than given when leases had ended. */
export async function finishDeliveries(
  sql: Sql,
  { worker, results }: { worker: string; results: FinishedDelivery[] },
): Promise<number> {
  const [row] = await sql<{ finished: number }[]>`
    select outbound.finish_deliveries(${worker}, ${sql.json(results as never)}) as finished`;
  return row!.finished;
}

/**
 * Releases the deliveries that this worker has claimed without knowing, as `releaseClaimed` does notifications. Returns how
 * many it released.
 */
export async function releaseDeliveries(
  sql: Sql,
  { worker, known }: { worker: string; known: Pick<ClaimedDelivery, "company_id" | "event_id">[] },
): Promise<number> {
  const companies = known.map(({ company_id }) => company_id);
  const events = known.map(({ event_id }) => event_id);
  const [row] = await sql<{ released: number }[]>`
    select outbound.release_deliveries(${worker}, ${companies}, ${events}) as released`;
  return row!.released;
}

/** Which events an endpoint gets. Null is all of them, also those that name no channel or sender. */
export interface EventFilters {
  event_types: EventType[] | null;
  channels: ("whatsapp" | "voice")[] | null;
  sender_ids: string[] | null;
}

/** A company's webhook as operators see it; never its secret. */
export interface WebhookRow extends EventFilters {
  company_id: string;
  url: string;
  is_active: boolean;
  stopped_reason: string | null;
  /** In a row. */
  failures: number;
  /** Events that wait for a first or a further attempt. */
  waiting: number;
  old_secret_until: Date | null;
  created_at: Date;
}

/** Returns a company's webhook; undefined when it has none. */
export async function readWebhook(sql: Sql, companyId: string): Promise<WebhookRow | undefined> {
  const [row] = await sql<WebhookRow[]>`
    select ${webhookColumns(sql)} from outbound.webhooks as w where w.company_id = ${companyId}`;
  return row;
}

/** The columns of a webhook `w`; its `id` where it is none of a company's own. */
export function webhookColumns(sql: Sql, id = sql`${OWN_ENDPOINT}::uuid`) {
  return sql`
    w.company_id, w.url, w.event_types, w.channels, w.sender_ids, w.is_active, w.stopped_reason, w.failures,
    (
      select count(*)::int from outbound.webhook_deliveries as d
      where d.company_id = w.company_id and d.endpoint_id = ${id} and d.status = 'pending'
    ) as waiting,
    case when w.old_secret_until > now() then w.old_secret_until end as old_secret_until, w.created_at`;
}

/** The fields of a webhook in the audit. A query may hold a secret of the endpoint. */
export function auditedFields(sql: Sql, webhook: string) {
  const w = sql(webhook);
  return sql`jsonb_build_object('url', split_part(${w}.url, '?', 1), 'event_types', ${w}.event_types,
    'is_active', ${w}.is_active) || jsonb_strip_nulls(jsonb_build_object(
    'channels', ${w}.channels, 'sender_ids', ${w}.sender_ids))`;
}

/**
 * Stores a company's webhook, or changes the one it has and switches it on again. Only a new webhook takes the secret.
 * Returns whether it is new.
 */
export async function saveWebhook(
  sql: Sql,
  { companyId, url, filters: { event_types, channels, sender_ids }, secretSealed }: {
    companyId: string;
    url: string;
    filters: EventFilters;
    secretSealed: string;
  },
  by: Actor,
): Promise<boolean> {
  const [row] = await sql<{ is_new: boolean }[]>`
    with old as materialized (
      select * from outbound.webhooks where company_id = ${companyId} for no key update
    ),
    saved as (
      insert into outbound.webhooks as w (company_id, url, event_types, channels, sender_ids, secret_sealed, is_test)
      -- Reads old, so that it is locked before the row changes.
      select ${companyId}::uuid, ${url}, ${event_types}::text[], ${channels}::text[], ${sender_ids}::uuid[], ${secretSealed}, (
        select true from outbound.companies where id = ${companyId} and live_company_id is not null
      ) from (select count(*) from old) as locked
      on conflict on constraint webhooks_pkey do update
        set url = excluded.url, event_types = excluded.event_types, channels = excluded.channels,
          sender_ids = excluded.sender_ids, is_active = true, stopped_reason = null, failures = 0, updated_at = now()
      returning *
    )
    select saved.secret_sealed = ${secretSealed} as is_new, outbound.audit_change(
      saved.company_id, ${by.actor},
      case when saved.secret_sealed = ${secretSealed} then 'webhook.created' else 'webhook.updated' end, null,
      case when old.company_id is not null then ${auditedFields(sql, "old")} end, ${
    auditedFields(sql, "saved")
  }, ${by.requestId ?? null}
    ) from saved left join old on old.company_id = saved.company_id`;
  return row!.is_new;
}

/** Keeps other transactions from changing a company's webhook until this one ends. */
export async function lockWebhook(sql: Sql, companyId: string): Promise<void> {
  await sql`select from outbound.webhooks where company_id = ${companyId} for no key update`;
}

/**
 * Gives a webhook a new secret; the old one stays valid for 24 hours, the one before it ends now. Returns when the old one
 * ends; undefined when the company has no webhook.
 */
export async function replaceWebhookSecret(
  sql: Sql,
  endpoint: EndpointKey,
  secretSealed: string,
  by: Actor,
): Promise<{ old_secret_until: Date } | undefined> {
  const { table, isIt } = stored(sql, endpoint);
  const [row] = await sql<{ old_secret_until: Date }[]>`
    with changed as (
      update ${table}
      set secret_sealed = ${secretSealed}, old_secret_sealed = secret_sealed,
        old_secret_until = now() + interval '24 hours', updated_at = now()
      where ${isIt}
      returning *
    )
    select old_secret_until, outbound.write_audit(
      company_id, ${by.actor}, 'webhook.secret_rotated', ${endpoint.endpointId ?? null}, null, null,
      ${by.requestId ?? null}
    ) from changed`;
  return row && { old_secret_until: row.old_secret_until };
}

/** Switches an endpoint off: it gets no more events, and pending deliveries end. Returns whether there is one. */
export async function stopWebhook(sql: Sql, endpoint: EndpointKey, by: Actor): Promise<boolean> {
  const { table, isIt } = stored(sql, endpoint);
  const [row] = await sql`
    with old as materialized (
      select * from ${table} where ${isIt} for no key update
    )
    select outbound.stop_endpoint(company_id, ${
    endpoint.endpointId ?? OWN_ENDPOINT
  }, null), outbound.audit_change(
      company_id, ${by.actor}, 'webhook.stopped', ${
    endpoint.endpointId ?? null
  }, jsonb_build_object('is_active', is_active),
      jsonb_build_object('is_active', false), ${by.requestId ?? null}
    ) from old`;
  return row !== undefined;
}

/**
 * Delivers events to an endpoint again, with all their attempts: the one with `eventId`, or those since `since` that could
 * not be delivered. Returns how many.
 */
export async function replayEvents(
  sql: Sql,
  { companyId, endpointId, eventId, since }: EndpointKey & { eventId: string | null; since: Date | null },
  by: Actor,
): Promise<number> {
  const [row] = await sql<{ replayed: number }[]>`
    with replay as materialized (
      select outbound.replay_endpoint(${companyId}, ${
    endpointId ?? OWN_ENDPOINT
  }, ${eventId}, ${since}) as replayed
    )
    select replayed, case when replayed > 0 then outbound.write_audit(
      ${companyId}, ${by.actor}, 'delivery.replayed', ${eventId}, null,
      jsonb_strip_nulls(jsonb_build_object('replayed', replayed, 'since', ${since}::timestamptz,
        'endpoint_id', ${endpointId ?? null}::uuid)),
      ${by.requestId ?? null}
    ) end from replay`;
  return row!.replayed;
}

/** Returns whether an endpoint was sent an event with this id. */
export async function eventExists(
  sql: Sql,
  { companyId, endpointId = OWN_ENDPOINT, eventId }: EndpointKey & { eventId: string },
): Promise<boolean> {
  const [found] = await sql`
    select 1 from outbound.webhook_deliveries
    where company_id = ${companyId} and event_id = ${eventId} and endpoint_id = ${endpointId} limit 1`;
  return found !== undefined;
}

/**
 * Writes an event for one endpoint whose delivery this worker has already claimed, so that no dispatcher takes it.
 * Undefined when there is no such endpoint.
 */
export async function writeTestEvent(
  sql: Sql,
  { companyId, endpointId = OWN_ENDPOINT, worker, type, payload }: EndpointKey & {
    worker: string;
    type: string;
    payload: string;
  },
  by: Actor,
): Promise<ClaimedDelivery | undefined> {
  const [row] = await sql<(ClaimedDelivery & { audited: string })[]>`
    with event as (
      insert into outbound.outgoing_events (company_id, type, payload)
      select company_id, ${type}::text, case
        when is_test then jsonb_set(${payload}::text::jsonb, '{data,test}', 'true')::json else ${payload}::text::json
      end
      from outbound.endpoints where company_id = ${companyId} and id = ${endpointId}
      returning company_id, id, payload
    ),
    delivery as (
      insert into outbound.webhook_deliveries (company_id, event_id, endpoint_id, worker, run_at)
      select company_id, id, ${endpointId}, ${worker}, now() + interval '1 minute' from event
      returning company_id, event_id, attempt, attempt_since_replay
    )
    select delivery.*, event.payload::text, w.url, w.secret_sealed, false as is_failing, null as trace,
      case when w.old_secret_until > now() then w.old_secret_sealed end as old_secret_sealed,
      outbound.write_audit(
        w.company_id, ${by.actor}, 'webhook.tested', event.id, null, null, ${by.requestId ?? null}
      ) as audited
    from delivery
    join event on event.company_id = delivery.company_id
    join outbound.endpoints as w on w.company_id = delivery.company_id and w.id = ${endpointId}`;
  return row && withoutAudited(row);
}
