import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { findTemplate, type TemplateReference } from "./find_template.ts";
import type { TemplateRow } from "./list_templates.ts";

/** A template with its parts in the platform's own shape. */
export type ShownTemplate = TemplateRow & {
  parameterFormat: string;
  components: { type: string; text?: string; format?: string }[];
};

/** @throws {CommandError} `not_found` or `ambiguous` */
export async function showTemplate(
  { sql }: { sql: Sql },
  reference: TemplateReference,
): Promise<ShownTemplate> {
  const { companyId, templateId } = await findTemplate(sql, reference);
  const [row] = await sql<ShownTemplate[]>`
    select id as "templateId", company_id as "companyId", waba_id as "wabaId",
      provider_template_id as "providerTemplateId", name, language, category, status,
      rejected_reason as "rejectedReason", parameter_format as "parameterFormat", components
    from outbound.templates where company_id = ${companyId} and id = ${templateId}`;
  return row!;
}
