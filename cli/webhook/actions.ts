import type { Sealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  type DeliveryRow,
  eventExists,
  readDeliveries,
  readWebhook,
  replayEvents as replayInDatabase,
  stopWebhook as stopInDatabase,
  type WebhookRow,
} from "../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import type { EventType } from "../../supabase/functions/_shared/events_out/event_types.ts";
import {
  rotateWebhookSecret as rotate,
  setWebhook as set,
  testWebhook as test,
  type WebhookTest as Test,
} from "../../supabase/functions/_shared/events_out/webhook_settings.ts";
import { checkEndpointUrl } from "../../supabase/functions/_shared/gateways/http1/addresses.ts";
import { CommandError } from "../errors/command_error.ts";
import { noWebhook, refuseOnConstraint, requireCompanies } from "../errors/refusals.ts";

export interface WebhookContext {
  sql: Sql;
  sealer: Sealer;
  /** Whether endpoints may be on this machine, in private networks, and without TLS. */
  allowPrivateWebhooks: boolean;
}

export interface SetWebhook {
  companyId: string;
  url: string;
  /** All of them when absent. */
  eventTypes?: EventType[] | undefined;
}

/**
 * Gives a company a webhook, or changes the one it has and switches it on again. Only the first time creates and returns
 * the secret; later ones keep it.
 *
 * @throws {CommandError} `bad_value` for a URL that events may not go to, `not_found`
 */
export async function setWebhook(
  { sql, sealer, allowPrivateWebhooks }: WebhookContext,
  { companyId, url, eventTypes: given }: SetWebhook,
): Promise<{ companyId: string; url: string; eventTypes: EventType[] | null; secret: string | null }> {
  const checked = checkEndpointUrl(url, { allowPrivate: allowPrivateWebhooks });
  if (typeof checked === "string") {
    throw new CommandError("bad_value", `Invalid --url: ${lowerFirst(checked)}`);
  }
  const eventTypes = given ?? null;
  const secret = await refuseOnConstraint(
    set({ sql, sealer }, { companyId, url: checked, eventTypes }, CLI),
    { companyId },
  );
  return { companyId, url: checked.href, eventTypes, secret };
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

/**
 * Gives a company's webhook a new secret. For 24 hours events are signed with the old one too; the one before that ends
 * now.
 *
 * @throws {CommandError} `not_found`
 */
export async function rotateWebhookSecret(
  { sql, sealer }: { sql: Sql; sealer: Sealer },
  { companyId }: { companyId: string },
): Promise<{ company_id: string; secret: string; old_secret_until: Date }> {
  const rotated = await rotate({ sql, sealer }, companyId, CLI);
  if (!rotated) throw await missingWebhook(sql, companyId);
  return { company_id: companyId, ...rotated };
}

/**
 * Returns a company's webhook, without its secret.
 *
 * @throws {CommandError} `not_found`
 */
export async function showWebhook(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<WebhookRow> {
  const webhook = await readWebhook(sql, companyId);
  if (!webhook) throw await missingWebhook(sql, companyId);
  return webhook;
}

/** Returns why a company's webhook was not found: there is no such company, or it has none. */
async function missingWebhook(sql: Sql, companyId: string): Promise<CommandError> {
  await requireCompanies(sql, companyId);
  return noWebhook(companyId);
}

/**
 * Switches a company's webhook off: it gets no more events, and pending deliveries end.
 *
 * @throws {CommandError} `not_found`
 */
export async function stopWebhook(
  { sql }: { sql: Sql },
  { companyId }: { companyId: string },
): Promise<{ companyId: string; isActive: boolean }> {
  if (!await stopInDatabase(sql, companyId, CLI)) throw await missingWebhook(sql, companyId);
  return { companyId, isActive: false };
}

export type WebhookTest = Test & { companyId: string };

/**
 * Sends a `webhook.test` event to a company's endpoint now, once, from here, and returns the response. The delivery log
 * shows it like any other event.
 *
 * @throws {CommandError} `not_found`
 */
export async function testWebhook(
  { sql, sealer, allowPrivateWebhooks }: WebhookContext,
  { companyId }: { companyId: string },
): Promise<WebhookTest> {
  const tested = await test({ sql, sealer, allowPrivate: allowPrivateWebhooks }, companyId, CLI);
  if (!tested) throw await missingWebhook(sql, companyId);
  return { companyId, ...tested };
}

/**
 * Returns the attempts to deliver a company's events, those of the newest event first.
 *
 * @throws {CommandError} `not_found`
 */
export async function listDeliveries(
  { sql }: { sql: Sql },
  query: { companyId: string; failed: boolean; limit: number },
): Promise<DeliveryRow[]> {
  await showWebhook({ sql }, query);
  return await readDeliveries(sql, query);
}

/** One event, or those that could not be delivered: since a time, or as far back as they are kept. */
export type ReplayedEvents = { eventId: string } | { failed: true; since?: Date | undefined };

/**
 * Delivers events again, with all their attempts; those that wait for a later attempt go now.
 *
 * @throws {CommandError} `not_found`, or `bad_value` while the webhook is off
 */
export async function replayEvents(
  { sql }: { sql: Sql },
  { companyId, ...events }: { companyId: string } & ReplayedEvents,
): Promise<{ companyId: string; replayed: number }> {
  const { is_active: isActive } = await showWebhook({ sql }, { companyId });
  if (!isActive) throw new CommandError("bad_value", `The webhook of company ${companyId} is off`);
  if ("failed" in events) {
    const since = events.since ?? new Date(0);
    return { companyId, replayed: await replayInDatabase(sql, { companyId, eventId: null, since }, CLI) };
  }
  const { eventId } = events;
  const replayed = await replayInDatabase(sql, { companyId, eventId, since: null }, CLI);
  if (replayed === 0 && !await eventExists(sql, { companyId, eventId })) {
    throw new CommandError("not_found", `Company ${companyId} has no event with id ${eventId}`);
  }
  return { companyId, replayed };
}
