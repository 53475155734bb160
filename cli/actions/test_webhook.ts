import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import {
  type ClaimedDelivery,
  finishDeliveries,
  type FinishedDelivery,
} from "../../supabase/functions/_shared/db/webhook_deliveries.ts";
import { sendDelivery } from "../../supabase/functions/_shared/events_out/send_delivery.ts";
import { noWebhook } from "./no_webhook.ts";
import type { WebhookContext } from "./set_webhook.ts";

export interface WebhookTest {
  companyId: string;
  eventId: string;
  ok: boolean;
  responseStatus: number | null;
  responseBody: string | null;
  error: string | null;
  durationMs: number;
}

/**
 * Sends a `webhook.test` event to a company's endpoint now, once, from here, and tells what it answered. It is part of
 * the delivery log like any other.
 *
 * @throws {CommandError} `not_found`
 */
export async function testWebhook(
  { sql, sealer, allowPrivateWebhooks }: WebhookContext,
  { companyId }: { companyId: string },
): Promise<WebhookTest> {
  const worker = crypto.randomUUID();
  const delivery = await writeTestEvent(sql, companyId, worker);
  if (!delivery) throw await noWebhook(sql, companyId);
  const context = {
    sealer,
    now: () => new Date(),
    random: Math.random,
    allowPrivate: allowPrivateWebhooks,
  };
  const finished: FinishedDelivery = { ...await sendDelivery(context, delivery), retry_in_s: null };
  await finishDeliveries(sql, { worker, results: [finished] });
  return {
    companyId,
    eventId: finished.event_id,
    ok: finished.outcome === "succeeded",
    responseStatus: finished.response_status,
    responseBody: finished.response_body,
    error: finished.error,
    durationMs: finished.duration_ms,
  };
}

/** Written as held by this process, so that no dispatcher takes it. */
async function writeTestEvent(
  sql: Sql,
  companyId: string,
  worker: string,
): Promise<ClaimedDelivery | undefined> {
  const payload = JSON.stringify({
    type: "webhook.test",
    timestamp: new Date().toISOString(),
    data: { company_id: companyId },
  });
  const [row] = await sql<ClaimedDelivery[]>`
    with event as (
      insert into outbound.outgoing_events (company_id, type, payload)
      select company_id, 'webhook.test', ${payload}::text::json from outbound.webhooks where company_id = ${companyId}
      returning company_id, id, payload
    ),
    delivery as (
      insert into outbound.webhook_deliveries (company_id, event_id, worker, run_at)
      select company_id, id, ${worker}, now() + interval '1 minute' from event
      returning company_id, event_id, attempt, try
    )
    select delivery.*, event.payload::text, w.url, w.secret_sealed, false as troubled,
      case when w.old_secret_until > now() then w.old_secret_sealed end as old_secret_sealed
    from delivery
    join event on event.company_id = delivery.company_id
    join outbound.webhooks as w on w.company_id = delivery.company_id`;
  return row;
}
