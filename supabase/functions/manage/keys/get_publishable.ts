import { z } from "@hono/zod-openapi";
import { readPublishableKeyPage } from "../../_shared/db/access/publishable_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { publishableKeyExample, publishableKeySchema } from "./publishable_key.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `GET …/keys/publishable` lists the keys for web pages. */
export function registerGetPublishable(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/keys/publishable",
    operationId: "listPublishableKeys",
    summary: "List the keys for web pages",
    query: z.object(pageFields),
    response: {
      schema: z.object({ publishable_keys: z.array(publishableKeySchema), ...listFields })
        .openapi("PublishableKeys"),
      example: { publishable_keys: [publishableKeyExample], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readPublishableKeyPage(c.get("services").sql, { ...query, companyId });
    return {
      publishable_keys: rows.map((row) => showRow(publishableKeySchema, row)),
      next: nextOf(rows, query.limit, "key_id"),
    };
  });
}
