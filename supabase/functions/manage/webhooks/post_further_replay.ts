import type { App } from "../../_shared/http/app/context.ts";
import { replayedSchema, replayFailed } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherWebhookParams } from "./further_webhook.ts";
import { sinceSchema } from "./post_replay.ts";

/** `POST …/webhooks/further/{endpoint_id}/replay` delivers to a webhook the events that failed since a time. */
export function registerPostFurtherWebhookReplay(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/webhooks/further/{endpoint_id}/replay",
      operationId: "replayFurtherWebhook",
      summary: "Deliver events again that a further webhook did not take",
      description: "Those since `since`. Events that wait for a further attempt go now.",
      params: furtherWebhookParams,
      body: { schema: sinceSchema, example: { since: "2026-12-01T09:00:00Z" } },
      response: { schema: replayedSchema, example: { replayed: 12 } },
      refusals: [409],
    },
    async (c, { caller: { companyId, by }, params: { endpoint_id: endpointId }, body: { since } }) =>
      await replayFailed(c.get("services").sql, { companyId, endpointId, since: new Date(since) }, by),
  );
}
