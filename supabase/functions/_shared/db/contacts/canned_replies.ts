import type { Actor } from "../access/audit.ts";
import type { Sql } from "../driver/connect.ts";

/** A text that members choose from when they reply. */
export interface CannedReply {
  canned_reply_id: string;
  shortcut: string;
  text: string;
  created_by: string;
  updated_at: Date;
}

function columns(sql: Sql) {
  return sql`r.id as canned_reply_id, r.shortcut, r.text, r.created_by, r.updated_at`;
}

/** Returns a page of a company's canned replies, newest first. */
export async function readCannedReplies(
  sql: Sql,
  { companyId, after, limit }: { companyId: string; after?: string | undefined; limit: number },
): Promise<CannedReply[]> {
  return await sql<CannedReply[]>`
    select ${columns(sql)} from outbound.canned_replies as r
    where r.company_id = ${companyId} ${after === undefined ? sql`` : sql`and r.id < ${after}`}
    order by r.id desc limit ${limit}`;
}

interface NewCannedReply {
  companyId: string;
  id: string;
  shortcut: string;
  text: string;
}

/** Adds a canned reply, with a row in the audit. Undefined when another one has the shortcut. */
export async function insertCannedReply(
  sql: Sql,
  { companyId, id, shortcut, text }: NewCannedReply,
  { actor, requestId }: Actor,
): Promise<CannedReply | undefined> {
  const [row] = await sql<CannedReply[]>`
    with added as (
      insert into outbound.canned_replies as r (company_id, id, shortcut, text, created_by)
      values (${companyId}, ${id}, ${shortcut}, ${text}, ${actor})
      on conflict on constraint canned_replies_shortcut_key do nothing
      returning ${columns(sql)}
    ),
    audited as materialized (
      select outbound.write_audit(${companyId}, ${actor}, 'canned_reply.added', added.canned_reply_id::text, null,
        jsonb_build_object('shortcut', added.shortcut, 'text', added.text), ${requestId ?? null}) from added
    )
    select added.* from added cross join (select count(*) from audited) as written`;
  return row;
}

/**
 * Changes a canned reply, with a row in the audit if that changes anything. `taken`: another one has the shortcut. Undefined
 * when the company has none with this id.
 */
export async function updateCannedReply(
  sql: Sql,
  { companyId, id, shortcut, text }: NewCannedReply,
  { actor, requestId }: Actor,
): Promise<CannedReply | "taken" | undefined> {
  const [row] = await sql<(CannedReply & { taken: boolean })[]>`
    with before as materialized (
      select ${columns(sql)} from outbound.canned_replies as r
      where r.company_id = ${companyId} and r.id = ${id} for no key update
    ),
    others as materialized (
      select from outbound.canned_replies as r
      where r.company_id = ${companyId} and r.shortcut = ${shortcut} and r.id <> ${id}
    ),
    changed as (
      update outbound.canned_replies as r set shortcut = ${shortcut}, text = ${text}, updated_at = now() from before
      where r.company_id = ${companyId} and r.id = ${id} and not exists (select from others)
        and (r.shortcut, r.text) <> (${shortcut}, ${text})
      returning ${columns(sql)}
    ),
    audited as materialized (
      select outbound.audit_change(${companyId}, ${actor}, 'canned_reply.updated', ${id}::text,
        jsonb_build_object('shortcut', b.shortcut, 'text', b.text),
        jsonb_build_object('shortcut', c.shortcut, 'text', c.text), ${requestId ?? null})
      from before as b cross join changed as c
    )
    select coalesce(c.canned_reply_id, b.canned_reply_id) as canned_reply_id, coalesce(c.shortcut, b.shortcut) as shortcut,
      coalesce(c.text, b.text) as text, b.created_by, coalesce(c.updated_at, b.updated_at) as updated_at,
      exists (select from others) as taken
    from before as b left join changed as c on true cross join (select count(*) from audited) as written`;
  return row?.taken ? "taken" : row;
}

/** Deletes a canned reply, with a row in the audit. Returns whether there was one. */
export async function deleteCannedReply(
  sql: Sql,
  { companyId, id }: { companyId: string; id: string },
  { actor, requestId }: Actor,
): Promise<boolean> {
  const [row] = await sql`
    with deleted as (
      delete from outbound.canned_replies as r where r.company_id = ${companyId} and r.id = ${id} returning r.*
    )
    select outbound.write_audit(company_id, ${actor}, 'canned_reply.removed', id::text,
      jsonb_build_object('shortcut', shortcut, 'text', text), null, ${requestId ?? null}) from deleted`;
  return row !== undefined;
}
