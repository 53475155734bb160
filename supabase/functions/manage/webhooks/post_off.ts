import { z } from "@hono/zod-openapi";
import { stopWebhook } from "../../_shared/db/webhooks/webhooks.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";

export const stoppedSchema = z.object({ is_active: z.literal(false) }).openapi("StoppedWebhook");

/** `POST …/webhooks/off` switches the webhook off. */
export function registerPostOff(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/off",
    operationId: "stopWebhook",
    summary: "Switch the webhook off",
    description:
      "Pending deliveries end. Setting the webhook switches it on again, and a replay brings them back.",
    effect: "stops",
    response: { schema: stoppedSchema, example: { is_active: false } },
  }, async (c, { caller: { companyId, by } }) => {
    if (!await stopWebhook(c.get("services").sql, { companyId }, by)) throw noWebhook();
    return { is_active: false as const };
  });
}
