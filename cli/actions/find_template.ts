import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";

/** How a command names a template: our id, the platform's id, or its name; the rest narrows it. */
export interface TemplateReference {
  template: string;
  companyId?: string | undefined;
  language?: string | undefined;
}

/**
 * The one template a reference means.
 *
 * @throws {CommandError} `not_found`, or `ambiguous` with the ids to choose from
 */
export async function findTemplate(
  sql: Sql,
  { template, companyId, language }: TemplateReference,
): Promise<{ companyId: string; templateId: string }> {
  const rows = await sql<{ companyId: string; templateId: string; language: string }[]>`
    select company_id as "companyId", id as "templateId", language
    from outbound.templates
    where ${template} in (id::text, provider_template_id, name)
      ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${language ? sql`and language = ${language}` : sql``}
    order by company_id, language, id`;
  const [found] = rows;
  if (!found) throw new CommandError("not_found", `No template with id or name ${template}`);
  if (rows.length > 1) {
    const choices = rows.map((row) => `${row.templateId} (${row.language}, company ${row.companyId})`);
    throw new CommandError("ambiguous", `${template} names several templates: ${choices.join("; ")}`);
  }
  return found;
}
