import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { VisitorCaps } from "./visitor_caps.ts";

/** What visitors of a widget, or of all widgets of a company, have used up today. */
export async function readVisitorUsage(
  sql: Sql,
  { companyId, subjectId }: { companyId: string; subjectId: string },
): Promise<VisitorCaps> {
  const [row] = await sql<VisitorCaps[]>`
    select voice_sessions as "voiceSessions", ceil(voice_s / 60.0)::int as "voiceMinutes", conversations,
      ceil(stored_bytes / 1048576.0)::int as "storedMb"
    from outbound.visitor_usage
    where company_id = ${companyId} and subject_id = ${subjectId} and day = (now() at time zone 'UTC')::date`;
  return row ?? { voiceSessions: 0, voiceMinutes: 0, conversations: 0, storedMb: 0 };
}
