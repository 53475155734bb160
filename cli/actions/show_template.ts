import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { TemplateComponent } from "../../supabase/functions/_shared/templates/template.ts";
import { findTemplate, type TemplateReference } from "./find_template.ts";
import { templateColumns, type TemplateRow } from "./list_templates.ts";

/** A template with its parts in the platform's own shape. */
export type ShownTemplate = TemplateRow & {
  parameterFormat: string;
  /** When it got its state, as far as that is known. */
  statusSince: Date | null;
  /** Campaigns that wait for it to be approved. */
  heldCampaigns: number;
  components: TemplateComponent[];
};

/** @throws {CommandError} `not_found` or `ambiguous` */
export async function showTemplate(
  { sql }: { sql: Sql },
  reference: TemplateReference,
): Promise<ShownTemplate> {
  const { companyId, templateId } = await findTemplate(sql, reference);
  const [row] = await sql<ShownTemplate[]>`
    select ${templateColumns(sql)}, parameter_format as "parameterFormat", components,
      nullif(status_at, '-infinity') as "statusSince",
      (
        select count(*)::int from outbound.campaigns as g
        where g.company_id = t.company_id and g.template_id = t.id and g.held_reason is not null
          and g.completed_at is null
      ) as "heldCampaigns"
    from outbound.templates as t where company_id = ${companyId} and id = ${templateId}`;
  return row!;
}
