import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface DocumentRow {
  documentId: string;
  companyId: string;
  title: string;
  url: string | null;
  /** In Postgres' words: `english`, `simple`. */
  language: string;
  characters: number;
  createdAt: Date;
}

/**
 * The documents of one company, or of all, without their texts.
 *
 * @throws {CommandError} `not_found`
 */
export async function listKnowledge(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<DocumentRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<DocumentRow[]>`
    select id as "documentId", company_id as "companyId", title, url, language,
      length(content) as characters, created_at as "createdAt"
    from outbound.knowledge_documents
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, created_at, id`;
}
