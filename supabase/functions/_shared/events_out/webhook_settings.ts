import { type Sealer, webhookSecretOf } from "../crypto/seal.ts";
import type { Actor } from "../db/access/audit.ts";
import type { Sql } from "../db/driver/connect.ts";
import {
  finishDeliveries,
  type FinishedDelivery,
  replaceWebhookSecret,
  saveWebhook,
  writeTestEvent,
} from "../db/webhooks/webhooks.ts";
import { sendDelivery } from "./deliveries.ts";
import type { EventType } from "./event_types.ts";
import { newSigningSecret } from "./signing.ts";

/** Where webhooks are stored, and what seals their secrets. */
export interface WebhookStore {
  sql: Sql;
  sealer: Sealer;
}

export interface WebhookSettings {
  companyId: string;
  /** Checked by `checkEndpointUrl`. */
  url: URL;
  /** Null is all of them. */
  eventTypes: EventType[] | null;
}

/**
 * Gives a company a webhook, or changes the one it has and switches it on again. Returns the secret the first time, and
 * null later: it stays.
 */
export async function setWebhook(
  { sql, sealer }: WebhookStore,
  { companyId, url, eventTypes }: WebhookSettings,
  by: Actor,
): Promise<string | null> {
  const secret = newSigningSecret();
  const secretSealed = await sealer.seal(secret, webhookSecretOf(companyId));
  const isNew = await saveWebhook(sql, { companyId, url: url.href, eventTypes, secretSealed }, by);
  return isNew ? secret : null;
}

/**
 * Gives a company's webhook a new secret. For 24 hours events are signed with the old one too; the one before that ends
 * now. Undefined when the company has no webhook.
 */
export async function rotateWebhookSecret(
  { sql, sealer }: WebhookStore,
  companyId: string,
  by: Actor,
): Promise<{ secret: string; old_secret_until: Date } | undefined> {
  const secret = newSigningSecret();
  const sealed = await sealer.seal(secret, webhookSecretOf(companyId));
  const replaced = await replaceWebhookSecret(sql, companyId, sealed, by);
  return replaced && { secret, ...replaced };
}

/** How an endpoint responded to a test event. */
export interface WebhookTest {
  event_id: string;
  ok: boolean;
  response_status: number | null;
  /** Its first kilobyte. */
  response_body: string | null;
  error: string | null;
  duration_ms: number;
}

/**
 * Sends a `webhook.test` event to a company's endpoint now, once, from here, and returns the response. The delivery log
 * shows it like any other event. Undefined when the company has no webhook.
 *
 * @param context `allowPrivate`: whether endpoints may be on this machine, in private networks, and without TLS
 */
export async function testWebhook(
  { sql, sealer, allowPrivate }: WebhookStore & { allowPrivate: boolean },
  companyId: string,
  by: Actor,
): Promise<WebhookTest | undefined> {
  const worker = crypto.randomUUID();
  const payload = JSON.stringify({
    type: "webhook.test",
    timestamp: new Date().toISOString(),
    data: { company_id: companyId },
  });
  const delivery = await writeTestEvent(sql, { companyId, worker, payload }, by);
  if (!delivery) return undefined;
  const context = { sealer, now: () => new Date(), random: Math.random, allowPrivate };
  const finished: FinishedDelivery = { ...await sendDelivery(context, delivery), retry_in_s: null };
  await finishDeliveries(sql, { worker, results: [finished] });
  return {
    event_id: finished.event_id,
    ok: finished.outcome === "succeeded",
    response_status: finished.response_status,
    response_body: finished.response_body,
    error: finished.error,
    duration_ms: finished.duration_ms,
  };
}
