import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface TemplateRow {
  templateId: string;
  companyId: string;
  wabaId: string;
  /** The platform's own id. */
  providerTemplateId: string | null;
  name: string;
  language: string;
  category: string;
  status: string;
  rejectedReason: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN; null until the platform has said so. */
  quality: string | null;
  /** When anything about it was last written. */
  updatedAt: Date;
}

/** The columns of a {@link TemplateRow}. */
export function templateColumns(sql: Sql) {
  return sql`
    id as "templateId", company_id as "companyId", waba_id as "wabaId",
    provider_template_id as "providerTemplateId", name, language, category, status,
    rejected_reason as "rejectedReason", quality, updated_at as "updatedAt"`;
}

/**
 * The templates of one company, or of all.
 *
 * @throws {CommandError} `not_found`
 */
export async function listTemplates(
  { sql }: { sql: Sql },
  { companyId }: { companyId?: string | undefined } = {},
): Promise<TemplateRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<TemplateRow[]>`
    select ${templateColumns(sql)}
    from outbound.templates
    ${companyId ? sql`where company_id = ${companyId}` : sql``}
    order by company_id, name, language, id`;
}
