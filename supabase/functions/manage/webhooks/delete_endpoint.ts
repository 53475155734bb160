import { z } from "@hono/zod-openapi";
import { deleteEndpoint } from "../../_shared/db/webhooks/endpoints.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { FURTHER_WEBHOOK, furtherWebhookParams } from "./further_webhook.ts";

/** `DELETE …/webhooks/further/{endpoint_id}` removes a webhook, for good. */
export function registerDeleteFurtherWebhook(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/webhooks/further/{endpoint_id}",
    operationId: "deleteFurtherWebhook",
    summary: "Remove a further webhook, for good",
    description: "Pending deliveries end. What was delivered stays in the log.",
    effect: "stops",
    params: furtherWebhookParams,
    response: {
      schema: z.object({ removed: z.literal(true) }).openapi("RemovedFurtherWebhook"),
      example: { removed: true },
    },
    document: FURTHER_WEBHOOK,
  }, async (_, { caller: { companyId, by }, params: { endpoint_id: endpointId }, sql }) => {
    if (!await deleteEndpoint(sql, { companyId, endpointId }, by)) throw noWebhook(endpointId);
    return { removed: true as const };
  });
}
