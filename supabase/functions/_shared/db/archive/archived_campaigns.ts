import type { TemplateComponent } from "../../templates/template.ts";
import type { Sql } from "../driver/connect.ts";

/** The campaign of an archived message, as the database still knows it. */
export interface ArchivedCampaign {
  scheduled_time: Date | null;
  /** Of its template, as long as it has the form that was sent. */
  components: TemplateComponent[] | null;
}

/** Returns campaigns of a company by their ids. */
export async function readArchivedCampaigns(
  sql: Sql,
  companyId: string,
  campaignIds: string[],
): Promise<Map<string, ArchivedCampaign>> {
  if (campaignIds.length === 0) return new Map();
  const rows = await sql<(ArchivedCampaign & { id: string })[]>`
    select g.id, g.scheduled_time, t.components
    from unnest(${campaignIds}::uuid[]) as given(id)
    join outbound.campaigns as g on g.company_id = ${companyId} and g.id = given.id
    left join outbound.templates as t
      on t.company_id = ${companyId} and t.id = g.template_id and t.shape = g.template_shape`;
  return new Map(rows.map(({ id, scheduled_time, components }) => [id, { scheduled_time, components }]));
}
