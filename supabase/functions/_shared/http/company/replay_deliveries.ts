import { z } from "@hono/zod-openapi";
import type { Actor } from "../../db/access/audit.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { readEndpoint } from "../../db/webhooks/endpoints.ts";
import { type EndpointKey, eventExists, readWebhook, replayEvents } from "../../db/webhooks/webhooks.ts";
import { AppError } from "../../errors.ts";

export const replayedSchema = z.object({
  replayed: z.number().int().openapi({ description: "Events that go now, with all their attempts" }),
}).openapi("ReplayedDeliveries");

/** Delivers one event to an endpoint again. Throws `not_found` and `webhook_off`. */
export async function replayDelivery(
  sql: Sql,
  { eventId, ...endpoint }: EndpointKey & { eventId: string },
  by: Actor,
): Promise<z.input<typeof replayedSchema>> {
  await requireActiveWebhook(sql, endpoint);
  const replayed = await replayEvents(sql, { ...endpoint, eventId, since: null }, by);
  if (replayed === 0 && !await eventExists(sql, { ...endpoint, eventId })) {
    throw new AppError("not_found", "Delivery not found");
  }
  return { replayed };
}

/** Delivers to an endpoint again what failed since a time. Throws `not_found` and `webhook_off`. */
export async function replayFailed(
  sql: Sql,
  { since, ...endpoint }: EndpointKey & { since: Date },
  by: Actor,
): Promise<z.input<typeof replayedSchema>> {
  await requireActiveWebhook(sql, endpoint);
  return { replayed: await replayEvents(sql, { ...endpoint, eventId: null, since }, by) };
}

async function requireActiveWebhook(sql: Sql, { companyId, endpointId }: EndpointKey): Promise<void> {
  const webhook = endpointId === undefined
    ? await readWebhook(sql, companyId)
    : await readEndpoint(sql, { companyId, endpointId });
  if (webhook === undefined) throw noWebhook(endpointId);
  if (!webhook.is_active) throw new AppError("webhook_off", "The webhook is off: set it again, then replay");
}

/** The refusal for a company without a webhook, or without this further one. */
export function noWebhook(endpointId?: string): AppError {
  return new AppError(
    "not_found",
    endpointId === undefined
      ? "The company has no webhook yet: set its URL first"
      : "The company has no such webhook, or it was removed",
  );
}
