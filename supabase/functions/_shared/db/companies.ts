import type { Sql } from "./connect.ts";
import type { CapChanges, VisitorCaps } from "./widgets/visitor_limits.ts";

/** A company as operators see it. */
export interface CompanyRow {
  companyId: string;
  name: string;
  apiAccess: boolean;
  /** `none`, `active` or `revoked`. */
  key: string;
  members: number;
  senders: number;
  createdAt: Date;
}

/** Stores a company and returns its id. */
export async function insertCompany(
  sql: Sql,
  { name, apiAccess }: { name: string; apiAccess: boolean },
): Promise<{ companyId: string }> {
  const [row] = await sql<{ companyId: string }[]>`
      insert into outbound.companies (name, api_access) values (${name}, ${apiAccess})
      returning id as "companyId"`;
  return row!;
}

/** Returns all companies, oldest first. */
export async function readCompanies(sql: Sql): Promise<CompanyRow[]> {
  return await sql<CompanyRow[]>`
    select c.id as "companyId", c.name, c.api_access as "apiAccess",
      coalesce((
        select case when k.is_active then 'active' else 'revoked' end
        from outbound.api_keys as k where k.company_id = c.id and k.is_current
      ), 'none') as key,
      (select count(*)::int from outbound.company_members as m where m.company_id = c.id) as members,
      (select count(*)::int from outbound.senders as s where s.company_id = c.id) as senders,
      c.created_at as "createdAt"
    from outbound.companies as c
    order by c.created_at, c.id`;
}

/** Returns those of the ids that name no company. */
export async function findUnknownCompanies(sql: Sql, companyIds: string[]): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select wanted.id from unnest(${companyIds}::uuid[]) as wanted(id)
    where not exists (select 1 from outbound.companies as c where c.id = wanted.id)`;
  return rows.map(({ id }) => id);
}

/** The fate of a message whose outcome the platform never reports: `resend` retries it, `hold` fails it. */
export type OnUnknown = "resend" | "hold";

export interface CompanySettings {
  companyId: string;
  apiAccess: boolean;
  onUnknown: OnUnknown;
  /** Seconds before one campaign calls a number again. */
  callGapS: number;
  /** The currency that the platform bills the company in; null: that of the rate card. */
  currency: string | null;
  /** Per day, for visitors of all its widgets together. */
  visitorCaps: VisitorCaps;
}

/** The settings to change; the others stay. */
export type CompanyChanges =
  & Pick<CompanySettings, "companyId">
  & { [Name in keyof Omit<CompanySettings, "companyId" | "visitorCaps">]?: CompanySettings[Name] | undefined }
  & { visitorCaps?: CapChanges };

/** Changes settings of a company and returns all of them; undefined when there is no such company. */
export async function updateCompanySettings(
  sql: Sql,
  { companyId, apiAccess, onUnknown, callGapS, currency, visitorCaps = {} }: CompanyChanges,
): Promise<CompanySettings | undefined> {
  const { voiceSessions = null, voiceMinutes = null, conversations = null, storedMb = null } = visitorCaps;
  const [row] = await sql<CompanySettings[]>`
      update outbound.companies
      set api_access = coalesce(${apiAccess ?? null}, api_access),
        on_unknown = coalesce(${onUnknown ?? null}, on_unknown),
        call_gap_s = coalesce(${callGapS ?? null}, call_gap_s),
        currency = coalesce(${currency ?? null}, currency),
        max_voice_sessions_per_day = coalesce(${voiceSessions}, max_voice_sessions_per_day),
        max_voice_minutes_per_day = coalesce(${voiceMinutes}, max_voice_minutes_per_day),
        max_conversations_per_day = coalesce(${conversations}, max_conversations_per_day),
        max_stored_mb_per_day = coalesce(${storedMb}, max_stored_mb_per_day)
      where id = ${companyId}
      returning id as "companyId", api_access as "apiAccess", on_unknown as "onUnknown", call_gap_s as "callGapS", currency,
        json_build_object('voiceSessions', max_voice_sessions_per_day, 'voiceMinutes', max_voice_minutes_per_day,
          'conversations', max_conversations_per_day, 'storedMb', max_stored_mb_per_day) as "visitorCaps"`;
  return row;
}

/** Returns the daily caps for visitors of all widgets of a company together. */
export async function readCompanyCaps(sql: Sql, companyId: string): Promise<VisitorCaps> {
  const [row] = await sql<VisitorCaps[]>`
    select max_voice_sessions_per_day as "voiceSessions", max_voice_minutes_per_day as "voiceMinutes",
      max_conversations_per_day as conversations, max_stored_mb_per_day as "storedMb"
    from outbound.companies where id = ${companyId}`;
  return row!;
}

/** Returns the currency that the platform bills a company in; null where the operator has not set it. */
export async function readBillingCurrency(sql: Sql, companyId: string): Promise<string | null> {
  const [row] = await sql<{ currency: string | null }[]>`
    select currency from outbound.companies where id = ${companyId}`;
  return row?.currency ?? null;
}
