import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";

/** Value of the settings row `maintenance`; the API answers 503 while `on`, until `until` where it is given. */
export interface Maintenance {
  on: boolean;
  /** ISO 8601 UTC: when the API opens by itself. */
  until: string | null;
  /** ISO 8601 UTC: when this state began. */
  since: string;
}

/** Switches maintenance on or off. Switching on again moves `until` and keeps `since`. */
export async function setMaintenance(
  { sql }: { sql: Sql },
  { on, until = null }: { on: boolean; until?: Date | null },
): Promise<Maintenance> {
  const value = { on, until: until?.toISOString() ?? null, since: new Date().toISOString() };
  const [row] = await sql<{ value: Maintenance }[]>`
    insert into outbound.settings as s (name, value) values ('maintenance', ${sql.json(value)})
    on conflict (name) do update
      set updated_at = now(), value = case when s.value -> 'on' = excluded.value -> 'on'
        then excluded.value || jsonb_build_object('since', s.value -> 'since') else excluded.value end
    returning value`;
  return row!.value;
}
