import { z } from "@hono/zod-openapi";
import { readDocument } from "../../_shared/db/widgets/knowledge.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { documentSchema, EXAMPLE, noDocument, params } from "./document.ts";
import { showRow } from "../../_shared/http/app/show_row.ts";

/** `GET …/knowledge/{document_id}` shows a document with its text. */
export function registerGetDocument(app: App): void {
  addCompanyRoute(app, {
    method: "get",
    path: "/knowledge/{document_id}",
    operationId: "getKnowledge",
    summary: "Show one document with its text",
    params,
    response: {
      schema: documentSchema.extend({ content: z.string() }).openapi("KnowledgeText"),
      example: { ...EXAMPLE, content: "Send it back within 30 days." },
    },
  }, async (c, { caller: { companyId }, params: { document_id: documentId } }) => {
    const row = await readDocument(c.get("services").sql, { companyId, documentId });
    if (row === undefined) throw noDocument();
    return { ...showRow(documentSchema, row), content: row.content };
  });
}
