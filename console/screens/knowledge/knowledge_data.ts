import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import type { List } from "../../data/list.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { useRows } from "../../data/rows.ts";
import {
  addKnowledge,
  getKnowledge,
  type KnowledgeDocument,
  type KnowledgeDocumentRequest,
  type KnowledgeText,
  listKnowledge,
  removeKnowledge,
} from "../../data/sdk.ts";

/** Reads the documents, newest first. */
export function useDocuments(): List<KnowledgeDocument> {
  return useRows(listKnowledge, "documents", ({ document_id }) => document_id);
}

/** Reads one document with its text. */
export function useDocument(document_id: string): Query<KnowledgeText> {
  const path = { company_id: companyId(), document_id };
  return useQuery(
    `document ${document_id}`,
    (signal) => ask(getKnowledge({ client: api(), path, signal })),
  );
}

/** Adds a document. */
export function addDocument(body: KnowledgeDocumentRequest): Promise<KnowledgeDocument> {
  return ask(addKnowledge({ client: api(), path: { company_id: companyId() }, body }));
}

/** Removes a document. */
export async function removeDocument(document_id: string): Promise<void> {
  await ask(removeKnowledge({ client: api(), path: { company_id: companyId(), document_id } }));
}
