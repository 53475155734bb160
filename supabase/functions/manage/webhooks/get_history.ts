import { z } from "@hono/zod-openapi";
import { readEndpointHistory } from "../../_shared/db/webhooks/endpoints.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { endpointFilter } from "../../_shared/http/company/deliveries.ts";
import { zonedTime } from "../../_shared/values/zoned_time.ts";
import { addCompanyRoute } from "../company_route.ts";

const WEEK_MS = 7 * 86_400_000;

const hourSchema = z.object({
  hour: z.iso.datetime().openapi({ description: "Its beginning" }),
  succeeded: z.number().int().openapi({ description: "Attempts that got a 2xx" }),
  failed: z.number().int(),
}).openapi("WebhookHour");

const historySchema = z.object({
  success_rate: z.number().min(0).max(1).nullable().openapi({
    description: "The share of attempts that got a 2xx; null where there were none",
  }),
  hours: z.array(hourSchema).openapi({ description: "Those with attempts, the latest first" }),
}).openapi("WebhookHistory");

/** `GET …/webhooks/history` shows how many attempts to reach an endpoint succeeded, hour by hour. */
export function registerGetWebhookHistory(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/webhooks/history",
    operationId: "getWebhookHistory",
    summary: "Show a webhook's success over time",
    description: "Kept for 30 days.",
    query: z.object({
      ...endpointFilter,
      since: zonedTime("a time with its zone").optional().openapi({
        description: "From the hour after this time on; a week ago if left out",
        example: "2026-12-01T09:00:00Z",
      }),
    }),
    response: {
      schema: historySchema,
      example: { success_rate: 0.95, hours: [{ hour: "2026-12-01T09:00:00Z", succeeded: 19, failed: 1 }] },
    },
  }, async (c, { caller: { companyId }, query: { endpoint_id: endpointId, since } }) => {
    const from = since === undefined ? new Date(Date.now() - WEEK_MS) : new Date(since);
    const rows = await readEndpointHistory(c.get("services").sql, { companyId, endpointId, since: from });
    const succeeded = rows.reduce((sum, row) => sum + row.succeeded, 0);
    const attempts = rows.reduce((sum, row) => sum + row.failed, succeeded);
    return {
      success_rate: attempts === 0 ? null : succeeded / attempts,
      hours: rows.map((row) => showRow(hourSchema, row)),
    };
  });
}
