import { z } from "@hono/zod-openapi";
import { testWebhook } from "../../_shared/events_out/webhook_settings.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { tooManyPerMinute } from "../../_shared/http/guards/limits.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";

/** Of one company per minute: each is a request to another server, which may take ten seconds. */
const MAX_TESTS = 20;

const responseSchema = z.object({
  event_id: z.string(),
  ok: z.boolean().openapi({ description: "The endpoint responded with a 2xx" }),
  response_status: z.number().int().nullable(),
  response_body: z.string().nullable().openapi({ description: "Its first kilobyte" }),
  error: z.string().nullable(),
  duration_ms: z.number().int(),
}).openapi("WebhookTest");

/** `POST …/webhooks/test` sends an event now and returns how the endpoint responded. */
export function registerPostTest(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/test",
    operationId: "testWebhook",
    summary: "Send a test event",
    response: {
      schema: responseSchema,
      example: {
        event_id: "evt_0192f8c2111142228333444455556666",
        ok: true,
        response_status: 204,
        response_body: "",
        error: null,
        duration_ms: 13,
      },
    },
  }, async (c, { caller: { companyId, by } }) => {
    const { sql, sealer, env, perMinute } = c.get("services");
    const waitS = perMinute.count(`webhook_tests:${companyId}`, MAX_TESTS);
    if (waitS > 0) throw tooManyPerMinute(c, "Too many test events", { limit: MAX_TESTS, waitS });
    const tested = await testWebhook(
      { sql, sealer, allowPrivate: env.OUTBOUND_ALLOW_PRIVATE_WEBHOOKS },
      companyId,
      by,
    );
    if (tested === undefined) throw noWebhook();
    return {
      event_id: tested.event_id,
      ok: tested.ok,
      response_status: tested.response_status,
      response_body: tested.response_body,
      error: tested.error,
      duration_ms: tested.duration_ms,
    };
  });
}
