import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type List, useList } from "../../data/list.ts";
import { type Query, useQuery } from "../../data/query.ts";
import {
  addKnowledge,
  getKnowledge,
  type KnowledgeDocument,
  type KnowledgeDocumentRequest,
  type KnowledgeText,
  listKnowledge,
  removeKnowledge,
} from "../../data/sdk.ts";

const PAGE = 100;

/** Reads the documents, newest first. */
export function useDocuments(): List<KnowledgeDocument> {
  const path = { company_id: companyId() };
  return useList<KnowledgeDocument>({
    key: `knowledge ${path.company_id}`,
    idOf: ({ document_id }) => document_id,
    async read(after, signal) {
      const query = { limit: PAGE, ...(after && { after }) };
      const page = await ask(listKnowledge({ client: api(), path, query, signal }));
      return { rows: page.documents, next: page.next };
    },
  });
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
