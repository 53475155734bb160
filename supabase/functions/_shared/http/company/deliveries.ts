import { z } from "@hono/zod-openapi";
import type { Sql } from "../../db/driver/connect.ts";
import { DELIVERY_STATUSES, readEvent, readEventPage } from "../../db/webhooks/webhook_events.ts";
import type { EndpointKey } from "../../db/webhooks/webhooks.ts";
import { EVENT_TYPES } from "../../events_out/event_types.ts";
import { type Filters, testField } from "../app/list_page.ts";
import { AppError } from "../../errors.ts";
import { zonedTime } from "../../values/zoned_time.ts";
import { showRow } from "../app/show_row.ts";

const EVENT_ID = "evt_0192f8c2111142228333444455556666";

export const eventIdSchema = z.string().regex(/^evt_[0-9a-f]{32}$/, "an event's id")
  .openapi({
    description: "The event's id, as lists of deliveries and the header `webhook-id` show it",
    example: EVENT_ID,
  });
const statusSchema = z.enum(DELIVERY_STATUSES, { error: DELIVERY_STATUSES.join(", ") })
  .openapi("DeliveryStatus");

const deliverySchema = z.object({
  event_id: eventIdSchema,
  type: z.string(),
  status: statusSchema,
  created_at: z.iso.datetime(),
  attempts: z.number().int().openapi({ description: "Attempts that are over" }),
  response_status: z.number().int().nullable().openapi({ description: "Of the last attempt" }),
  error: z.string().nullable().openapi({ description: "Of the last attempt" }),
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

/** An event that a delivery may be of. */
export const eventTypeFilter = z.enum([...EVENT_TYPES, "webhook.test"], {
  error: "an event type of docs/webhooks.md",
});

/** Names one of the company's endpoints. */
export const endpointFilter = {
  endpoint_id: z.guid({ error: "the id of one of your further webhooks" }).optional().openapi({
    description: "A further webhook; left out: the company's own",
  }),
};

/** The filters of a list of deliveries. */
export const deliveryFilters = {
  ...endpointFilter,
  status: statusSchema.optional().openapi({ description: "Only deliveries in this state" }),
  type: eventTypeFilter.optional().openapi({
    description: "Only events of this type",
  }),
  since: zonedTime("a time with its zone").optional().openapi({
    description: "Only events from this time on",
    example: "2026-12-01T09:00:00Z",
  }),
  after: eventIdSchema.optional().openapi({ description: "The `next` of the page before" }),
};

export const deliveriesSchema = z.object({
  deliveries: z.array(deliverySchema),
  ...testField,
  next: eventIdSchema.nullable().openapi({
    description: "Give it as `after` to read on; null at the end",
  }),
}).openapi("Deliveries");

/** Returns a page of the events for an endpoint with the state of their delivery, the newest first. */
export async function listDeliveries(
  sql: Sql,
  companyId: string,
  { since, endpoint_id: endpointId, ...query }: Filters<typeof deliveryFilters> & { limit: number },
): Promise<z.input<typeof deliveriesSchema>> {
  const from = since === undefined ? undefined : new Date(since);
  const { events, next } = await readEventPage(sql, { ...query, since: from, companyId, endpointId });
  return { deliveries: events.map((event) => showRow(deliverySchema, event)), next };
}

/** The headers of a request to an endpoint. */
export const requestHeadersSchema = z.record(z.string(), z.string()).nullable().openapi({
  description: "Ours, as they were sent; null where no request was made, and of attempts of older versions",
});

export const requestHeadersExample = {
  "content-type": "application/json",
  "webhook-id": EVENT_ID,
  "webhook-timestamp": "1796115605",
  "webhook-signature": "v1,…",
};

const attemptSchema = z.object({
  attempt: z.number().int(),
  status: statusSchema,
  at: z.iso.datetime().openapi({ description: "When it was over; of a pending one, when it is due" }),
  request_headers: requestHeadersSchema,
  response_status: z.number().int().nullable(),
  response_body: z.string().nullable().openapi({ description: "Its first kilobyte" }),
  error: z.string().nullable(),
  duration_ms: z.number().int().nullable(),
}).openapi("DeliveryAttempt");

/** An event with its body and all attempts to deliver it. */
export const deliveryDetailsSchema = deliverySchema.extend({
  body: z.string().openapi({ description: "To the letter, as it is signed and sent" }),
  tries: z.array(attemptSchema).openapi({ description: "The latest first, 100 at most" }),
}).openapi("DeliveryDetails");

export const deliveryDetailsExample: z.input<typeof deliveryDetailsSchema> = {
  ...deliveryExample,
  event_id: EVENT_ID,
  body: '{"type":"notification.read","timestamp":"2026-12-01T09:00:00Z","data":{}}',
  tries: [{
    attempt: 2,
    status: "failed",
    at: "2026-12-01T09:00:05Z",
    request_headers: requestHeadersExample,
    response_status: 503,
    response_body: "busy",
    error: "The endpoint responded with 503",
    duration_ms: 13,
  }],
};

/** Returns an event with its body and its attempts. Throws `not_found`. */
export async function showDelivery(
  sql: Sql,
  ids: EndpointKey & { eventId: string },
): Promise<z.input<typeof deliveryDetailsSchema>> {
  const event = await readEvent(sql, ids);
  if (event === undefined) throw new AppError("not_found", "Delivery not found");
  return showRow(deliveryDetailsSchema, event);
}
