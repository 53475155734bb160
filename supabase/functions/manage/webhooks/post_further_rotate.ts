import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherWebhookParams } from "./further_webhook.ts";
import { rotate, rotatedExample, rotatedSchema } from "./post_rotate.ts";

/** `POST …/webhooks/further/{endpoint_id}/rotate` makes a new secret. */
export function registerPostFurtherWebhookRotate(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/further/{endpoint_id}/rotate",
    operationId: "rotateFurtherWebhookSecret",
    summary: "Replace a further webhook's secret",
    description: "For 24 hours the old one signs too.",
    params: furtherWebhookParams,
    response: { schema: rotatedSchema, example: rotatedExample },
  }, (c, { caller, params: { endpoint_id: endpointId } }) => rotate(c, caller, endpointId));
}
