import { z } from "@hono/zod-openapi";
import { readWebhook } from "../../_shared/db/webhooks/webhooks.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { WEBHOOK_SETTINGS, webhookExample, webhookSchema } from "./webhook.ts";
import { orNull } from "../../_shared/values/or_null.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `GET …/webhooks` shows the company's webhook and the state of its deliveries. */
export function registerGetWebhooks(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/webhooks",
    operationId: "getWebhook",
    summary: "Show the webhook",
    response: {
      schema: z.object({ webhook: orNull(webhookSchema) }).openapi("WebhookResponse"),
      example: { webhook: webhookExample },
    },
    document: WEBHOOK_SETTINGS,
  }, async (_, { caller: { companyId }, sql }) => {
    const row = await readWebhook(sql, companyId);
    return { webhook: row ? showRow(webhookSchema, row) : null };
  });
}
