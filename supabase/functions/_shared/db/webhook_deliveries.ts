import type { Sql } from "./connect.ts";

/** A delivery leased to this worker, with all that is needed to make the request. */
export interface ClaimedDelivery {
  company_id: string;
  event_id: string;
  /** Over the event's whole life, from 1; goes back with the result. */
  attempt: number;
  /** Since the event was last replayed, from 1. */
  try: number;
  /** JSON, to be sent as it is. */
  payload: string;
  url: string;
  secret_sealed: string;
  /** The one before it, while a rotation is under way. */
  old_secret_sealed: string | null;
  /** The endpoint failed three times in a row. */
  troubled: boolean;
}

/** How one try went; see `outbound.finish_deliveries`. */
export interface FinishedDelivery {
  company_id: string;
  event_id: string;
  attempt: number;
  outcome: "succeeded" | "failed";
  response_status: number | null;
  response_body: string | null;
  error: string | null;
  duration_ms: number;
  /** Null when there is no further try. */
  retry_in_s: number | null;
  /** The endpoint wants no more events. */
  gone: boolean;
}

export interface DeliveryClaim {
  worker: string;
  limit: number;
  /** How many of them may go to endpoints in trouble. */
  troubled: number;
  leaseS: number;
}

export async function claimDeliveries(
  sql: Sql,
  { worker, limit, troubled, leaseS }: DeliveryClaim,
): Promise<ClaimedDelivery[]> {
  return await sql<ClaimedDelivery[]>`
    select * from outbound.claim_deliveries(${worker}, ${limit}, ${troubled}, make_interval(secs => ${leaseS}))`;
}

/** Returns how many were written down; fewer than given means that their leases had ended. */
export async function finishDeliveries(
  sql: Sql,
  { worker, results }: { worker: string; results: FinishedDelivery[] },
): Promise<number> {
  const [row] = await sql<{ finished: number }[]>`
    select outbound.finish_deliveries(${worker}, ${sql.json(results as never)}) as finished`;
  return row!.finished;
}
