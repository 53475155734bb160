import { afterRow } from "../driver/after_row.ts";
import type { Actor } from "../access/audit.ts";
import { type KeyState, sendersOfKey } from "../queue/send_context.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

export interface TemplateRow {
  id: string;
  name: string;
  status: string;
  category: string;
  language: string;
  parameter_format: "POSITIONAL" | "NAMED";
  components: { type: string; [field: string]: unknown }[];
  rejected_reason: string | null;
}

export interface TemplatesForKey extends KeyState {
  templates: TemplateRow[];
}

/**
 * Returns the templates of the account that owns `phoneNumber`, and the number's senders; none for a number the company
 * does not have. Counts a request.
 */
export async function readTemplatesOfNumber(
  sql: Sql,
  query: { keyHash: string; phoneNumber: string },
): Promise<TemplatesForKey & { sender_id: string | null }> {
  const [row] = await sql<(TemplatesForKey & { sender_id: string | null })[]>`
    with key as materialized (
      select key.*, ${sendersOfKey(sql)} from outbound.use_access_key(${query.keyHash}) as key
    )
    select key.*, s.id as sender_id, (
      select coalesce(jsonb_agg(to_jsonb(t) order by t.name, t.language), '[]')
      from outbound.templates as t where t.company_id = key.company_id and t.waba_id = s.waba_id
    ) as templates
    from key left join outbound.senders as s
      on s.company_id = key.company_id and s.channel = 'whatsapp' and s.number = ${query.phoneNumber}`;
  return row!;
}

/**
 * Returns every template of the company with this id (ours or the platform's) or name, approved ones first; for a key that
 * is limited to senders, those of their accounts. Counts a request.
 */
export async function readTemplatesNamed(
  sql: Sql,
  query: { keyHash: string; template: string },
): Promise<TemplatesForKey> {
  const [row] = await sql<TemplatesForKey[]>`
    with key as materialized (
      select key.*, ${sendersOfKey(sql)} from outbound.use_access_key(${query.keyHash}) as key
    )
    select key.*, (
      select coalesce(jsonb_agg(to_jsonb(t) order by t.status = 'approved' desc, t.language), '[]')
      from outbound.templates as t
      where t.company_id = key.company_id
        and ${query.template} in (t.id::text, t.platform_template_id, t.name)
        and (key.sender_ids is null or t.waba_id in (
          select s.waba_id from outbound.senders as s
          where s.company_id = key.company_id and s.id = any (key.sender_ids)
        ))
    ) as templates
    from key`;
  return row!;
}

/** Whose templates are meant: those of a sender's account, or all of a company. */
export interface TemplateOwner {
  companyId: string;
  senderId: string | null;
}

const MAX_NAMES = 1000;

