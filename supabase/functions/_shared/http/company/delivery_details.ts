import { z } from "@hono/zod-openapi";
import type { Sql } from "../../db/connect.ts";
import { readEvent, type TryRow } from "../../db/webhook_events.ts";
import { AppError } from "../../errors.ts";
import { timeOf } from "../app/list_page.ts";
import { deliveryExample, deliverySchema, describeDelivery, EVENT_ID, statusSchema } from "./deliveries.ts";

const trySchema = z.object({
  attempt: z.number().int(),
  status: statusSchema,
  at: z.iso.datetime().openapi({ description: "When it was over; of a pending one, when it is due" }),
  response_status: z.number().int().nullable(),
  response_body: z.string().nullable().openapi({ description: "Its first kilobyte" }),
  error: z.string().nullable(),
  duration_ms: z.number().int().nullable(),
}).openapi("DeliveryTry");

/** An event with its body and all tries to deliver it. */
export const deliveryDetailsSchema = deliverySchema.extend({
  body: z.string().openapi({ description: "To the letter, as it is signed and sent" }),
  tries: z.array(trySchema).openapi({ description: "The latest first, 100 at most" }),
}).openapi("DeliveryDetails");

export const deliveryDetailsExample: z.input<typeof deliveryDetailsSchema> = {
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
};

/** Returns an event with its body and its tries. Throws `not_found`. */
export async function showDelivery(
  sql: Sql,
  ids: { companyId: string; eventId: string },
): Promise<z.input<typeof deliveryDetailsSchema>> {
  const event = await readEvent(sql, ids);
  if (event === undefined) throw new AppError("not_found", "Delivery not found");
  return { ...describeDelivery(event), body: event.payload, tries: event.tries.map(describeTry) };
}

function describeTry({ run_at, finished_at, ...row }: TryRow): z.input<typeof trySchema> {
  return { ...row, at: timeOf(new Date(finished_at ?? run_at))! };
}
