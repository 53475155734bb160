import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { Maintenance } from "../../supabase/functions/_shared/db/settings.ts";

/**
 * Switches maintenance on or off. The API answers 503 while it is on, until `until` where that is given. Switching
 * on again moves `until` and keeps `since`.
 */
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
