import { z } from "@hono/zod-openapi";
import { readDocumentPage } from "../../_shared/db/widgets/knowledge.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { nextOf, nextSchema, pageFields } from "../../_shared/http/app/list_page.ts";
import { addCompanyRoute } from "../company_route.ts";
import { describeDocument, documentSchema, EXAMPLE } from "./document.ts";

/** `GET …/knowledge` lists the documents that voice widgets search. */
export function registerGetKnowledge(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/knowledge",
    operationId: "listKnowledge",
    summary: "List the documents that voice widgets search",
    query: z.object(pageFields),
    response: {
      schema: z.object({ documents: z.array(documentSchema), next: nextSchema }).openapi("Knowledge"),
      example: { documents: [EXAMPLE], next: null },
    },
  }, async (c, { caller: { companyId }, query }) => {
    const rows = await readDocumentPage(c.get("services").sql, { ...query, companyId });
    return {
      documents: rows.map(describeDocument),
      next: nextOf(rows, query.limit, "document_id"),
    };
  });
}
