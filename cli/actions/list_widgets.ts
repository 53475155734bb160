import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { WidgetKind } from "../../supabase/functions/_shared/db/widgets.ts";
import type { VisitorCaps } from "./visitor_caps.ts";
import { refuseUnlessCompany } from "./refuse_unless_company.ts";

export interface WidgetRow {
  widgetId: string;
  companyId: string;
  kind: WidgetKind;
  name: string;
  config: Record<string, unknown>;
  allowedOrigins: string[];
  isActive: boolean;
  /** In minutes. */
  maxSession: number;
  /** Per day. */
  caps: VisitorCaps;
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
      is_active as "isActive", max_session_minutes as "maxSession", created_at as "createdAt",
      json_build_object('voiceSessions', max_voice_sessions_per_day, 'voiceMinutes', max_voice_minutes_per_day,
        'conversations', max_conversations_per_day, 'storedMb', max_stored_mb_per_day) as caps
    from outbound.widgets
    where true ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${widgetId ? sql`and id = ${widgetId}` : sql``}
    order by company_id, created_at, id`;
}
