import { z } from "@hono/zod-openapi";
import type { Actor } from "../../db/access/audit.ts";
import type { Sql } from "../../db/driver/connect.ts";
import { eventExists, readWebhook, replayEvents } from "../../db/webhooks/webhooks.ts";
import { AppError } from "../../errors.ts";

export const replayedSchema = z.object({
  replayed: z.number().int().openapi({ description: "Events that go now, with all their attempts" }),
}).openapi("ReplayedDeliveries");

/** Delivers one event again. Throws `not_found` and `webhook_off`. */
export async function replayDelivery(
  sql: Sql,
  { companyId, eventId }: { companyId: string; eventId: string },
  by: Actor,
): Promise<z.input<typeof replayedSchema>> {
  await requireActiveWebhook(sql, companyId);
  const replayed = await replayEvents(sql, { companyId, eventId, since: null }, by);
  if (replayed === 0 && !await eventExists(sql, { companyId, eventId })) {
    throw new AppError("not_found", "Delivery not found");
  }
  return { replayed };
}

/** Delivers again what failed since a time. Throws `not_found` and `webhook_off`. */
export async function replayFailed(
  sql: Sql,
  { companyId, since }: { companyId: string; since: Date },
  by: Actor,
): Promise<z.input<typeof replayedSchema>> {
  await requireActiveWebhook(sql, companyId);
  return { replayed: await replayEvents(sql, { companyId, eventId: null, since }, by) };
}

async function requireActiveWebhook(sql: Sql, companyId: string): Promise<void> {
  const webhook = await readWebhook(sql, companyId);
  if (webhook === undefined) throw noWebhook();
  if (!webhook.is_active) throw new AppError("webhook_off", "The webhook is off: set it again, then replay");
}

/** The refusal for a company without a webhook. */
export function noWebhook(): AppError {
  return new AppError("not_found", "The company has no webhook yet: set its URL first");
}
