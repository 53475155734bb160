import { afterRow } from "../driver/after_row.ts";
import { type Actor, withoutAudited } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";

export interface KnowledgeHit {
  title: string;
  /** The passages that match best. */
  text: string;
  url: string | null;
  /** How many words of the question count, and how many of them the document has. */
  words: number;
  found: number;
}

/** Searches a company's documents for a question; `language` is the name of a text search configuration. */
export async function searchKnowledge(
  sql: Sql,
  query: { companyId: string; question: string; language: string; limit: number },
): Promise<KnowledgeHit[]> {
  return await sql<KnowledgeHit[]>`
    select * from outbound.find_passages(
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

/** Stores a document and returns it without its text. */
export async function insertDocument(
  sql: Sql,
  { companyId, title, content, url, language }: NewDocument,
  by: Actor,
): Promise<DocumentRow> {
  const [row] = await sql<(DocumentRow & { audited: string })[]>`
    with added as (
      insert into outbound.knowledge_documents (company_id, title, content, url, language)
      values (${companyId}, ${title}, ${content}, ${url}, ${language})
      returning *
    )
    select ${documentColumns(sql)}, outbound.write_audit(
      company_id, ${by.actor}, 'knowledge.added', id::text, null, jsonb_build_object('title', title),
      ${by.requestId ?? null}
    ) as audited from added`;
  return withoutAudited(row!);
}

/** A document without its text. */
export interface DocumentRow {
  document_id: string;
  company_id: string;
  title: string;
  url: string | null;
  /** The name of a text search configuration: `english`, `simple`. */
  language: string;
  characters: number;
  created_at: Date;
}

function documentColumns(sql: Sql) {
  return sql`
    id as document_id, company_id, title, url, language, length(content) as characters, created_at`;
}

/** Returns a page of a company's documents without their texts, newest first. */
export async function readDocumentPage(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<DocumentRow[]> {
  return await sql<DocumentRow[]>`
    select ${documentColumns(sql)} from outbound.knowledge_documents
    where company_id = ${companyId}
      ${afterRow(sql, "knowledge_documents", { table: "outbound.knowledge_documents", companyId, after })}
    order by created_at desc, id desc limit ${limit}`;
}

/** Returns a document with its text; undefined when the company has none with this id. */
export async function readDocument(
  sql: Sql,
  { companyId, documentId }: { companyId: string; documentId: string },
): Promise<(DocumentRow & { content: string }) | undefined> {
  const [row] = await sql<(DocumentRow & { content: string })[]>`
    select ${documentColumns(sql)}, content from outbound.knowledge_documents
    where company_id = ${companyId} and id = ${documentId}`;
  return row;
}

/** Deletes a document of a company. Returns whether there was one with this id. */
export async function deleteDocument(
  sql: Sql,
  { companyId, documentId }: { companyId: string; documentId: string },
  by: Actor,
): Promise<boolean> {
  const [row] = await sql`
    with deleted as (
      delete from outbound.knowledge_documents
      where company_id = ${companyId} and id = ${documentId}
      returning company_id, id, title
    )
    select outbound.write_audit(
      company_id, ${by.actor}, 'knowledge.removed', id::text, jsonb_build_object('title', title), null,
      ${by.requestId ?? null}
    ) from deleted`;
  return row !== undefined;
}
