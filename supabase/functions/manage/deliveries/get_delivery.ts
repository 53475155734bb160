import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import {
  deliveryDetailsExample,
  deliveryDetailsSchema,
  endpointFilter,
  eventIdSchema,
  showDelivery,
} from "../../_shared/http/company/deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/deliveries/{event_id}` shows an event with its body and all attempts to deliver it. */
export function registerGetDelivery(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/deliveries/{event_id}",
      operationId: "getDelivery",
      summary: "Show one delivery",
      params: z.object({ event_id: eventIdSchema }),
      query: z.object(endpointFilter),
      response: { schema: deliveryDetailsSchema, example: deliveryDetailsExample },
    },
    async (c, { query: { endpoint_id: endpointId }, caller: { companyId }, params: { event_id: eventId } }) =>
      await showDelivery(c.get("services").sql, { companyId, endpointId, eventId }),
  );
}
