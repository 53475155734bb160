import { z } from "@hono/zod-openapi";
import { rotateWebhookSecret } from "../../_shared/events_out/webhook_settings.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { checkedSealer } from "../checked_sealer.ts";
import { noWebhook } from "../../_shared/http/company/replay_deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";
import { SECRET } from "./webhook.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

const rotatedSchema = z.object({ secret: z.string(), old_secret_until: z.iso.datetime() }).openapi(
  "RotatedWebhookSecret",
);

/** `POST …/webhooks/rotate` makes a new secret. */
export function registerPostWebhookRotate(app: App): void {
  addCompanyRoute(app, {
    method: "post",
    path: "/webhooks/rotate",
    operationId: "rotateWebhookSecret",
    summary: "Replace the webhook's secret",
    description: "For 24 hours the old one signs too.",
    response: {
      schema: rotatedSchema,
      example: { secret: SECRET, old_secret_until: "2026-12-02T09:00:00Z" },
    },
  }, async (c, { caller: { companyId, by } }) => {
    const services = c.get("services");
    const sealer = await checkedSealer(services);
    const rotated = await rotateWebhookSecret({ sql: services.sql, sealer }, companyId, by);
    if (rotated === undefined) throw noWebhook();
    return showRow(rotatedSchema, rotated);
  });
}
