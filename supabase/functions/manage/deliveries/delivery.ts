import { z } from "@hono/zod-openapi";
import { DELIVERY_STATUSES, type EventRow } from "../../_shared/db/webhook_events.ts";
import { timeOf } from "../../_shared/http/app/list_page.ts";

export const EVENT_ID = "evt_0192f8c2111142228333444455556666";

export const eventIdSchema = z.string().regex(/^evt_[0-9a-f]{32}$/, "an event's id")
  .openapi({ example: EVENT_ID });
export const statusSchema = z.enum(DELIVERY_STATUSES, { error: DELIVERY_STATUSES.join(", ") })
  .openapi("DeliveryStatus");

export const deliverySchema = z.object({
  event_id: eventIdSchema,
  type: z.string(),
  status: statusSchema,
  created_at: z.iso.datetime(),
  attempts: z.number().int().openapi({ description: "Tries that are over" }),
  response_status: z.number().int().nullable().openapi({ description: "Of the last try" }),
  error: z.string().nullable().openapi({ description: "Of the last try" }),
  last_try_at: z.iso.datetime().nullable(),
  next_try_at: z.iso.datetime().nullable(),
}).openapi("Delivery");

export const deliveryExample: z.input<typeof deliverySchema> = {
  event_id: EVENT_ID,
  type: "notification.read",
  status: "pending",
  created_at: "2026-12-01T09:00:00Z",
  attempts: 2,
  response_status: 503,
  error: "The endpoint responded with 503",
  last_try_at: "2026-12-01T09:00:05Z",
  next_try_at: "2026-12-01T09:05:05Z",
};

/** Returns a delivery in the API's names. */
export function describeDelivery(row: EventRow): z.input<typeof deliverySchema> {
  return {
    event_id: row.eventId,
    type: row.type,
    status: row.status,
    created_at: timeOf(row.createdAt)!,
    attempts: row.attempts,
    response_status: row.responseStatus,
    error: row.error,
    last_try_at: timeOf(row.finishedAt),
    next_try_at: timeOf(row.nextTryAt),
  };
}
