import { z } from "@hono/zod-openapi";
import { readDocumentPage } from "../../_shared/db/widgets/knowledge.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { listFields, nextOf, pageFields } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { documentSchema, EXAMPLE } from "./document.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `GET …/knowledge` lists the documents that widgets search. */
export function registerGetKnowledge(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/knowledge",
    operationId: "listKnowledge",
    summary: "List the documents that widgets search",
    query: z.object(pageFields),
    response: {
      schema: z.object({ documents: z.array(documentSchema), ...listFields }).openapi("Knowledge"),
      example: { documents: [EXAMPLE], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readDocumentPage(c.get("services").sql, { ...query, companyId });
    return {
      documents: rows.map((row) => showRow(documentSchema, row)),
      next: nextOf(rows, query.limit, "document_id"),
    };
  });
}
