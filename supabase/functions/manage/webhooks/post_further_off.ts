import { stopWebhook } from "../../_shared/db/webhooks/webhooks.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherWebhookParams } from "./further_webhook.ts";
import { stoppedSchema } from "./post_off.ts";

/** `POST …/webhooks/further/{endpoint_id}/off` switches a webhook off. */
export function registerPostFurtherWebhookOff(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/further/{endpoint_id}/off",
    operationId: "stopFurtherWebhook",
    summary: "Switch a further webhook off",
    description:
      "Pending deliveries end. Setting the webhook switches it on again, and a replay brings them back.",
    effect: "stops",
    params: furtherWebhookParams,
    response: { schema: stoppedSchema, example: { is_active: false } },
  }, async (c, { caller: { companyId, by }, params: { endpoint_id: endpointId } }) => {
    if (!await stopWebhook(c.get("services").sql, { companyId, endpointId }, by)) throw noWebhook(endpointId);
    return { is_active: false as const };
  });
}
