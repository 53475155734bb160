import { z } from "@hono/zod-openapi";
import { readSuppressions } from "../../_shared/db/contacts/contact_ledger.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf } from "../../_shared/http/app/list_page.ts";
import { showSuppression, suppressionSchema } from "./ledger_schemas.ts";
import { sourceSchema } from "../../_shared/http/app/shared_schemas.ts";
import { addCompanyRoute } from "../company_route.ts";
import { ledgerQuery } from "./person_query.ts";

/** `GET …/contacts/suppressions` lists who does not want to be written to. */
export function registerGetSuppressions(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/contacts/suppressions",
    operationId: "listSuppressions",
    summary: "List who does not want to be written to",
    description: "The newest first. A person with several addresses has one entry, under the first.",
    query: ledgerQuery.extend({
      source: sourceSchema.optional(),
      lifted: z.enum(["true", "false"], { error: "true or false" }).optional().openapi({
        description: "`true` lists those too that were lifted",
      }),
    }),
    response: {
      schema: z.object({ suppressions: z.array(suppressionSchema), ...listFields }).openapi(
        "Suppressions",
      ),
      example: {
        suppressions: [{
          id: "0192f8b0-1111-4222-8333-444455556666",
          number: "34600111222",
          channel: "whatsapp",
          category: "marketing",
          source: "keyword",
          at: "2026-12-01T09:00:00Z",
          evidence: { text: "BAJA" },
          created_at: "2026-12-01T09:00:01Z",
          lifted_at: null,
          lifted_by: null,
          lifted_evidence: null,
        }],
        next: null,
      },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const isLifted = query.lifted === "true";
    const rows = await readSuppressions(c.get("services").sql, { ...query, companyId, lifted: isLifted });
    return { suppressions: rows.map(showSuppression), next: nextOf(rows, query.limit) };
  });
}
