import { jsonParameter, type Sql } from "../driver/connect.ts";
import type { MemberIds } from "./members.ts";

/** More are of no use to a person; the oldest goes. */
const MAX_DRAFTS_PER_MEMBER = 50;

/** A form of a member, and the thing that it is about. */
export interface DraftOf extends MemberIds {
  kind: string;
  key: string;
}

/** The contents of a form that a member did not save. */
export interface MemberDraft {
  body: Record<string, unknown>;
  updated_at: Date;
}

/** Returns what the member typed; undefined where there is nothing. */
export async function readMemberDraft(
  sql: Sql,
  { companyId, userId, kind, key }: DraftOf,
): Promise<MemberDraft | undefined> {
  const [row] = await sql<MemberDraft[]>`
    select d.body, d.updated_at from outbound.member_drafts as d
    where d.company_id = ${companyId} and d.user_id = ${userId} and d.kind = ${kind} and d.key = ${key}`;
  return row;
}

/** Stores what the member typed, in place of what is stored, and removes what is more than a member may have. */
export async function storeMemberDraft(
  sql: Sql,
  { companyId, userId, kind, key }: DraftOf,
  body: Record<string, unknown>,
): Promise<Date> {
  const [row] = await sql<{ updated_at: Date }[]>`
    with removed as (
      delete from outbound.member_drafts as d
      where d.company_id = ${companyId} and d.user_id = ${userId} and (d.kind, d.key) in (
        select o.kind, o.key from outbound.member_drafts as o
        where o.company_id = ${companyId} and o.user_id = ${userId} and (o.kind, o.key) <> (${kind}, ${key})
        order by o.updated_at desc offset ${MAX_DRAFTS_PER_MEMBER - 1}
      )
    )
    insert into outbound.member_drafts as d (company_id, user_id, kind, key, body)
    values (${companyId}, ${userId}, ${kind}, ${key}, ${jsonParameter(sql, body)})
    on conflict on constraint member_drafts_pkey do update set body = excluded.body, updated_at = now()
    returning d.updated_at`;
  return row!.updated_at;
}

/** Removes what the member typed. */
export async function deleteMemberDraft(sql: Sql, { companyId, userId, kind, key }: DraftOf): Promise<void> {
  await sql`delete from outbound.member_drafts as d
    where d.company_id = ${companyId} and d.user_id = ${userId} and d.kind = ${kind} and d.key = ${key}`;
}
