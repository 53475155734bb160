import { z } from "@hono/zod-openapi";
import { rotateWebhookSecret } from "../../_shared/events_out/webhook_settings.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { timeOf } from "../../_shared/http/app/list_page.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { SECRET } from "./webhook.ts";

/** `POST …/webhooks/rotate` makes a new secret. */
export function registerPostWebhookRotate(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/rotate",
    operationId: "rotateWebhookSecret",
    summary: "Replace the webhook's secret",
    description: "For 24 hours the old one signs too.",
    response: {
      schema: z.object({ secret: z.string(), old_secret_until: z.iso.datetime() }).openapi(
        "RotatedWebhookSecret",
      ),
      example: { secret: SECRET, old_secret_until: "2026-12-02T09:00:00Z" },
    },
  }, async (c, { caller: { companyId, by } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const rotated = await rotateWebhookSecret({ sql: services.sql, sealer }, companyId, by);
    if (rotated === undefined) throw noWebhook();
    return { secret: rotated.secret, old_secret_until: timeOf(rotated.oldSecretUntil)! };
  });
}
