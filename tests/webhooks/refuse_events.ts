import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";

/** From now on the database refuses to store events with this SQLSTATE, until the returned function is called. */
export async function refuseEvents(sql: Sql, sqlstate: string): Promise<() => Promise<unknown>> {
  await sql.unsafe(`
    create function outbound.refuse_events() returns trigger language plpgsql as
    $$ begin raise exception 'injected' using errcode = '${sqlstate}'; end $$;
    create trigger refuse_events before insert on outbound.platform_events
      execute function outbound.refuse_events();`);
  return () => sql.unsafe("drop trigger refuse_events on outbound.platform_events");
}
