import { afterRow } from "../driver/after_row.ts";
import type { Sql } from "../driver/connect.ts";
import { type EndpointKey, OWN_ENDPOINT } from "./webhooks.ts";

/** States of an event's delivery: of its latest attempt. */
export const DELIVERY_STATUSES = ["pending", "succeeded", "failed"] as const;

export type DeliveryStatus = typeof DELIVERY_STATUSES[number];

/** An event for a company's server, and how its delivery goes. */
export interface EventRow {
  event_id: string;
  type: string;
  status: DeliveryStatus;
  created_at: Date;
  /** The attempts that are over, in the event's whole life. */
  attempts: number;
  /** Of the last attempt that is over. */
  response_status: number | null;
  error: string | null;
  last_try_at: Date | null;
  /** When the next attempt is due; null when none is. */
  next_try_at: Date | null;
}

export interface EventQuery extends EndpointKey {
  status?: DeliveryStatus | undefined;
  type?: string | undefined;
  since?: Date | undefined;
  /** The last event of the page before. */
  after?: string | undefined;
  limit: number;
}

/** The events that one page looks through at most: a filter that fits few of them must not read the whole history. */
const MAX_SCANNED = 5000;

/** A page of events, and where the next one begins; null after the last. */
export interface EventPage {
  events: EventRow[];
  next: string | null;
}

/** Returns a page of the events for an endpoint, newest first. With a filter, a page may hold fewer than `limit` before the last one. */
export async function readEventPage(
  sql: Sql,
  { companyId, endpointId, status, type, since, after, limit }: EventQuery,
): Promise<EventPage> {
  const maxScanned = status || type || endpointId ? MAX_SCANNED : limit;
  const rows = await sql<(EventRow & { last_scanned: string; scanned: number })[]>`
    with scanned as materialized (
      select e.id, e.type, e.created_at from outbound.outgoing_events as e
      where e.company_id = ${companyId} ${since ? sql`and e.created_at >= ${since}` : sql``}
        ${afterRow(sql, "e", { table: "outbound.outgoing_events", companyId, after })}
      order by e.created_at desc, e.id desc limit ${maxScanned}
    ),
    -- Only a status and an endpoint take the attempts of more events than the page has.
    fitting as materialized (
      select * from scanned ${type ? sql`where type = ${type}` : sql``}
      order by created_at desc, id desc limit ${status || endpointId ? maxScanned : limit}
    ),
    page as (
      select ${eventColumns(sql)}
      from fitting as s ${attemptsOf(sql, { companyId, endpointId })}
      ${status ? sql`where latest.status = ${status}` : sql``}
      order by s.created_at desc, s.id desc limit ${limit}
    ),
    bounds as (
      select count(*)::int as scanned, (array_agg(id order by created_at, id))[1] as last_scanned from scanned
    )
    select page.*, bounds.* from bounds left join page on true
    order by page.created_at desc, page.event_id desc`;
  const { scanned, last_scanned } = rows[0]!;
  const events = rows.filter(({ event_id }) => event_id !== null)
    .map(({ scanned: _, last_scanned: __, ...event }) => event);
  const next = events.length === limit
    ? events.at(-1)!.event_id
    : scanned === maxScanned
    ? last_scanned
    : null;
  return { events, next };
}

function eventColumns(sql: Sql) {
  return sql`
    s.id as event_id, s.type, s.created_at, latest.status, latest.attempts,
    past.response_status, past.error, past.finished_at as last_try_at,
    case when latest.status = 'pending' then latest.run_at end as next_try_at`;
}

/** The latest attempt of each event of `s` to reach an endpoint, how many are over, and the last of these. */
function attemptsOf(sql: Sql, { companyId, endpointId = OWN_ENDPOINT }: EndpointKey) {
  const its = sql`d.company_id = ${companyId} and d.event_id = s.id and d.endpoint_id = ${endpointId}`;
  return sql`
    cross join lateral (
      select d.status, d.run_at, (count(*) over () - case when d.status = 'pending' then 1 else 0 end)::int as attempts
      from outbound.webhook_deliveries as d where ${its} order by d.attempt desc limit 1
    ) as latest
    left join lateral (
      select d.response_status, d.error, d.finished_at from outbound.webhook_deliveries as d
      where ${its} and d.status <> 'pending' order by d.attempt desc limit 1
    ) as past on true`;
}

/** One attempt to deliver an event. */
export interface AttemptRow {
  attempt: number;
  status: DeliveryStatus;
  /** When it was over; of a pending one, when it is due. */
  at: string;
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number | null;
  /** As they were sent; null where none were. */
  request_headers: Record<string, string> | null;
}

/** An event with its body and all its attempts. */
export interface EventDetails extends EventRow {
  /** To the letter as it is sent. */
  body: string;
  /** The latest first. */
  tries: AttemptRow[];
}

/** A company that replays an event without end makes no response without end. */
const MAX_ATTEMPTS = 100;

/** Returns one event with its body and its last attempts; undefined when the endpoint was sent none with this id. */
export async function readEvent(
  sql: Sql,
  { companyId, endpointId = OWN_ENDPOINT, eventId }: EndpointKey & { eventId: string },
): Promise<EventDetails | undefined> {
  const [row] = await sql<EventDetails[]>`
    select ${eventColumns(sql)}, s.payload::text as body, (
      select json_agg(t order by t.attempt desc) from (
        select row_number() over (order by d.attempt) as attempt, d.status,
          to_char(coalesce(d.finished_at, d.run_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at,
          d.response_status, d.response_body, d.error, d.duration_ms, d.request_headers
        from outbound.webhook_deliveries as d
        where d.company_id = ${companyId} and d.event_id = s.id and d.endpoint_id = ${endpointId}
        order by d.attempt desc limit ${MAX_ATTEMPTS}
      ) as t
    ) as tries
    from outbound.outgoing_events as s ${attemptsOf(sql, { companyId, endpointId })}
    where s.company_id = ${companyId} and s.id = ${eventId}`;
  return row;
}
