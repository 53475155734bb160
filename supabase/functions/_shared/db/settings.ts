import type { Sql } from "./connect.ts";

/** The maintenance switch, as `deno task admin maintenance` writes it. */
export interface Maintenance {
  on: boolean;
  /** ISO 8601, or null when nobody said. */
  until: string | null;
  since: string | null;
}

/** Null when the switch was never touched. */
export async function readMaintenance(sql: Sql): Promise<Maintenance | null> {
  const [row] = await sql<{ value: Maintenance }[]>`
    select value from outbound.settings where name = 'maintenance'`;
  return row?.value ?? null;
}

/** When `outbound.tick` last ran, by whomever; null when it never did. */
export async function readLastTick(sql: Sql): Promise<{ at: Date | null; now: Date }> {
  const [row] = await sql<{ at: Date | null; now: Date }[]>`
    select (select updated_at from outbound.settings where name = 'last_tick') as at, now() as now`;
  return row!;
}
