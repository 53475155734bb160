import { z } from "@hono/zod-openapi";
import type { App } from "../../_shared/http/app/context.ts";
import { pageFields } from "../../_shared/http/app/list_page.ts";
import {
  deliveriesSchema,
  deliveryExample,
  deliveryFilters,
  listDeliveries,
} from "../../_shared/http/company/deliveries.ts";
import { addCompanyRoute } from "../company_route.ts";

/** `GET …/deliveries` lists the events for the company's server, the newest first. */
export function registerGetDeliveries(app: App): void {
  addCompanyRoute(
    app,
    {
      method: "get",
      path: "/deliveries",
      operationId: "listDeliveries",
      summary: "List webhook deliveries",
      description:
        "Events are kept for 30 days. With a filter a page may hold fewer than `limit`, or none: read on until " +
        "`next` is null.",
      query: z.object({ ...deliveryFilters, limit: pageFields.limit }),
      response: { schema: deliveriesSchema, example: { deliveries: [deliveryExample], next: null } },
    },
    async (c, { caller: { companyId }, query }) =>
      await listDeliveries(c.get("services").sql, companyId, query),
  );
}
