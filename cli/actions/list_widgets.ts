import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { WidgetKind } from "../../supabase/functions/_shared/db/widgets.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface WidgetRow {
  widgetId: string;
  companyId: string;
  kind: WidgetKind;
  name: string;
  config: Record<string, unknown>;
  allowedOrigins: string[];
  isActive: boolean;
  createdAt: Date;
}

/**
 * The widgets of one company, or of all; or the one with this id.
 *
 * @throws {CommandError} `not_found` for a company
 */
export async function listWidgets(
  { sql }: { sql: Sql },
  { companyId, widgetId }: { companyId?: string | undefined; widgetId?: string } = {},
): Promise<WidgetRow[]> {
  if (companyId) await refuseUnlessCompany(sql, companyId);
  return await sql<WidgetRow[]>`
    select id as "widgetId", company_id as "companyId", kind, name, config, allowed_origins as "allowedOrigins",
      is_active as "isActive", created_at as "createdAt"
    from outbound.widgets
    where true ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${widgetId ? sql`and id = ${widgetId}` : sql``}
    order by company_id, created_at, id`;
}
