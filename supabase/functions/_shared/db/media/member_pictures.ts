import type { Actor } from "../access/audit.ts";
import type { MemberIds, PictureColumns } from "../access/members.ts";
import type { Sql } from "../driver/connect.ts";

/** Names a member's picture in its address. */
export interface PictureName {
  companyId: string;
  /** Stands for the member. A picture that replaces another keeps it. */
  token: string;
  pictureId: string;
}

/** Returns the name of a company's picture; null for a member without one. */
export function pictureNameOf(
  companyId: string,
  { picture_token: token, picture_id: pictureId }: PictureColumns,
): PictureName | null {
  return token === null || pictureId === null ? null : { companyId, token, pictureId };
}

/** A picture whose object is stored. */
export interface NewPicture {
  id: string;
  content_type: string;
  bytes: number;
}

/**
 * Stores the picture of a member in place of an earlier one, with a row in the audit. Returns its name; null when the upload
 * took too long, or the membership ended meanwhile.
 */
export async function storeMemberPicture(
  sql: Sql,
  { companyId, userId }: MemberIds,
  { id, content_type, bytes }: NewPicture,
  { actor, requestId }: Actor,
): Promise<PictureName | null> {
  const [row] = await sql<{ token: string | null }[]>`
    select outbound.set_member_picture(${companyId}, ${userId}, ${id}, ${content_type}, ${bytes}, ${actor},
      ${requestId ?? null}) as token`;
  return pictureNameOf(companyId, { picture_token: row!.token, picture_id: id });
}

/** Returns the name of a member's picture; null where there is none. */
export async function readMemberPicture(
  sql: Sql,
  { companyId, userId }: MemberIds,
): Promise<PictureName | null> {
  const [row] = await sql<PictureColumns[]>`
    select p.token as picture_token, p.id as picture_id from outbound.member_pictures as p
    where p.company_id = ${companyId} and p.user_id = ${userId}`;
  return row ? pictureNameOf(companyId, row) : null;
}

/** Returns the present picture of the member that a token stands for; undefined where there is none. */
export async function findPicture(
  sql: Sql,
  { companyId, token }: Pick<PictureName, "companyId" | "token">,
): Promise<{ id: string; content_type: string } | undefined> {
  const [row] = await sql<{ id: string; content_type: string }[]>`
    select p.id, p.content_type from outbound.member_pictures as p
    where p.company_id = ${companyId} and p.token = ${token}`;
  return row;
}

/** Deletes the picture of a member, with a row in the audit. Its object follows. */
export async function deleteMemberPicture(
  sql: Sql,
  { companyId, userId }: MemberIds,
  { actor, requestId }: Actor,
): Promise<void> {
  await sql`
    with deleted as (
      delete from outbound.member_pictures as p where p.company_id = ${companyId} and p.user_id = ${userId} returning p.*
    )
    select outbound.write_audit(company_id, ${actor}, 'member.picture_removed', user_id::text,
      jsonb_build_object('content_type', content_type, 'bytes', bytes), null, ${requestId ?? null})
    from deleted`;
}
