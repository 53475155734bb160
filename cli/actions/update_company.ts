import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import type { CallingHours } from "../../supabase/functions/_shared/scheduling/next_opening.ts";
import { CommandError } from "../command_error.ts";
import { refuseOnConstraint } from "./refuse_on_constraint.ts";
import { unknownCompany } from "./unknown_company.ts";
import { badCap, type CapChanges, type VisitorCaps } from "./visitor_caps.ts";

/** What happens to a message whose fate the platform never tells: it is sent again, or held as failed. */
export type OnUnknown = "resend" | "hold";

export interface CompanySettings {
  companyId: string;
  apiAccess: boolean;
  onUnknown: OnUnknown;
  /** Seconds before one campaign calls a number again. */
  callGapS: number;
  /** Null: calls are made at any time. */
  callingHours: CallingHours | null;
  /** Of visitors of all its widgets together, per day. */
  visitorCaps: VisitorCaps;
}

/** The settings to change; what is left out stays. */
export type CompanyChanges =
  & Pick<CompanySettings, "companyId">
  & { [Name in keyof Omit<CompanySettings, "companyId" | "visitorCaps">]?: CompanySettings[Name] | undefined }
  & { visitorCaps?: CapChanges };

/**
 * Changes the given settings of a company and answers all of them.
 *
 * @throws {CommandError} `not_found`, or `bad_value` for a gap, hours or caps that cannot be
 */
export async function updateCompany(
  { sql }: { sql: Sql },
  { companyId, apiAccess, onUnknown, callGapS, callingHours, visitorCaps }: CompanyChanges,
): Promise<CompanySettings> {
  const hours = callingHours === undefined ? sql`` : sql`,
      calls_from = ${callingHours?.from ?? null}, calls_until = ${callingHours?.until ?? null},
      calls_zone = ${callingHours?.zone ?? null}`;
  const { voiceSessions = null, voiceMinutes = null, conversations = null, storedMb = null } = visitorCaps ??
    {};
  const [row] = await refuseOnConstraint(
    sql<CompanySettings[]>`
      update outbound.companies
      set api_access = coalesce(${apiAccess ?? null}, api_access),
        on_unknown = coalesce(${onUnknown ?? null}, on_unknown),
        call_gap_s = coalesce(${callGapS ?? null}, call_gap_s),
        max_voice_sessions_per_day = coalesce(${voiceSessions}, max_voice_sessions_per_day),
        max_voice_minutes_per_day = coalesce(${voiceMinutes}, max_voice_minutes_per_day),
        max_conversations_per_day = coalesce(${conversations}, max_conversations_per_day),
        max_stored_mb_per_day = coalesce(${storedMb}, max_stored_mb_per_day)${hours}
      where id = ${companyId}
      returning id as "companyId", api_access as "apiAccess", on_unknown as "onUnknown", call_gap_s as "callGapS",
        case when calls_zone is not null then json_build_object(
          'from', left(calls_from::text, 5), 'until', left(calls_until::text, 5), 'zone', calls_zone
        ) end as "callingHours",
        json_build_object('voiceSessions', max_voice_sessions_per_day, 'voiceMinutes', max_voice_minutes_per_day,
          'conversations', max_conversations_per_day, 'storedMb', max_stored_mb_per_day) as "visitorCaps"`,
    {
      companies_call_gap_check: () => new CommandError("bad_value", "The gap is 86400 seconds at most"),
      companies_caps_check: badCap,
      companies_calls_check: () =>
        new CommandError("bad_value", "Calling hours begin before they end, on one day"),
    },
  );
  if (!row) throw unknownCompany(companyId);
  return row;
}
