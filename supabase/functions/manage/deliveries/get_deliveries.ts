import { z } from "@hono/zod-openapi";
import { readEventPage } from "../../_shared/db/webhook_events.ts";
import { EVENT_TYPES } from "../../_shared/events_out/event_types.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import { addMemberRoute } from "../member_route.ts";
import {
  deliveryExample,
  deliverySchema,
  describeDelivery,
  eventIdSchema,
  statusSchema,
} from "./delivery.ts";

const TYPES = [...EVENT_TYPES, "webhook.test"] as const;

/** `GET …/deliveries` lists the events for the company's server, the newest first. */
export function registerGetDeliveries(app: App): void {
  addMemberRoute(app, {
    method: "get",
    path: "/deliveries",
    operationId: "listDeliveries",
    summary: "List webhook deliveries",
    description:
      "Events are kept for 30 days. With a filter a page may hold fewer than `limit`, or none: read on until " +
      "`next` is null.",
    role: "viewer",
    query: z.object({
      status: statusSchema.optional(),
      type: z.enum(TYPES, { error: "an event type of docs/webhooks.md" }).optional(),
      since: z.iso.datetime({ offset: true, error: "a time with its zone" }).optional().openapi({
        example: "2026-12-01T09:00:00Z",
      }),
      ...pageFields,
      after: eventIdSchema.optional().openapi({ description: "The `next` of the page before" }),
    }),
    response: {
      schema: z.object({
        deliveries: z.array(deliverySchema),
        next: eventIdSchema.nullable().openapi({
          description: "Give it as `after` to read on; null at the end",
        }),
      }).openapi("Deliveries"),
      example: { deliveries: [deliveryExample], next: null },
    },
  }, async (c, { member: { companyId }, query: { since, ...query } }) => {
    const { events, next } = await readEventPage(c.get("services").sql, {
      ...query,
      since: since === undefined ? undefined : new Date(since),
      companyId,
    });
    return { deliveries: events.map(describeDelivery), next };
  });
}
