import { z } from "@hono/zod-openapi";
import { eventExists, readWebhook, replayEvents } from "../../_shared/db/webhooks.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import { addMemberRoute } from "../member_route.ts";
import { noWebhook } from "../webhooks/webhook.ts";
import { eventIdSchema } from "./delivery.ts";

const responseSchema = z.object({
  replayed: z.number().int().openapi({ description: "Events that go now, with all their tries" }),
}).openapi("ReplayedDeliveries");

/** `POST …/deliveries/{event_id}/replay` delivers one event again, `POST …/webhooks/replay` those that failed since a time. */
export function registerReplay(app: App): void {
  addMemberRoute(app, {
    method: "post",
    path: "/deliveries/{event_id}/replay",
    operationId: "replayDelivery",
    summary: "Deliver one event again",
    role: "operator",
    params: z.object({ event_id: eventIdSchema }),
    response: { schema: responseSchema, example: { replayed: 1 } },
    refusals: [409],
  }, async (c, { member: { companyId, by }, params: { event_id: eventId } }) => {
    const { sql } = c.get("services");
    await requireActiveWebhook(c, companyId);
    const replayed = await replayEvents(sql, { companyId, eventId, since: null }, by);
    if (replayed === 0 && !await eventExists(sql, { companyId, eventId })) {
      throw new AppError("not_found", "Delivery not found");
    }
    return { replayed };
  });

  addMemberRoute(app, {
    method: "post",
    path: "/webhooks/replay",
    operationId: "replayFailedDeliveries",
    summary: "Deliver events again that failed",
    description: "Those since `since`. Events that wait for a further try go now.",
    role: "operator",
    body: {
      schema: z.strictObject({
        since: z.iso.datetime({ offset: true, error: "a time with its zone, such as 2026-12-01T09:00:00Z" }),
      }).openapi("ReplaySince"),
      example: { since: "2026-12-01T09:00:00Z" },
    },
    response: { schema: responseSchema, example: { replayed: 12 } },
    refusals: [409],
  }, async (c, { member: { companyId, by }, body: { since } }) => {
    await requireActiveWebhook(c, companyId);
    const { sql } = c.get("services");
    return { replayed: await replayEvents(sql, { companyId, eventId: null, since: new Date(since) }, by) };
  });
}

async function requireActiveWebhook(c: AppContext, companyId: string): Promise<void> {
  const webhook = await readWebhook(c.get("services").sql, companyId);
  if (webhook === undefined) throw noWebhook();
  if (!webhook.isActive) throw new AppError("webhook_off", "The webhook is off: set it again, then replay");
}