/** Returns the names of up to a thousand templates, approved ones first. */
export async function readTemplateNames(
  sql: Sql,
  { companyId, senderId }: TemplateOwner,
): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select t.name from outbound.templates as t
    where t.company_id = ${companyId} ${
    senderId === null ? sql`` : sql`and t.waba_id = (
      select s.waba_id from outbound.senders as s where s.company_id = ${companyId} and s.id = ${senderId}
    )`
  }
    group by t.name order by bool_or(t.status = 'approved') desc, t.name limit ${MAX_NAMES}`;
  return rows.map(({ name }) => name);
}

/** A company's business account at the messaging platform, with a token that opens it. */
export interface TemplateAccount {
  company_id: string;
  waba_id: string;
  /** The sender whose token it is. */
  sender_id: string;
  token_sealed: string | null;
}

/** Field names are those of `outbound.sync_templates`. */
export interface SyncedTemplateRow {
  platform_template_id: string | null;
  name: string;
  language: string;
  category: string;
  status: string;
  rejected_reason: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN. */
  quality: string | null;
  parameter_format: string;
  components: unknown;
}

/** Returns the database's time, for `writeTemplates`. */
export async function readDatabaseTime(sql: Sql): Promise<string> {
  const [row] = await sql<{ now: string }[]>`select now()::text as now`;
  return row!.now;
}

/**
 * Stores the platform's complete list, and settles open submissions; returns how many of our rows
 * differed.
 *
 * @param account.listedAt the database's time before the platform began to list; newer templates stay unchanged
 * @param by who asked for it, for the audit; absent for a sync that is due
 */
export async function writeTemplates(
  sql: Sql,
  { companyId, wabaId, listedAt }: { companyId: string; wabaId: string; listedAt: string },
  templates: SyncedTemplateRow[],
  by?: Actor,
): Promise<number> {
  const audit = by && sql`, outbound.audit_change(
    ${companyId}, ${by.actor}, 'templates.synced', ${wabaId}, '{"changed": 0}',
    jsonb_build_object('changed', changed), ${by.requestId ?? null})`;
  const [row] = await sql<{ changed: number }[]>`
    with written as materialized (
      select outbound.sync_templates(
        ${companyId}, ${wabaId}, ${jsonParameter(sql, templates)}, ${listedAt}::text::timestamptz) as changed
    )
    select changed, outbound.settle_template_submissions(${companyId}, ${wabaId}, ${listedAt}::text::timestamptz)
      ${audit ?? sql``}
    from written`;
  return row!.changed;
}

/**
 * Takes up to `limit` accounts whose templates were not synced for an hour; each goes to one caller only.
 */
export async function takeAccountsToSync(sql: Sql, limit: number): Promise<TemplateAccount[]> {
  return await sql<TemplateAccount[]>`
    select company_id, waba_id, sender_id, token_sealed
    from outbound.take_accounts_to_sync(${limit})`;
}

/** A template as operators see it. */
export interface TemplateSummary {
  template_id: string;
  company_id: string;
  waba_id: string;
  /** The platform's own id. */
  platform_template_id: string | null;
  name: string;
  language: string;
  category: string;
  status: string;
  rejected_reason: string | null;
  /** GREEN, YELLOW, RED or UNKNOWN; null until the platform has reported it. */
  quality: string | null;
  /** When any of it last changed. */
  updated_at: Date;
}

function summaryColumns(sql: Sql) {
  return sql`
    id as template_id, company_id, waba_id,
    platform_template_id, name, language, category, status,
    rejected_reason, quality, updated_at`;
}

/** Returns a company's templates. */
export async function readTemplates(sql: Sql, companyId: string): Promise<TemplateSummary[]> {
  return await sql<TemplateSummary[]>`
    select ${summaryColumns(sql)}
    from outbound.templates
    where company_id = ${companyId}
    order by name, language, id`;
}

/** A template in a list. */
export interface ListedTemplate extends TemplateSummary {
  /** Campaigns held until it is approved. */
  held_campaigns: number;
}

export interface TemplatePageQuery {
  companyId: string;
  status?: string | undefined;
  wabaId?: string | undefined;
  name?: string | undefined;
  /** The last template of the page before. */
  after?: string | undefined;
  limit: number;
}

function heldCampaigns(sql: Sql) {
  return sql`(
    select count(*)::int from outbound.campaigns as g
    where g.company_id = t.company_id and g.template_id = t.id and g.held_reason is not null
  ) as held_campaigns`;
}

/** Returns a page of a company's templates, newest first. */
export async function readTemplatePage(
  sql: Sql,
  { companyId, status, wabaId, name, after, limit }: TemplatePageQuery,
): Promise<ListedTemplate[]> {
  return await sql<ListedTemplate[]>`
    select ${summaryColumns(sql)}, ${heldCampaigns(sql)} from outbound.templates as t
    where t.company_id = ${companyId}
      ${status ? sql`and t.status = ${status}` : sql``}
      ${wabaId ? sql`and t.waba_id = ${wabaId}` : sql``}
      ${name ? sql`and strpos(t.name, lower(${name})) > 0` : sql``}
      ${afterRow(sql, "t", { table: "outbound.templates", companyId, after })}
    order by t.created_at desc, t.id desc limit ${limit}`;
}

/** Names a template by our id, the platform's id or its name, narrowed by company and language. */
export interface TemplateReference {
  template: string;
  companyId?: string | undefined;
  language?: string | undefined;
}

/** A template that a reference matches. */
export interface TemplateMatch {
  company_id: string;
  template_id: string;
  language: string;
}

/** Returns every template that a reference matches. */
export async function findTemplates(
  sql: Sql,
  { template, companyId, language }: TemplateReference,
): Promise<TemplateMatch[]> {
  return await sql<TemplateMatch[]>`
    select company_id, id as template_id, language
    from outbound.templates
    where ${template} in (id::text, platform_template_id, name)
      ${companyId ? sql`and company_id = ${companyId}` : sql``}
      ${language ? sql`and language = ${language}` : sql``}
    order by company_id, language, id`;
}

export interface TemplateIds {
  companyId: string;
  templateId: string;
}

/** A template with its parts in the platform's own shape. */
export interface TemplateDetails extends ListedTemplate {
  parameter_format: "POSITIONAL" | "NAMED";
  components: { type: string; [field: string]: unknown }[];
  /** Since when it has had its status, as far as that is known. */
  status_since: Date | null;
}

/** Returns one template with its parts. */
export async function readTemplate(
  sql: Sql,
  { companyId, templateId }: TemplateIds,
): Promise<TemplateDetails | undefined> {
  const [row] = await sql<TemplateDetails[]>`
    select ${summaryColumns(sql)}, parameter_format, components,
      nullif(status_at, '-infinity') as status_since, ${heldCampaigns(sql)}
    from outbound.templates as t where company_id = ${companyId} and id = ${templateId}`;
  return row;
}

/** Sets our copy of a template's status; the next report of the platform overrules it. */
export async function setTemplateStatus(
  sql: Sql,
  { companyId, templateId }: TemplateIds,
  status: string,
  by: Actor,
): Promise<void> {
  await sql`
    select outbound.set_template_status(${companyId}, ${templateId}, ${status}),
      outbound.audit_change(
        ${companyId}, ${by.actor}, 'template.status_set', ${templateId}, jsonb_build_object('status', old.status),
        jsonb_build_object('status', ${status}::text), ${by.requestId ?? null})
    from (
      select t.status from outbound.templates as t
      where t.company_id = ${companyId} and t.id = ${templateId} for no key update
    ) as old`;
}
