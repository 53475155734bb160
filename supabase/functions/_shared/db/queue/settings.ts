import { jsonParameter, type Sql } from "../driver/connect.ts";

/** The maintenance switch, as `deno task admin maintenance` writes it. */
export interface Maintenance {
  on: boolean;
  /** ISO 8601, or null when no end was given. */
  until: string | null;
  since: string | null;
}

/** Returns the maintenance switch; null when it was never set. */
export async function readMaintenance(sql: Sql): Promise<Maintenance | null> {
  const [row] = await sql<{ value: Maintenance }[]>`
    select value from outbound.settings where name = 'maintenance'`;
  return row?.value ?? null;
}

/**
 * Stores the maintenance switch and returns it. Switching on again changes `until` and keeps `since`.
 *
 * @param maintenance.since now
 */
export async function writeMaintenance(sql: Sql, maintenance: Maintenance): Promise<Maintenance> {
  const [row] = await sql<{ value: Maintenance }[]>`
    insert into outbound.settings as s (name, value) values ('maintenance', ${
    jsonParameter(sql, maintenance)
  })
    on conflict (name) do update
      set updated_at = now(), value = case when s.value -> 'on' = excluded.value -> 'on'
        then excluded.value || jsonb_build_object('since', s.value -> 'since') else excluded.value end
    returning value`;
  return row!.value;
}

/** When a dispatcher and pg_cron last ran the queue's tick, by the database's clock; null for never. */
export interface LastTicks {
  dispatcher: Date | null;
  pg_cron: Date | null;
  now: Date;
  /** The database takes no writes: a replica, or switched to read-only. */
  read_only: boolean;
}

/** A platform that does not respond to a sender, or to several. */
export interface PlatformOutage {
  channel: "whatsapp" | "voice";
  since: string;
  senders: number;
  /** When the next message is tried; null when the outage is over. */
  next_try_at: string | null;
}

/** Returns the platforms that do not respond. */
export async function readPlatformOutages(sql: Sql): Promise<PlatformOutage[]> {
  const rows = await sql<{ outage: PlatformOutage }[]>`
    select to_jsonb(o) as outage from outbound.platform_outages() as o order by o.channel`;
  return rows.map(({ outage }) => outage);
}

/** Returns outages that begin or end, each to one caller of all processes. */
export async function reportPlatformOutages(sql: Sql): Promise<(PlatformOutage & { is_over: boolean })[]> {
  const rows = await sql<{ outage: PlatformOutage & { is_over: boolean } }[]>`
    select to_jsonb(o) as outage from outbound.report_platform_outages() as o`;
  return rows.map(({ outage }) => outage);
}

export async function readLastTicks(sql: Sql): Promise<LastTicks> {
  const [row] = await sql<LastTicks[]>`
    select max(updated_at) filter (where name = 'last_tick:dispatcher') as dispatcher,
      max(updated_at) filter (where name = 'last_tick:pg_cron') as pg_cron, now() as now,
      current_setting('transaction_read_only')::boolean as read_only
    from outbound.settings where name in ('last_tick:dispatcher', 'last_tick:pg_cron')`;
  return row!;
}

/** How long one dispatcher may delete before it leaves the rest for the next minute. */
const CLEAN_UP_BUDGET_MS = 20_000;

/**
 * Deletes expired rows where pg_cron does not: one dispatcher per minute, in transactions of some thousand rows each, until
 * nothing is left or its time is up.
 *
 * @param options.signal ends it after the transaction that runs
 */
export async function cleanUpWhenDue(
  sql: Sql,
  { signal, budgetMs = CLEAN_UP_BUDGET_MS }: { signal?: AbortSignal; budgetMs?: number } = {},
): Promise<void> {
  const until = performance.now() + budgetMs;
  const [row] = await sql<{ more: boolean | null }[]>`
    select (outbound.clean_up_when_due() ->> 'more')::boolean as more`;
  let more = row!.more;
  while (more && !signal?.aborted && performance.now() < until) {
    const [next] = await sql<{ more: boolean }[]>`select (outbound.clean_up() ->> 'more')::boolean as more`;
    more = next!.more;
  }
}

/**
 * Stores 64 KB in new pages and rolls back: fails where a message could not be stored either. A small change would still fit
 * the pages of a full disk.
 */
export async function tryToStore(sql: Sql): Promise<void> {
  await sql`
    do $$
    begin
      insert into outbound.settings (name, value)
        select 'trial:' || gen_random_uuid(), to_jsonb(string_agg(md5(random()::text), ''))
        from generate_series(1, 2048);
      raise exception using errcode = 'OUT00';
    exception when sqlstate 'OUT00' then null;
    end
    $$`;
}

/** Returns the sealed text that shows whether an OUTBOUND_SECRETS_KEY is the right one; `seal` creates it where there is none yet. */
export async function readSecretsCanary(sql: Sql, seal: () => Promise<string>): Promise<string> {
  const stored = await storedCanary(sql);
  if (stored !== undefined) return stored;
  const sealed = await seal();
  await sql`
    insert into outbound.settings (name, value) values ('secrets_canary', to_jsonb(${sealed}::text))
    on conflict on constraint settings_pkey do nothing`;
  return (await storedCanary(sql))!;
}

/** Returns whether some process has fixed which OUTBOUND_SECRETS_KEY is the right one. */
export async function hasSecretsCanary(sql: Sql): Promise<boolean> {
  return await storedCanary(sql) !== undefined;
}

/** Stores the sealed text that shows whether an OUTBOUND_SECRETS_KEY is the right one from now on. */
export async function replaceSecretsCanary(sql: Sql, sealed: string): Promise<void> {
  await sql`
    update outbound.settings set value = to_jsonb(${sealed}::text), updated_at = now()
    where name = 'secrets_canary'`;
}

async function storedCanary(sql: Sql): Promise<string | undefined> {
  const [row] = await sql<{ sealed: string }[]>`
    select value #>> '{}' as sealed from outbound.settings where name = 'secrets_canary'`;
  return row?.sealed;
}

/** Gives a new cell the settings that all cells share, unless it has its own: maintenance, and which OUTBOUND_SECRETS_KEY is right. */
export async function copySharedSettings({ from, to }: { from: Sql; to: Sql }): Promise<void> {
  const shared = await from<{ name: string; value: unknown }[]>`
    select name, value from outbound.settings where name in ('maintenance', 'secrets_canary')`;
  await to`
    insert into outbound.settings (name, value)
    select s.name, s.value from jsonb_to_recordset(${jsonParameter(to, shared)}) as s(name text, value jsonb)
    on conflict (name) do nothing`;
}
