import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { textSearchLanguage } from "../../supabase/functions/_shared/widgets/text_search_language.ts";
import { CommandError } from "../command_error.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { requireOneLine } from "./require_one_line.ts";
import { unknownCompany } from "./unknown_company.ts";

export interface NewDocument {
  companyId: string;
  title: string;
  content: string;
  url?: string | undefined;
  /** A language tag; decides which forms of a word count as the same. */
  language?: string | undefined;
}

const wrong = (what: string) => () => new CommandError("bad_value", what);

/**
 * Adds a document that voice widgets can look things up in.
 *
 * @throws {CommandError} `bad_value`, `not_found`
 */
export async function addKnowledge(
  { sql }: { sql: Sql },
  { companyId, title, content, url, language }: NewDocument,
): Promise<{ documentId: string }> {
  requireOneLine({ title });
  const [row] = await refuseOnConstraint(
    sql<{ documentId: string }[]>`
      insert into outbound.knowledge_documents (company_id, title, content, url, language)
      values (${companyId}, ${title}, ${content.replaceAll("\0", "")}, ${url ?? null},
        ${textSearchLanguage(language)})
      returning id as "documentId"`,
    {
      knowledge_documents_company_fkey: () => unknownCompany(companyId),
      knowledge_documents_title_check: wrong("The title must have 1 to 300 characters"),
      knowledge_documents_content_check: wrong("The text must have 1 to 100,000 characters"),
      knowledge_documents_url_check: wrong("The URL must begin with http:// or https://"),
    },
  );
  return row!;
}
