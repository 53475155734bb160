import assert from "node:assert/strict";
import type postgres from "postgres";
import { createSealer, webhookSecretOf } from "../../supabase/functions/_shared/crypto/seal.ts";
import { webhookEventSchema } from "../../supabase/functions/_shared/http/company/webhook_events.ts";
import { newSigningSecret } from "../../supabase/functions/_shared/events_out/signing.ts";
import type { JsonObject } from "./http.ts";
import { TEST_SECRETS_KEY } from "./fixtures.ts";

const sealer = createSealer(TEST_SECRETS_KEY);

export interface WebhookOverrides {
  url?: string;
  event_types?: string[] | null;
  secret?: string;
  is_active?: boolean;
  failures?: number;
}

/** Gives a company an active webhook for all events; the URL leads nowhere unless given. Returns its secret. */
export async function insertWebhook(
  sql: postgres.Sql,
  companyId: string,
  { secret = newSigningSecret(), ...overrides }: WebhookOverrides = {},
): Promise<{ secret: string }> {
  const row = {
    company_id: companyId,
    url: "http://127.0.0.1:9/",
    secret_sealed: await sealer.seal(secret, webhookSecretOf(companyId)),
    ...overrides,
  };
  await sql`insert into outbound.webhooks ${sql(row)}`;
  return { secret };
}

/** Writes events of a company as a state change would, each with a delivery that is due. Returns their ids. */
export async function insertEvents(
  sql: postgres.Sql,
  companyId: string,
  count: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    with event as (
      insert into outbound.outgoing_events (company_id, type, payload)
      select ${companyId}, 'notification.sent', json_build_object('type', 'notification.sent', 'data', n)
      from generate_series(1, ${count}) as n
      returning company_id, id
    )
    insert into outbound.webhook_deliveries (company_id, event_id)
    select company_id, id from event returning event_id as id`;
  return rows.map(({ id }) => id);
}

export interface OutgoingEvent {
  id: string;
  type: string;
  payload: JsonObject;
}

/** The events written for a company, oldest first. Each has exactly the form that the API document describes. */
export async function readEvents(sql: postgres.Sql, companyId: string): Promise<OutgoingEvent[]> {
  const events = await sql<OutgoingEvent[]>`
    select id, type, payload from outbound.outgoing_events
    where company_id = ${companyId} order by created_at, type`;
  for (const { payload } of events) assert.deepEqual(webhookEventSchema.parse(payload), payload);
  return events;
}

/** Every attempt to deliver a company's events, by event and number. */
export async function readDeliveries(sql: postgres.Sql, companyId: string): Promise<JsonObject[]> {
  return await sql`
    select event_id, attempt, attempt_since_replay, status, response_status, response_body, error, duration_ms,
      (extract(epoch from run_at - now()))::float8 as in_s
    from outbound.webhook_deliveries where company_id = ${companyId} order by event_id, attempt`;
}
