import { readEndpoint } from "../../_shared/db/webhooks/endpoints.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  FURTHER_WEBHOOK,
  furtherWebhookExample,
  furtherWebhookParams,
  furtherWebhookSchema,
} from "./further_webhook.ts";

/** `GET …/webhooks/further/{endpoint_id}` shows a webhook and the state of its deliveries. */
export function registerGetFurtherWebhook(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/webhooks/further/{endpoint_id}",
    operationId: "getFurtherWebhook",
    summary: "Show a webhook beside the company's own",
    params: furtherWebhookParams,
    response: { schema: furtherWebhookSchema, example: furtherWebhookExample },
    document: FURTHER_WEBHOOK,
  }, async (_, { caller: { companyId }, params: { endpoint_id: endpointId }, sql }) => {
    const row = await readEndpoint(sql, { companyId, endpointId });
    if (row === undefined) throw noWebhook(endpointId);
    return showRow(furtherWebhookSchema, row);
  });
}
