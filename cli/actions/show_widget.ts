import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import { CommandError } from "../command_error.ts";
import { listWidgets, type WidgetRow } from "./list_widgets.ts";
import { readVisitorUsage } from "./read_visitor_usage.ts";
import type { VisitorCaps } from "./visitor_caps.ts";

export interface ShownWidget extends WidgetRow {
  /** Today, in UTC. */
  used: VisitorCaps;
  company: { caps: VisitorCaps; used: VisitorCaps };
}

/**
 * One widget with its configuration, and what its visitors have used up today of its caps and its company's.
 *
 * @throws {CommandError} `not_found`
 */
export async function showWidget(
  { sql }: { sql: Sql },
  { widgetId }: { widgetId: string },
): Promise<ShownWidget> {
  const [row] = await listWidgets({ sql }, { widgetId });
  if (!row) throw new CommandError("not_found", `No widget with id ${widgetId}`);
  const { companyId } = row;
  return {
    ...row,
    used: await readVisitorUsage(sql, { companyId, subjectId: widgetId }),
    company: {
      caps: await readCompanyCaps(sql, companyId),
      used: await readVisitorUsage(sql, { companyId, subjectId: companyId }),
    },
  };
}

async function readCompanyCaps(sql: Sql, companyId: string): Promise<VisitorCaps> {
  const [row] = await sql<VisitorCaps[]>`
    select max_voice_sessions_per_day as "voiceSessions", max_voice_minutes_per_day as "voiceMinutes",
      max_conversations_per_day as conversations, max_stored_mb_per_day as "storedMb"
    from outbound.companies where id = ${companyId}`;
  return row!;
}
