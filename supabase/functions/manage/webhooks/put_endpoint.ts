import { requireSenders } from "../../_shared/access/company_keys.ts";
import { readEndpoint, updateEndpoint } from "../../_shared/db/webhooks/endpoints.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import {
  FURTHER_WEBHOOK,
  furtherWebhookBody,
  furtherWebhookExample,
  furtherWebhookParams,
  furtherWebhookRequest,
  furtherWebhookSchema,
} from "./further_webhook.ts";
import { requireEndpointUrl } from "./webhook.ts";

/** `PUT …/webhooks/further/{endpoint_id}` sets name, URL and filters. */
export function registerPutFurtherWebhook(app: App): void {
  addCompanyRoute(app, {
    method: "put",
    path: "/webhooks/further/{endpoint_id}",
    operationId: "setFurtherWebhook",
    summary: "Set a further webhook's name, URL and filters",
    description: "Also switches it on again. The secret stays.",
    params: furtherWebhookParams,
    body: { schema: furtherWebhookBody, example: furtherWebhookRequest },
    response: { schema: furtherWebhookSchema, example: furtherWebhookExample },
    document: FURTHER_WEBHOOK,
  }, async (c, { caller: { companyId, by }, params: { endpoint_id: endpointId }, sql, body }) => {
    const ids = { companyId, endpointId };
    if (await readEndpoint(sql, ids) === undefined) throw noWebhook(endpointId);
    const url = requireEndpointUrl(body.url, c.get("services").env).href;
    await requireSenders(sql, companyId, body.sender_ids);
    return showRow(furtherWebhookSchema, await updateEndpoint(sql, ids, { ...body, url }, by));
  });
}
