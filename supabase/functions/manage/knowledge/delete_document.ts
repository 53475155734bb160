import { z } from "@hono/zod-openapi";
import { deleteDocument } from "../../_shared/db/widgets/knowledge.ts";
import type { App } from "../../_shared/http/app/context.ts";
import { addCompanyRoute } from "../company_route.ts";
import { EXAMPLE, noDocument, params } from "./document.ts";

/** `DELETE …/knowledge/{document_id}` removes a document. */
export function registerDeleteDocument(app: App): void {
  addCompanyRoute(app, {
    method: "delete",
    path: "/knowledge/{document_id}",
    operationId: "removeKnowledge",
    summary: "Remove a document",
    params,
    response: {
      schema: z.object({ document_id: z.guid(), removed: z.literal(true) }).openapi("RemovedKnowledge"),
      example: { document_id: EXAMPLE.document_id, removed: true },
    },
  }, async (c, { caller: { companyId, by }, params: { document_id: documentId } }) => {
    if (!await deleteDocument(c.get("services").sql, { companyId, documentId }, by)) throw noDocument();
    return { document_id: documentId, removed: true as const };
  });
}
