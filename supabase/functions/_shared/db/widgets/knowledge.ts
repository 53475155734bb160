import type { Sql } from "../connect.ts";

export interface KnowledgeHit {
  title: string;
  /** The passages that match best. */
  text: string;
  url: string | null;
}

/** Searches a company's documents for a question; `language` is the name of a text search configuration. */
export async function searchKnowledge(
  sql: Sql,
  query: { companyId: string; question: string; language: string; limit: number },
): Promise<KnowledgeHit[]> {
  return await sql<KnowledgeHit[]>`
    select * from outbound.search_knowledge(
      ${query.companyId}, ${query.question}, ${query.language}::regconfig, ${query.limit})`;
}

export interface NewDocument {
  companyId: string;
  title: string;
  content: string;
  url: string | null;
  /** The name of a text search configuration. */
  language: string;
}

/** Stores a document and returns its id. */
export async function insertDocument(
  sql: Sql,
  { companyId, title, content, url, language }: NewDocument,
): Promise<{ documentId: string }> {
  const [row] = await sql<{ documentId: string }[]>`
      insert into outbound.knowledge_documents (company_id, title, content, url, language)
      values (${companyId}, ${title}, ${content}, ${url}, ${language})
      returning id as "documentId"`;
  return row!;
}

/** A document without its text. */
export interface DocumentRow {
  documentId: string;
  companyId: string;
  title: string;
  url: string | null;
  /** The name of a text search configuration: `english`, `simple`. */
  language: string;
  characters: number;
  createdAt: Date;
}

/** Returns the documents of one company, or of all, without their texts. */
export async function readDocuments(
  sql: Sql,
  { companyId }: { companyId?: string | undefined },
): Promise<DocumentRow[]> {
  return await sql<DocumentRow[]>`
    select id as "documentId", company_id as "companyId", title, url, language,
      length(content) as characters, created_at as "createdAt"
    from outbound.knowledge_documents
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}

/** Deletes a document. Returns whether there was one with this id. */
export async function deleteDocument(sql: Sql, documentId: string): Promise<boolean> {
  const [row] = await sql`delete from outbound.knowledge_documents where id = ${documentId} returning 1`;
  return row !== undefined;
}
