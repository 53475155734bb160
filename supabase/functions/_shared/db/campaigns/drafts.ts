import { type Actor, auditChange, withoutAudited, writeAudit } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { PlanPage } from "./uploads.ts";

/** Names a draft of a company. */
export interface DraftIds {
  companyId: string;
  draftId: string;
}

/** The fields of a campaign, as far as they are written. */
export type DraftPlan = Record<string, unknown> & { channel: "whatsapp" | "voice" };

/** A campaign that is being written. */
export interface DraftRow {
  draft_id: string;
  name: string;
  plan: DraftPlan;
  /** As in the audit. */
  created_by: string;
  updated_by: string;
  created_at: Date;
  updated_at: Date;
}

function columnsOf(sql: Sql) {
  return sql`
    d.id as draft_id, d.name, d.plan, d.created_by, d.updated_by, d.created_at, d.updated_at`;
}

/**
 * Stores a draft, and records who made it and of which campaign it is a copy. Where there is one of this id, that one stays
 * and is returned: in one statement, so that no member removes it in between.
 */
export async function insertDraft(
  sql: Sql,
  { companyId, draftId, name, plan, copyOf = null }: DraftIds & Pick<DraftRow, "name" | "plan"> & {
    copyOf?: string | null;
  },
  by: Actor,
): Promise<DraftRow> {
  const [row] = await sql<(DraftRow & { audited: string | null })[]>`
    with d as (
      insert into outbound.campaign_drafts (company_id, id, name, plan, created_by, updated_by)
      values (${companyId}, ${draftId}, ${name}, ${
    jsonParameter(sql, plan)
  }, ${by.actor}, ${by.actor}) on conflict on constraint campaign_drafts_pkey do update set id = excluded.id
      returning *, xmax = 0 as is_new
    )
    select ${
    columnsOf(sql)
  }, case when d.is_new then outbound.write_audit(d.company_id, ${by.actor}, 'draft.created', d.id::text, null,
      jsonb_strip_nulls(jsonb_build_object('name', d.name, 'copy_of', ${copyOf}::text)), ${
    by.requestId ?? null
  }) end as audited
    from d`;
  return withoutAudited(row!);
}

/** Returns a draft of a company. */
export async function readDraft(sql: Sql, { companyId, draftId }: DraftIds): Promise<DraftRow | undefined> {
  const [row] = await sql<DraftRow[]>`
    select ${columnsOf(sql)} from outbound.campaign_drafts as d
    where d.company_id = ${companyId} and d.id = ${draftId}`;
  return row;
}

/** Returns a page of a company's drafts, newest first: ids are in the order of their making. */
export async function readDrafts(
  sql: Sql,
  { companyId, channel, after, limit }: PlanPage,
): Promise<DraftRow[]> {
  return await sql<DraftRow[]>`
    select ${columnsOf(sql)}
    from outbound.list_drafts(${companyId}, ${after ?? null}, ${limit}, ${
    channel ?? null
  }) as d order by d.id desc`;
}

/** Keeps other transactions from changing a draft until this one ends. */
export async function lockDraft(sql: Sql, { companyId, draftId }: DraftIds): Promise<void> {
  await sql`
    select from outbound.campaign_drafts where company_id = ${companyId} and id = ${draftId} for no key update`;
}

/** Changes a draft that the caller has locked, and records who did. */
export async function updateDraft(
  sql: Sql,
  { companyId, draftId, name, plan }: DraftIds & Pick<DraftRow, "name" | "plan">,
  by: Actor,
): Promise<DraftRow | undefined> {
  const before = await readDraft(sql, { companyId, draftId });
  if (before === undefined) return undefined;
  const [row] = await sql<DraftRow[]>`
    update outbound.campaign_drafts as d
    set name = ${name}, plan = ${jsonParameter(sql, plan)}, updated_by = ${by.actor}, updated_at = now()
    where d.company_id = ${companyId} and d.id = ${draftId}
      and (d.name, d.plan) is distinct from (${name}, ${jsonParameter(sql, plan)}::jsonb)
    returning ${columnsOf(sql)}`;
  if (row === undefined) return before;
  await auditChange(sql, companyId, {
    ...by,
    action: "draft.updated",
    subject: draftId,
    before: { name: before.name },
    after: { name, fields: changedFields(before.plan, row.plan) },
  });
  return row;
}

function changedFields(before: Record<string, unknown>, after: Record<string, unknown>): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
}

/** Deletes a draft. Returns whether there was one. */
export async function deleteDraft(sql: Sql, { companyId, draftId }: DraftIds, by: Actor): Promise<boolean> {
  const [row] = await sql`
    with d as (
      delete from outbound.campaign_drafts where company_id = ${companyId} and id = ${draftId} returning *
    )
    select outbound.write_audit(d.company_id, ${by.actor}, 'draft.removed', d.id::text,
      jsonb_build_object('name', d.name), null, ${by.requestId ?? null}) from d`;
  return row !== undefined;
}

/** The stored facts of how a campaign was made. */
export interface CampaignOrigin {
  channel: "whatsapp" | "voice";
  name: string;
  notification_type: string;
  sender: string;
  template_name: string | null;
  template_language: string | null;
  agent_id: string | null;
  name_event: string | null;
  timezone: string | null;
  timing: Record<string, unknown> | null;
  scheduled_time: Date | null;
  /** The plan of its upload; null where it was not made by one. */
  upload: unknown;
}

/** Returns how a campaign was made. */
export async function readCampaignOrigin(
  sql: Sql,
  { companyId, campaignId }: { companyId: string; campaignId: string },
): Promise<CampaignOrigin> {
  const [row] = await sql<CampaignOrigin[]>`
    select g.channel, g.name, g.notification_type, g.template_name, g.template_language, g.agent_id, g.name_event,
      g.timezone, g.scheduled_time,
      (select b.timing from outbound.bulk_campaigns as b where b.company_id = g.company_id and b.campaign_id = g.id) as timing,
      (select s.number from outbound.senders as s where s.company_id = g.company_id and s.id = g.sender_id) as sender,
      (
        select u.plan from outbound.campaign_uploads as u
        where u.company_id = g.company_id and u.campaign_id = g.id limit 1
      ) as upload
    from outbound.campaigns as g where g.company_id = ${companyId} and g.id = ${campaignId}`;
  return row!;
}

/** A colleague who gets tests of campaigns. */
export interface TestRecipient {
  number: string;
  name: string;
}

/** Returns those who get a company's tests, in the order of their names. */
export async function readTestRecipients(sql: Sql, companyId: string): Promise<TestRecipient[]> {
  return await sql<TestRecipient[]>`
    select number, name from outbound.test_recipients where company_id = ${companyId} order by name, number`;
}

/** Replaces those who get a company's tests. The audit has how many there are. Call it in a transaction. */
export async function replaceTestRecipients(
  sql: Sql,
  { companyId, recipients }: { companyId: string; recipients: TestRecipient[] },
  by: Actor,
): Promise<TestRecipient[]> {
  const before = await readTestRecipients(sql, companyId);
  await sql`delete from outbound.test_recipients where company_id = ${companyId}`;
  await sql`
    insert into outbound.test_recipients (company_id, number, name)
    select ${companyId}, r.number, r.name
    from jsonb_to_recordset(${jsonParameter(sql, recipients)}) as r(number text, name text)`;
  const after = await readTestRecipients(sql, companyId);
  if (JSON.stringify(before) === JSON.stringify(after)) return after;
  const counts = { before: { recipients: before.length }, after: { recipients: after.length } };
  await writeAudit(sql, companyId, { ...by, action: "test_recipients.updated", ...counts });
  return after;
}
