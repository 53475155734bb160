import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { endpointFilter, eventIdSchema } from "../../_shared/http/company/deliveries.ts";
import { replayDelivery, replayedSchema } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `POST …/deliveries/{event_id}/replay` delivers one event again. */
export function registerPostDeliveryReplay(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/deliveries/{event_id}/replay",
      operationId: "replayDelivery",
      summary: "Deliver one event again",
      params: z.object({ event_id: eventIdSchema }),
      query: z.object(endpointFilter),
      response: { schema: replayedSchema, example: { replayed: 1 } },
      refusals: [409],
    },
    async (
      c,
      { query: { endpoint_id: endpointId }, caller: { companyId, by }, params: { event_id: eventId } },
    ) => await replayDelivery(c.get("services").sql, { companyId, endpointId, eventId }, by),
  );
}
