import { z } from "@hono/zod-openapi";
import { testWebhook, type WebhookTest } from "../../_shared/events_out/webhook_settings.ts";
import type { App, AppContext } from "../../_shared/http/app/context.ts";
import {
  eventTypeFilter,
  requestHeadersExample,
  requestHeadersSchema,
} from "../../_shared/http/company/deliveries.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { sampleOf } from "../../_shared/http/company/webhook_samples.ts";
import type { CompanyCaller } from "../../_shared/http/guards/company_caller.ts";
import { tooManyPerMinute } from "../../_shared/http/guards/limits.ts";
import { addCompanyRoute } from "../company_route.ts";

/** Of one company per minute: each is a request to another server, which may take ten seconds. */
const MAX_TESTS = 30;

export const testSchema = z.strictObject({
  type: eventTypeFilter.default("webhook.test").openapi({
    description: "The event to send, with made-up data and `test: true`",
  }),
}).openapi("WebhookTestRequest");

export const testedSchema = z.object({
  event_id: z.string(),
  ok: z.boolean().openapi({ description: "The endpoint responded with a 2xx" }),
  request_headers: requestHeadersSchema,
  response_status: z.number().int().nullable(),
  response_body: z.string().nullable().openapi({ description: "Its first kilobyte" }),
  error: z.string().nullable(),
  duration_ms: z.number().int(),
}).openapi("WebhookTest");

export const testedExample: WebhookTest = {
  event_id: "evt_0192f8c2111142228333444455556666",
  ok: true,
  request_headers: requestHeadersExample,
  response_status: 204,
  response_body: "",
  error: null,
  duration_ms: 13,
};

/** Sends an endpoint an event of a type. Throws `not_found`, and beyond the limit `too_many_requests`. */
export async function sendTest(
  c: AppContext,
  { companyId, by }: CompanyCaller,
  { type, endpointId }: z.infer<typeof testSchema> & { endpointId?: string },
): Promise<WebhookTest> {
  const { sql, sealer, env, perMinute } = c.get("services");
  const waitS = perMinute.count(`webhook_tests:${companyId}`, MAX_TESTS);
  if (waitS > 0) throw tooManyPerMinute(c, "Too many test events", { limit: MAX_TESTS, waitS });
  const sample = type === "webhook.test" ? undefined : sampleOf(type, companyId);
  const tested = await testWebhook(
    { sql, sealer, allowPrivate: env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS },
    { companyId, endpointId, sample },
    by,
  );
  if (tested === undefined) throw noWebhook(endpointId);
  return tested;
}

/** `POST …/webhooks/test` sends an event now and returns how the endpoint responded. */
export function registerPostTest(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/test",
    operationId: "testWebhook",
    summary: "Send a test event",
    description: "`webhook.test`, or the type that the body names.",
    body: { schema: testSchema, example: { type: "message.received" }, optional: true },
    response: { schema: testedSchema, example: testedExample },
  }, (c, { caller, body }) => sendTest(c, caller, body));
}
