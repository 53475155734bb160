import { CLI } from "../../supabase/functions/_shared/db/access/audit.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  deleteDocument,
  type DocumentRow,
  insertDocument,
  readDocuments,
} from "../../supabase/functions/_shared/db/widgets/knowledge.ts";
import { textSearchLanguage } from "../../supabase/functions/_shared/widgets/text_search_language.ts";
import { CommandError } from "../errors/command_error.ts";
import { refuseOnConstraint, requireCompanies, requireOneLine } from "../errors/refusals.ts";

export interface NewKnowledge {
  companyId: string;
  title: string;
  content: string;
  url?: string | undefined;
  /** A language tag; decides which forms of a word count as the same. */
  language?: string | undefined;
}

/**
 * Adds a document that voice widgets can search.
 *
 * @throws {CommandError} `bad_value`, `not_found`
 */
export async function addKnowledge(
  { sql }: { sql: Sql },
  { companyId, title, content, url, language }: NewKnowledge,
): Promise<{ documentId: string }> {
  requireOneLine({ title });
  const document = {
    companyId,
    title,
    content: content.replaceAll("\0", ""),
    url: url ?? null,
    language: textSearchLanguage(language),
  };
  const { document_id: documentId } = await refuseOnConstraint(insertDocument(sql, document, CLI), {
    companyId,
  });
  return { documentId };
}

/**
 * Returns the documents of one company, or of all, without their texts.
 *
 * @throws {CommandError} `not_found`
 */
export async function listKnowledge(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<DocumentRow[]> {
  if (companyId) await requireCompanies(sql, companyId);
  return await readDocuments(sql, { companyId });
}

/**
 * Removes a document.
 *
 * @throws {CommandError} `not_found`
 */
export async function removeKnowledge(
  { sql }: { sql: Sql },
  { documentId }: { documentId: string },
): Promise<{ documentId: string }> {
  if (await deleteDocument(sql, { documentId }, CLI)) return { documentId };
  throw new CommandError("not_found", `No document with id ${documentId}`);
}
