import { type Actor, withoutAudited, writeAudit } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";
import type { CapChanges, VisitorCaps } from "../widgets/visitor_limits.ts";

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
  by: Actor,
): Promise<{ companyId: string }> {
  return await sql.begin(async (transaction) => {
    const [row] = await transaction<{ companyId: string }[]>`
      insert into outbound.companies (name, api_access) values (${name}, ${apiAccess})
      returning id as "companyId"`;
    const after = { name, api_access: apiAccess };
    await writeAudit(transaction as unknown as Sql, row!.companyId, {
      ...by,
      action: "company.created",
      after,
    });
    return row!;
  });
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

/** How far a company's members may raise its limits. Only the command line sets these. */
export interface Ceilings {
  /** Notifications per UTC day. */
  dailyQuota: number;
  /** Requests per minute. */
  rateLimit: number;
  /** Of visitors, per UTC day. */
  voiceMinutes: number;
  /** Messages per second. */
  senderRate: number;
}

export type CeilingChanges = { [Name in keyof Ceilings]?: number | undefined };

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
  ceilings: Ceilings;
}

/** The settings to change; the others stay. */
export type CompanyChanges =
  & Pick<CompanySettings, "companyId">
  & {
    [Name in Exclude<keyof CompanySettings, "companyId" | "visitorCaps" | "ceilings">]?:
      | CompanySettings[Name]
      | undefined;
  }
  & { visitorCaps?: CapChanges; ceilings?: CeilingChanges };

function settingColumns(sql: Sql) {
  return sql`
    id as "companyId", api_access as "apiAccess", on_unknown as "onUnknown", call_gap_s as "callGapS", currency,
    json_build_object('voiceSessions', max_voice_sessions_per_day, 'voiceMinutes', max_voice_minutes_per_day,
      'conversations', max_conversations_per_day, 'storedMb', max_stored_mb_per_day) as "visitorCaps",
    json_build_object('dailyQuota', daily_quota_ceiling, 'rateLimit', rate_limit_ceiling,
      'voiceMinutes', voice_minutes_ceiling, 'senderRate', sender_rate_ceiling) as ceilings`;
}

/** Returns the settings of a company; undefined when there is no such company. */
export async function readCompanySettings(
  sql: Sql,
  companyId: string,
): Promise<CompanySettings | undefined> {
  const [row] = await sql<CompanySettings[]>`
    select ${settingColumns(sql)} from outbound.companies where id = ${companyId}`;
  return row;
}

function auditedFields(sql: Sql, company: string) {
  const c = sql(company);
  return sql`(to_jsonb(${c}) - array['id', 'name', 'created_at'])`;
}

/** Changes settings of a company and returns all of them; undefined when there is no such company. */
export async function updateCompanySettings(
  sql: Sql,
  { companyId, apiAccess, onUnknown, callGapS, currency, visitorCaps = {}, ceilings = {} }: CompanyChanges,
  by: Actor,
): Promise<CompanySettings | undefined> {
  const { voiceSessions = null, voiceMinutes = null, conversations = null, storedMb = null } = visitorCaps;
  const [row] = await sql<(CompanySettings & { audited: string })[]>`
    with old as materialized (
      select * from outbound.companies where id = ${companyId} for no key update
    ),
    changed as (
      update outbound.companies as c
      set api_access = coalesce(${apiAccess ?? null}, c.api_access),
        on_unknown = coalesce(${onUnknown ?? null}, c.on_unknown),
        call_gap_s = coalesce(${callGapS ?? null}, c.call_gap_s),
        currency = coalesce(${currency ?? null}, c.currency),
        max_voice_sessions_per_day = coalesce(${voiceSessions}, c.max_voice_sessions_per_day),
        max_voice_minutes_per_day = coalesce(${voiceMinutes}, c.max_voice_minutes_per_day),
        max_conversations_per_day = coalesce(${conversations}, c.max_conversations_per_day),
        max_stored_mb_per_day = coalesce(${storedMb}, c.max_stored_mb_per_day),
        daily_quota_ceiling = coalesce(${ceilings.dailyQuota ?? null}, c.daily_quota_ceiling),
        rate_limit_ceiling = coalesce(${ceilings.rateLimit ?? null}, c.rate_limit_ceiling),
        voice_minutes_ceiling = coalesce(${ceilings.voiceMinutes ?? null}, c.voice_minutes_ceiling),
        sender_rate_ceiling = coalesce(${ceilings.senderRate ?? null}, c.sender_rate_ceiling)
      from old where c.id = old.id
      returning c.*
    ),
    audited as materialized (
      select changed.id, outbound.audit_change(
        changed.id, ${by.actor}, 'company.updated', null, ${auditedFields(sql, "old")},
        ${auditedFields(sql, "changed")}, ${by.requestId ?? null}
      ) as audited from changed cross join old
    )
    select ${settingColumns(sql)}, audited from changed join audited using (id)`;
  return row && withoutAudited(row);
}

/** Keeps everybody else from changing a company's settings until the transaction ends. Returns whether there is one. */
export async function lockCompany(sql: Sql, companyId: string): Promise<boolean> {
  const { length } = await sql`select from outbound.companies where id = ${companyId} for no key update`;
  return length > 0;
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
