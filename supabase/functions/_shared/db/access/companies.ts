import { type Actor, withoutAudited, writeAudit } from "./audit.ts";
import type { Sql } from "../driver/connect.ts";
import type { CapChanges, VisitorCaps } from "../widgets/visitor_limits.ts";

/** A company as operators see it. */
export interface CompanyRow {
  company_id: string;
  name: string;
  api_access: boolean;
  /** `none`, `active` or `revoked`. */
  key: string;
  members: number;
  senders: number;
  created_at: Date;
}

/** Stores a company and returns its id. */
export async function insertCompany(
  sql: Sql,
  { name, apiAccess }: { name: string; apiAccess: boolean },
  by: Actor,
): Promise<{ company_id: string }> {
  return await sql.begin(async (transaction) => {
    const [row] = await transaction<{ company_id: string }[]>`
      insert into outbound.companies (name, api_access) values (${name}, ${apiAccess})
      returning id as company_id`;
    const after = { name, api_access: apiAccess };
    await writeAudit(transaction as unknown as Sql, row!.company_id, {
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
    select c.id as company_id, c.name, c.api_access,
      coalesce((
        select case when k.is_active then 'active' else 'revoked' end
        from outbound.api_keys as k where k.company_id = c.id and k.is_current
      ), 'none') as key,
      (select count(*)::int from outbound.company_members as m where m.company_id = c.id) as members,
      (select count(*)::int from outbound.senders as s where s.company_id = c.id) as senders,
      c.created_at
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
  daily_quota: number;
  /** Requests per minute. */
  rate_limit: number;
  /** Of visitors, per UTC day. */
  voice_minutes: number;
  /** Messages per second. */
  sender_rate: number;
}

export type CeilingChanges = { [Name in keyof Ceilings]?: number | undefined };

export interface CompanySettings {
  company_id: string;
  api_access: boolean;
  /** It is a test company: nothing that it sends reaches a platform. */
  test: boolean;
  on_unknown: OnUnknown;
  /** Seconds before one campaign calls a number again. */
  call_gap_s: number;
  /** Whether the people whom requests and the platform name become contacts. */
  learn_contacts: boolean;
  /** Whether the bodies of its keys' requests are kept: `switchRecordedBodies` changes it. */
  record_bodies: boolean;
  /** The currency that the platform bills the company in; null: that of the rate card. */
  currency: string | null;
  /** Per day, for visitors of all its widgets together. */
  visitor_caps: VisitorCaps;
  ceilings: Ceilings;
}

/** The settings to change; the others stay. */
export type CompanyChanges =
  & {
    [
      Name in Exclude<
        keyof CompanySettings,
        "company_id" | "test" | "record_bodies" | "visitor_caps" | "ceilings"
      >
    ]?:
      | CompanySettings[Name]
      | undefined;
  }
  & { visitor_caps?: CapChanges | undefined; ceilings?: CeilingChanges };

function settingColumns(sql: Sql) {
  return sql`
    id as company_id, api_access, live_company_id is not null as test, on_unknown, call_gap_s, learn_contacts, currency,
    exists (select from outbound.recorded_bodies as r where r.company_id = id) as record_bodies,
    json_build_object('voice_sessions', max_voice_sessions_per_day, 'voice_minutes', max_voice_minutes_per_day,
      'conversations', max_conversations_per_day, 'stored_mb', max_stored_mb_per_day) as visitor_caps,
    json_build_object('daily_quota', daily_quota_ceiling, 'rate_limit', rate_limit_ceiling,
      'voice_minutes', voice_minutes_ceiling, 'sender_rate', sender_rate_ceiling) as ceilings`;
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
  companyId: string,
  { visitor_caps = {}, ceilings = {}, ...changes }: CompanyChanges,
  by: Actor,
): Promise<CompanySettings | undefined> {
  const [row] = await sql<(CompanySettings & { audited: string })[]>`
    with old as materialized (
      select * from outbound.companies where id = ${companyId} for no key update
    ),
    changed as (
      update outbound.companies as c
      set api_access = coalesce(${changes.api_access ?? null}, c.api_access),
        on_unknown = coalesce(${changes.on_unknown ?? null}, c.on_unknown),
        call_gap_s = coalesce(${changes.call_gap_s ?? null}, c.call_gap_s),
        learn_contacts = coalesce(${changes.learn_contacts ?? null}, c.learn_contacts),
        currency = coalesce(${changes.currency ?? null}, c.currency),
        max_voice_sessions_per_day = coalesce(${
    visitor_caps.voice_sessions ?? null
  }, c.max_voice_sessions_per_day),
        max_voice_minutes_per_day = coalesce(${
    visitor_caps.voice_minutes ?? null
  }, c.max_voice_minutes_per_day),
        max_conversations_per_day = coalesce(${
    visitor_caps.conversations ?? null
  }, c.max_conversations_per_day),
        max_stored_mb_per_day = coalesce(${visitor_caps.stored_mb ?? null}, c.max_stored_mb_per_day),
        daily_quota_ceiling = coalesce(${ceilings.daily_quota ?? null}, c.daily_quota_ceiling),
        rate_limit_ceiling = coalesce(${ceilings.rate_limit ?? null}, c.rate_limit_ceiling),
        voice_minutes_ceiling = coalesce(${ceilings.voice_minutes ?? null}, c.voice_minutes_ceiling),
        sender_rate_ceiling = coalesce(${ceilings.sender_rate ?? null}, c.sender_rate_ceiling)
      from old where c.id = old.id
      returning c.*
    ),
    -- A company that is switched off has no door left in its test company.
    test as (
      update outbound.companies as c set api_access = changed.api_access
      from changed where c.live_company_id = changed.id and c.api_access <> changed.api_access
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

/** Keeps other transactions from changing a company's settings until this one ends. Returns whether there is one. */
export async function lockCompany(sql: Sql, companyId: string): Promise<boolean> {
  const { length } = await sql`select from outbound.companies where id = ${companyId} for no key update`;
  return length > 0;
}

/** Returns the daily caps for visitors of all widgets of a company together. */
export async function readCompanyCaps(sql: Sql, companyId: string): Promise<VisitorCaps> {
  const [row] = await sql<VisitorCaps[]>`
    select max_voice_sessions_per_day as voice_sessions, max_voice_minutes_per_day as voice_minutes,
      max_conversations_per_day as conversations, max_stored_mb_per_day as stored_mb
    from outbound.companies where id = ${companyId}`;
  return row!;
}

/** Returns the currency that the platform bills a company in; null where the operator has not set it. */
export async function readBillingCurrency(sql: Sql, companyId: string): Promise<string | null> {
  const [row] = await sql<{ currency: string | null }[]>`
    select currency from outbound.companies where id = ${companyId}`;
  return row?.currency ?? null;
}
