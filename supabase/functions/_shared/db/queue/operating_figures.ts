import { connect, type Sql } from "../driver/connect.ts";

/** The state of queue, senders, events and database; see `outbound.operating_figures`. Counts end at 10,000. */
export interface OperatingFigures {
  due: number;
  oldest_due_s: number;
  scheduled: number;
  held: number;
  sending: number;
  unconfirmed: number;
  senders: Record<"active" | "stopped" | "locked", number>;
  senders_low: number;
  senders_warned: number;
  campaigns_held: number;
  events_unapplied: number;
  oldest_event_s: number;
  deliveries_pending: number;
  oldest_delivery_s: number;
  calls_active: number;
  calls_overdue: number;
  leases_lost: number;
  foreign_events: number;
  webhook_failing_s: number;
  /** 0 in a database that sends nothing (`readCell`). */
  cell_active: 0 | 1;
  tick_s?: Partial<Record<"dispatcher" | "pg_cron", number>>;
  snapshot_s: number;
  xmin_age: number;
}

/** Longer than the query ever takes on a database that works. */
const STATEMENT_TIMEOUT_MS = 2000;

/** Opens the connection that the figures are read by: their own, so that they never take one from the work. */
export function openFiguresConnection(databaseUrl: string): Sql {
  return connect(databaseUrl, { max: 1 });
}

/** Reads the figures. Rejects when the database needs more than two seconds. */
export async function readOperatingFigures(sql: Sql): Promise<OperatingFigures> {
  return await sql.begin(async (transaction) => {
    await transaction`select set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true)`;
    const [row] = await transaction<{ figures: OperatingFigures }[]>`
      select outbound.operating_figures() as figures`;
    return row!.figures;
  });
}
