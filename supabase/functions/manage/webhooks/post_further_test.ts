import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherWebhookParams } from "./further_webhook.ts";
import { sendTest, testedExample, testedSchema, testSchema } from "./post_test.ts";

/** `POST …/webhooks/further/{endpoint_id}/test` sends an event now and returns how the endpoint responded. */
export function registerPostFurtherWebhookTest(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "post",
      path: "/webhooks/further/{endpoint_id}/test",
      operationId: "testFurtherWebhook",
      summary: "Send a test event to a further webhook",
      description: "`webhook.test`, or the type that the body names.",
      params: furtherWebhookParams,
      body: { schema: testSchema, example: { type: "message.received" }, optional: true },
      response: { schema: testedSchema, example: testedExample },
    },
    (c, { caller, params: { endpoint_id: endpointId }, body }) =>
      sendTest(c, caller, { ...body, endpointId }),
  );
}
