import { z } from "@hono/zod-openapi";
import {
  deliveriesSchema,
  deliveryDetailsSchema,
  deliveryFilters,
  eventIdSchema,
  listDeliveries,
  showDelivery,
} from "../../_shared/http/company/deliveries.ts";
import { replayDelivery, replayedSchema } from "../../_shared/http/company/replay_deliveries.ts";
import { defineTool, limitArgument, READS } from "../tool.ts";

export const listDeliveriesTool = defineTool({
  name: "list_deliveries",
  title: "List webhook deliveries",
  description:
    "Lists events with the state of their delivery to the company's webhook. With a filter a page may hold fewer " +
    "than `limit`, or none: read on until `next` is null.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "webhooks",
  input: z.strictObject({ ...deliveryFilters, limit: limitArgument }),
  output: deliveriesSchema,
  run: async ({ services: { sql }, caller, args }) => await listDeliveries(sql, caller.companyId, args),
});

export const getDelivery = defineTool({
  name: "get_delivery",
  title: "Show a webhook delivery",
  description: "Shows an event's body, and every attempt to deliver it with the response.",
  hints: READS,
  effect: "reads",
  role: "viewer",
  permission: "webhooks",
  input: z.strictObject({ event_id: eventIdSchema }),
  output: deliveryDetailsSchema,
  run: async ({ services: { sql }, caller: { companyId }, args: { event_id: eventId } }) =>
    await showDelivery(sql, { companyId, eventId }),
});

export const replayDeliveryTool = defineTool({
  name: "replay_delivery",
  title: "Deliver an event again",
  description: "Delivers one event to the company's webhook again, now and with all its attempts.",
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  effect: "acts",
  role: "operator",
  permission: "webhooks",
  input: z.strictObject({ event_id: eventIdSchema }),
  output: replayedSchema,
  run: async ({ services: { sql }, caller: { companyId, by }, args: { event_id: eventId } }) =>
    await replayDelivery(sql, { companyId, eventId }, by),
});
