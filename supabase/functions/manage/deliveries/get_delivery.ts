import { z } from "@hono/zod-openapi";
import { readEvent, type TryRow } from "../../_shared/db/webhook_events.ts";
import { AppError } from "../../_shared/errors.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { timeOf } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import {
  deliveryExample,
  deliverySchema,
  describeDelivery,
  EVENT_ID,
  eventIdSchema,
  statusSchema,
} from "./delivery.ts";

const trySchema = z.object({
  attempt: z.number().int(),
  status: statusSchema,
  at: z.iso.datetime().openapi({ description: "When it was over; of a pending one, when it is due" }),
  response_status: z.number().int().nullable(),
  response_body: z.string().nullable().openapi({ description: "Its first kilobyte" }),
  error: z.string().nullable(),
  duration_ms: z.number().int().nullable(),
}).openapi("DeliveryTry");

const responseSchema = deliverySchema.extend({
  body: z.string().openapi({ description: "To the letter, as it is signed and sent" }),
  tries: z.array(trySchema).openapi({ description: "The latest first, 100 at most" }),
}).openapi("DeliveryDetails");

/** `GET …/deliveries/{event_id}` shows an event with its body and all tries to deliver it. */
export function registerGetDelivery(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/deliveries/{event_id}",
    operationId: "getDelivery",
    summary: "Show one delivery",
    role: "viewer",
    params: z.object({ event_id: eventIdSchema }),
    response: {
      schema: responseSchema,
      example: {
        ...deliveryExample,
        event_id: EVENT_ID,
        body: '{"type":"notification.read","timestamp":"2026-12-01T09:00:00Z","data":{}}',
        tries: [{
          attempt: 2,
          status: "failed",
          at: "2026-12-01T09:00:05Z",
          response_status: 503,
          response_body: "busy",
          error: "The endpoint responded with 503",
          duration_ms: 13,
        }],
      },
    },
  }, async (c, { member: { companyId }, params: { event_id: eventId } }) => {
    const event = await readEvent(c.get("services").sql, { companyId, eventId });
    if (event === undefined) throw new AppError("not_found", "Delivery not found");
    return { ...describeDelivery(event), body: event.payload, tries: event.tries.map(describeTry) };
  });
}

function describeTry({ run_at, finished_at, ...row }: TryRow): z.input<typeof trySchema> {
  return { ...row, at: timeOf(new Date(finished_at ?? run_at))! };
}
