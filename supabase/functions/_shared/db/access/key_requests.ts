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

/** A stored request and how many it stands for. */
export interface SampledRequest extends KeyRequest {
  standsFor: number;
}

/** Stores requests of keys; those of a key that is being deleted are left out. */
export async function insertKeyRequests(sql: Sql, requests: SampledRequest[]): Promise<void> {
  const given = requests.map(({ companyId, keyId, requestId, durationMs, standsFor, ...request }) => ({
    ...request,
    ...{ company_id: companyId, key_id: keyId, id: uuidOf(requestId) },
    ...{ duration_ms: durationMs, stands_for: standsFor },
  }));
  await sql`
    insert into outbound.key_requests
      (company_id, id, api_key_id, method, path, status, code, duration_ms, stands_for, created_at)
    select k.company_id, g.id, k.id, g.method, g.path, g.status, g.code, g.duration_ms, g.stands_for, g.at
    from jsonb_to_recordset(${jsonParameter(sql, given)}) as g(
      company_id uuid, key_id uuid, id uuid, method text, path text, status smallint, code text, duration_ms real,
      stands_for int, at timestamptz
    )
    join outbound.api_keys as k on k.company_id = g.company_id and k.id = g.key_id
    for key share of k skip locked`;
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
