import { type Sealer, webhookSecretOf } from "../crypto/seal.ts";
import type { Actor } from "../db/access/audit.ts";
import type { Sql } from "../db/driver/connect.ts";
import { inTransaction } from "../db/driver/in_transaction.ts";
import { lockCompany } from "../db/access/companies.ts";
import {
  countEndpoints,
  type EndpointFields,
  type EndpointRow,
  insertEndpoint,
} from "../db/webhooks/endpoints.ts";
import {
  type EndpointKey,
  type EventFilters,
  finishDeliveries,
  type FinishedDelivery,
  replaceWebhookSecret,
  saveWebhook,
  writeTestEvent,
} from "../db/webhooks/webhooks.ts";
import { AppError } from "../errors.ts";
import { sendDelivery } from "./deliveries.ts";
import { newSigningSecret } from "./signing.ts";

/** Of one company, beside its own webhook. */
export const MAX_FURTHER_WEBHOOKS = 10;

/** Where webhooks are stored, and what seals their secrets. */
export interface WebhookStore {
  sql: Sql;
  sealer: Sealer;
}

export interface WebhookSettings {
  companyId: string;
  /** Checked by `checkEndpointUrl`. */
  url: URL;
  filters: EventFilters;
}

/**
 * Gives a company a webhook, or changes the one it has and switches it on again. Returns the secret the first time, and
 * null later: it stays.
 */
export async function setWebhook(
  { sql, sealer }: WebhookStore,
  { companyId, url, filters }: WebhookSettings,
  by: Actor,
): Promise<string | null> {
  const secret = newSigningSecret();
  const secretSealed = await sealer.seal(secret, webhookSecretOf(companyId));
  const isNew = await saveWebhook(sql, { companyId, url: url.href, filters, secretSealed }, by);
  return isNew ? secret : null;
}

/**
 * Gives a company a webhook beside its own, and returns it with its secret, which is not shown again.
 *
 * @param check what else must be true, in the same transaction
 * @throws {AppError} `validation_failed` beyond the most webhooks
 */
export async function createEndpoint(
  { sql, sealer }: WebhookStore,
  { companyId, ...fields }: { companyId: string } & EndpointFields,
  by: Actor,
  check: (sql: Sql) => Promise<void>,
): Promise<{ secret: string; row: EndpointRow }> {
  const secret = newSigningSecret();
  const secretSealed = await sealer.seal(secret, webhookSecretOf(companyId));
  const row = await inTransaction(sql, async (on) => {
    await lockCompany(on, companyId);
    if (await countEndpoints(on, companyId) >= MAX_FURTHER_WEBHOOKS) {
      throw new AppError(
        "validation_failed",
        `A company has at most ${MAX_FURTHER_WEBHOOKS} further webhooks: remove one`,
      );
    }
    await check(on);
    return await insertEndpoint(
      on,
      { companyId, endpointId: crypto.randomUUID(), secretSealed, ...fields },
      by,
    );
  });
  return { secret, row };
}

/**
 * Gives an endpoint a new secret. For 24 hours events are signed with the old one too; the one before that ends now.
 * Undefined when there is no such endpoint.
 */
export async function rotateWebhookSecret(
  { sql, sealer }: WebhookStore,
  endpoint: EndpointKey,
  by: Actor,
): Promise<{ secret: string; old_secret_until: Date } | undefined> {
  const secret = newSigningSecret();
  const sealed = await sealer.seal(secret, webhookSecretOf(endpoint.companyId));
  const replaced = await replaceWebhookSecret(sql, endpoint, sealed, by);
  return replaced && { secret, ...replaced };
}

/** An event that reports nothing: its data are made up. */
export interface SampleEvent {
  type: string;
  test: true;
  data: Record<string, unknown>;
}

/** How an endpoint responded to a test event. */
export interface WebhookTest {
  event_id: string;
  ok: boolean;
  /** As they were sent. */
  request_headers: Record<string, string> | null;
  response_status: number | null;
  /** Its first kilobyte. */
  response_body: string | null;
  error: string | null;
  duration_ms: number;
}

/**
 * Sends an event to an endpoint now, once, from here, and returns the response: `webhook.test`, or one of another type that
 * is marked as a test. The delivery log shows it like any other event. Undefined when there is no such endpoint.
 *
 * @param context `allowPrivate`: whether endpoints may be on this machine, in private networks, and without TLS
 */
export async function testWebhook(
  { sql, sealer, allowPrivate }: WebhookStore & { allowPrivate: boolean },
  { sample, ...endpoint }: EndpointKey & { sample?: SampleEvent | undefined },
  by: Actor,
): Promise<WebhookTest | undefined> {
  const worker = crypto.randomUUID();
  const { type, ...body } = sample ?? { type: "webhook.test", data: { company_id: endpoint.companyId } };
  const payload = JSON.stringify({ type, timestamp: new Date().toISOString(), ...body });
  const delivery = await writeTestEvent(sql, { ...endpoint, worker, type, payload }, by);
  if (!delivery) return undefined;
  const context = { sealer, now: () => new Date(), random: Math.random, allowPrivate };
  const finished: FinishedDelivery = { ...await sendDelivery(context, delivery), retry_in_s: null };
  await finishDeliveries(sql, { worker, results: [finished] });
  return {
    event_id: finished.event_id,
    ok: finished.outcome === "succeeded",
    request_headers: finished.request_headers,
    response_status: finished.response_status,
    response_body: finished.response_body,
    error: finished.error,
    duration_ms: finished.duration_ms,
  };
}
