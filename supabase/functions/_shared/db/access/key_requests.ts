import { afterRow } from "../driver/after_row.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { KeyIds } from "./further_keys.ts";

/** A request that was made with a key of a company. */
export interface KeyRequest extends KeyIds {
  /** `req_` and the hex digits of a uuid. */
  requestId: string;
  at: Date;
  method: string;
  /** As the API document names it, so without ids. */
  path: string;
  status: number;
  /** Of a refusal. */
  code: string | undefined;
  durationMs: number;
}

/** The beginnings of what a request and its response said, without secrets; null where there is nothing to keep. */
export interface RequestBodies {
  request: string | null;
  response: string | null;
}

/** A stored request and how many it stands for. */
export interface SampledRequest extends KeyRequest {
  standsFor: number;
  /** Where the company wants them kept. */
  bodies?: RequestBodies | undefined;
}

/**
 * Stores requests of keys; those of a key that is being deleted are left out. Bodies are stored for companies that want
 * them, unless the company has erased a person since. Returns these companies.
 */
export async function insertKeyRequests(sql: Sql, requests: SampledRequest[]): Promise<string[]> {
  const given = requests.map((
    { companyId, keyId, requestId, durationMs, standsFor, bodies, ...request },
  ) => ({
    ...request,
    ...{ company_id: companyId, key_id: keyId, id: uuidOf(requestId) },
    ...{ duration_ms: durationMs, stands_for: standsFor },
    ...{ request_body: bodies?.request, response_body: bodies?.response },
  }));
  const recorded = await sql<{ company_id: string }[]>`
    with given as materialized (
      select * from jsonb_to_recordset(${jsonParameter(sql, given)}) as g(
        company_id uuid, key_id uuid, id uuid, method text, path text, status smallint, code text, duration_ms real,
        stands_for int, at timestamptz, request_body text, response_body text
      )
    ),
    -- Locked, so that an erasure either waits and deletes these bodies too, or is seen here.
    recorded as materialized (
      select r.company_id, r.since from outbound.recorded_bodies as r
      where r.company_id in (select g.company_id from given as g) for share skip locked
    ),
    stored as (
      insert into outbound.key_requests
        (company_id, id, api_key_id, method, path, status, code, duration_ms, stands_for, created_at)
      select k.company_id, g.id, k.id, g.method, g.path, g.status, g.code, g.duration_ms, g.stands_for, g.at
      from given as g join outbound.api_keys as k on k.company_id = g.company_id and k.id = g.key_id
      for key share of k skip locked
      returning company_id, id, created_at
    ),
    bodies as (
      insert into outbound.key_request_bodies (company_id, id, request, response, created_at)
      select s.company_id, s.id, g.request_body, g.response_body, s.created_at
      from stored as s join given as g using (company_id, id)
      join recorded as r on r.company_id = s.company_id and s.created_at > r.since
      where g.request_body is not null or g.response_body is not null
    )
    select company_id from recorded`;
  const companies = recorded.map(({ company_id }) => company_id);
  for (const companyId of companies) {
    const hasBodies = requests.some((each) => each.companyId === companyId && each.bodies !== undefined);
    if (hasBodies) await sql`select outbound.trim_request_bodies(${companyId})`;
  }
  return companies;
}

/** A request with its bodies. */
export interface KeyRequestDetails extends KeyRequestRow {
  request_body: string | null;
  response_body: string | null;
}

/** Returns a request of a key with its bodies; undefined where there is none. */
export async function readKeyRequest(
  sql: Sql,
  { companyId, keyId, requestId }: KeyIds & { requestId: string },
): Promise<KeyRequestDetails | undefined> {
  const [row] = await sql<(Omit<KeyRequestDetails, "request_id"> & { id: string })[]>`
    select r.id, r.created_at as at, r.method, r.path, r.status, r.code, r.duration_ms, r.stands_for,
      b.request as request_body, b.response as response_body
    from outbound.key_requests as r
    left join outbound.key_request_bodies as b on b.company_id = r.company_id and b.id = r.id
    where r.company_id = ${companyId} and r.id = ${uuidOf(requestId)} and r.api_key_id = ${keyId}`;
  if (row === undefined) return undefined;
  const { id, ...request } = row;
  return { ...request, request_id: requestIdOf(id) };
}

/** A request as it is shown. */
export interface KeyRequestRow {
  request_id: string;
  at: Date;
  method: string;
  path: string;
  status: number;
  code: string | null;
  duration_ms: number;
  stands_for: number;
}

/** The requests that are looked for. */
export interface KeyRequestFilters {
  request_id?: string | undefined;
  path?: string | undefined;
  status?: number | undefined;
  code?: string | undefined;
  refused?: boolean | undefined;
}

/** How many requests a page with filters looks through, however few of them fit. */
const DEPTH = 10_000;

/**
 * Returns a page of a key's requests, newest first, and the id to read on after; null at the end. A page with filters looks
 * through a fixed number of requests, so that a rare one costs no more: it may be short, or empty, before the end.
 */
export async function readKeyRequestPage(
  sql: Sql,
  { companyId, keyId, after, limit, ...filters }:
    & KeyIds
    & KeyRequestFilters
    & { after?: string | undefined; limit: number },
): Promise<{ rows: KeyRequestRow[]; next: string | null }> {
  const { request_id: requestId, path, status, code, refused } = filters;
  const depth = Object.values(filters).some((filter) => filter !== undefined) ? DEPTH : limit;
  const fits = sql`r.path = coalesce(${path ?? null}, r.path) and r.status = coalesce(${
    status ?? null
  }, r.status)
    and (${code ?? null}::text is null or r.code = ${code ?? null}) and (r.status >= 400) = coalesce(${
    refused ?? null
  }, r.status >= 400)`;
  const found = await sql<
    (Omit<KeyRequestRow, "request_id"> & { id: string; looked_at: number; last: string })[]
  >`
    with looked as materialized (
      select r.* from outbound.key_requests as r
      where r.company_id = ${companyId} and r.api_key_id = ${keyId}
        ${requestId === undefined ? sql`` : sql`and r.id = ${uuidOf(requestId)}`}
        ${afterRow(sql, "r", { table: "outbound.key_requests", companyId, after })}
      order by r.created_at desc, r.id desc limit ${depth}
    )
    select r.id, r.created_at as at, r.method, r.path, r.status, r.code, r.duration_ms, r.stands_for, o.looked_at, o.last
    from (select count(*)::int as looked_at, (array_agg(id order by created_at, id))[1] as last from looked) as o
    left join (select * from looked as r where ${fits} order by r.created_at desc, r.id desc limit ${limit}) as r
      on true
    order by r.created_at desc, r.id desc`;
  const { looked_at: lookedAt, last } = found[0]!;
  const fitting = found.filter(({ id }) => id !== null);
  return {
    rows: fitting.map(({ id, ...row }) => ({ ...row, request_id: requestIdOf(id) })),
    next: fitting.length === limit ? fitting.at(-1)!.id : lookedAt === depth ? last : null,
  };
}

/** The id of a request in the database: the uuid in `req_…`. */
function uuidOf(requestId: string): string {
  return requestId.slice("req_".length);
}

function requestIdOf(uuid: string): string {
  return `req_${uuid.replaceAll("-", "")}`;
}
