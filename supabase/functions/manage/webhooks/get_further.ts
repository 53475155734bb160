import { z } from "@hono/zod-openapi";
import { readEndpointPage } from "../../_shared/db/webhooks/endpoints.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherWebhookExample, furtherWebhookSchema } from "./further_webhook.ts";

/** `GET …/webhooks/further` lists the webhooks beside the company's own. */
export function registerGetFurtherWebhooks(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/webhooks/further",
    operationId: "listFurtherWebhooks",
    summary: "List the webhooks beside the company's own",
    query: z.object(pageFields),
    response: {
      schema: z.object({ webhooks: z.array(furtherWebhookSchema), ...listFields }).openapi(
        "FurtherWebhooks",
      ),
      example: { webhooks: [furtherWebhookExample], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readEndpointPage(c.get("services").sql, { ...query, companyId });
    return {
      webhooks: rows.map((row) => showRow(furtherWebhookSchema, row)),
      next: nextOf(rows, query.limit, "endpoint_id"),
    };
  });
}
