import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { noWebhook } from "./no_webhook.ts";

export interface ShownWebhook {
  companyId: string;
  url: string;
  /** Null is all of them. */
  eventTypes: EventType[] | null;
  isActive: boolean;
  stoppedReason: string | null;
  /** In a row. */
  failures: number;
  /** Events that wait for a first or a further try. */
  waiting: number;
  oldSecretUntil: Date | null;
  createdAt: Date;
}

/**
 * A company's webhook, without its secret.
 *
 * @throws {CommandError} `not_found`
 */
export async function showWebhook(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<ShownWebhook> {
  const [row] = await sql<ShownWebhook[]>`
    select w.company_id as "companyId", w.url, w.event_types as "eventTypes", w.is_active as "isActive",
      w.stopped_reason as "stoppedReason", w.failures,
      (
        select count(*)::int from outbound.webhook_deliveries as d
        where d.company_id = w.company_id and d.status = 'pending'
      ) as waiting,
      case when w.old_secret_until > now() then w.old_secret_until end as "oldSecretUntil",
      w.created_at as "createdAt"
    from outbound.webhooks as w where w.company_id = ${companyId}`;
  if (!row) throw await noWebhook(sql, companyId);
  return row;
}
