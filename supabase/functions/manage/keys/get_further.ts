import { z } from "@hono/zod-openapi";
import { readFurtherKeyPage } from "../../_shared/db/access/further_keys.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";
import { addCompanyRoute } from "../company_route.ts";
import { furtherKeyExample, furtherKeySchema } from "./further_key.ts";

/** `GET …/keys/further` lists the keys beside the company's own. */
export function registerGetFurther(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/keys/further",
    operationId: "listFurtherKeys",
    summary: "List the keys beside the company's own",
    description: "Without their texts, which no response shows again. Revoked keys are included.",
    query: z.object(pageFields),
    response: {
      schema: z.object({ keys: z.array(furtherKeySchema), ...listFields }).openapi("FurtherKeys"),
      example: { keys: [furtherKeyExample], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readFurtherKeyPage(c.get("services").sql, { ...query, companyId });
    return {
      keys: rows.map((row) => showRow(furtherKeySchema, row)),
      next: nextOf(rows, query.limit, "key_id"),
    };
  });
}
