import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { showWebhook } from "./show_webhook.ts";

export interface DeliveryRow {
  eventId: string;
  type: string;
  attempt: number;
  status: "pending" | "succeeded" | "failed";
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  durationMs: number | null;
  /** When it was made; for a pending one, when it is due. */
  at: Date;
}

/**
 * Tries to deliver a company's events, those of the newest event first.
 *
 * @throws {CommandError} `not_found`
 */
export async function listDeliveries(
  { sql }: { sql: Sql },
  { companyId, failed, limit }: { companyId: string; failed: boolean; limit: number },
): Promise<DeliveryRow[]> {
  await showWebhook({ sql }, { companyId });
  return await sql<DeliveryRow[]>`
    select d.event_id as "eventId", e.type, d.attempt, d.status, d.response_status as "responseStatus",
      d.response_body as "responseBody", d.error, d.duration_ms as "durationMs",
      coalesce(d.finished_at, d.run_at) as at
    from outbound.outgoing_events as e
    join outbound.webhook_deliveries as d on d.company_id = e.company_id and d.event_id = e.id
    where e.company_id = ${companyId} ${failed ? sql`and d.status = 'failed'` : sql``}
    order by e.created_at desc, e.id, d.attempt desc
    limit ${limit}`;
}
