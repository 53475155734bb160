import type { MediaKind } from "../../gateways/whatsapp/send_message.ts";
import type { Actor } from "../access/audit.ts";
import { jsonParameter, type Sql } from "../driver/connect.ts";

/** A file of a company, without its bytes. */
export interface MediaFile {
  media_id: string;
  kind: MediaKind;
  content_type: string;
  bytes: number;
  sha256: string;
  file_name: string | null;
  created_by: string;
  created_at: Date;
}

/** A file whose bytes are in the store. Field names are those of `outbound.add_media_file`. */
export interface NewMediaFile extends Omit<MediaFile, "media_id" | "created_by" | "created_at"> {
  id: string;
  /** The message of a person that it came with; null: the company uploaded it. */
  message_id: string | null;
}

/** Names a file of a company. */
export interface MediaIds {
  companyId: string;
  mediaId: string;
}

function columns(sql: Sql) {
  return sql`f.id as media_id, f.kind, f.content_type, f.bytes, f.sha256, f.file_name, f.created_by, f.created_at`;
}

/**
 * Reserves room for an object, and has it deleted from the store in an hour, unless its file is added before. Call it
 * before the object is stored. Returns false where the company would then have more than `maxBytes`.
 */
export async function expectMedia(
  sql: Sql,
  { companyId, mediaId }: MediaIds,
  { bytes, maxBytes }: { bytes: number; maxBytes: number },
): Promise<boolean> {
  const [row] = await sql<{ fits: boolean }[]>`
    select outbound.expect_media(${companyId}, ${mediaId}, ${bytes}, ${maxBytes}) as fits`;
  return row!.fits;
}

/** An object that is expected, and the conversation whose visitor sends it. */
export interface ExpectedMedia extends MediaIds {
  conversationId?: string;
}

/** Has an expected object deleted soon, because storing it failed: a visitor's then counts no longer towards the day's quota. */
export async function abandonMedia(
  sql: Sql,
  { companyId, mediaId, conversationId }: ExpectedMedia,
): Promise<void> {
  await sql`select outbound.abandon_media(${companyId}, ${mediaId}, ${conversationId ?? null})`;
}

/**
 * Adds a file whose object is stored, with a row in the audit. Returns its id, or that of the file with the same content;
 * null when its message was deleted meanwhile, or the upload took too long.
 */
export async function addMediaFile(
  sql: Sql,
  companyId: string,
  file: NewMediaFile,
  { actor, requestId }: Actor,
): Promise<string | null> {
  const [row] = await sql<{ id: string | null }[]>`
    select outbound.add_media_file(
      ${companyId}, ${jsonParameter(sql, file)}, ${actor}, ${requestId ?? null}) as id`;
  return row!.id;
}

/** Returns a page of the files that a company uploaded, newest first; of one kind if it is given. */
export async function readMediaPage(
  sql: Sql,
  { companyId, kind, after, limit }: {
    companyId: string;
    kind?: string | undefined;
    after?: string | undefined;
    limit: number;
  },
): Promise<MediaFile[]> {
  return await sql<MediaFile[]>`
    select ${columns(sql)} from outbound.media_files as f
    where f.company_id = ${companyId} and f.message_id is null
      ${kind === undefined ? sql`` : sql`and f.kind = ${kind}`}
      ${after === undefined ? sql`` : sql`and f.id < ${after}`}
    order by f.id desc limit ${limit}`;
}

/** Returns a file that the company uploaded, or a visitor of a chat; undefined when it has none with this id. */
export async function findMediaFile(
  sql: Sql,
  { companyId, mediaId }: MediaIds,
): Promise<MediaFile | undefined> {
  const [row] = await sql<MediaFile[]>`
    select ${columns(sql)} from outbound.media_files as f
    where f.company_id = ${companyId} and f.id = ${mediaId}
      and (f.message_id is null or f.conversation_id is not null)`;
  return row;
}

/** Returns the file that came with a person's message; undefined while it is not stored. */
export async function findReceivedFile(
  sql: Sql,
  { companyId, messageId }: { companyId: string; messageId: string },
): Promise<MediaFile | undefined> {
  const [row] = await sql<MediaFile[]>`
    select ${columns(sql)} from outbound.media_files as f
    where f.company_id = ${companyId} and f.message_id = ${messageId}`;
  return row;
}

/** Deletes a file that the company uploaded, or a visitor of a chat, with a row in the audit. Returns whether there was one. Its object follows. */
export async function deleteMediaFile(
  sql: Sql,
  { companyId, mediaId }: MediaIds,
  { actor, requestId }: Actor,
): Promise<boolean> {
  const [row] = await sql`
    with deleted as (
      delete from outbound.media_files as f
      where f.company_id = ${companyId} and f.id = ${mediaId}
        and (f.message_id is null or f.conversation_id is not null)
      returning f.*
    )
    select outbound.write_audit(company_id, ${actor}, 'media.removed', id::text,
      jsonb_build_object('kind', kind, 'content_type', content_type, 'bytes', bytes), null, ${
    requestId ?? null
  })
    from deleted`;
  return row !== undefined;
}

/** Takes up to `limit` objects that are due to be deleted from the store, for five minutes. */
export async function takeMediaLeftovers(sql: Sql, limit: number): Promise<MediaIds[]> {
  const rows = await sql<{ company_id: string; media_id: string }[]>`
    select * from outbound.take_media_leftovers(${limit})`;
  return rows.map(({ company_id, media_id }) => ({ companyId: company_id, mediaId: media_id }));
}

/** Records that an object is deleted from the store: the company has its room again. */
export async function forgetMediaLeftover(sql: Sql, { companyId, mediaId }: MediaIds): Promise<void> {
  await sql`
    with gone as (
      delete from outbound.media_leftovers where company_id = ${companyId} and media_id = ${mediaId}
      returning company_id, bytes, of_visitor
    )
    update outbound.media_usage as u
    set bytes = greatest(u.bytes - gone.bytes, 0),
      visitor_bytes = case when gone.of_visitor then greatest(u.visitor_bytes - gone.bytes, 0) else u.visitor_bytes end
    from gone where u.company_id = gone.company_id`;
}

/** A file and one of the company's senders, with the platform's id of the file for that sender. */
export interface SenderMedia {
  content_type: string;
  kind: MediaKind;
  bytes: number;
  file_name: string | null;
  /** The platform's id of the sender. */
  platform_id: string;
  token_sealed: string | null;
  /** Null before the platform has the file, and from a day before it deletes it. */
  platform_media_id: string | null;
}

/** Returns a file that the company uploaded, for one of its senders; undefined when it has no such file. */
export async function findSenderMedia(
  sql: Sql,
  { companyId, senderId, mediaId }: MediaIds & { senderId: string },
): Promise<SenderMedia | undefined> {
  const [row] = await sql<SenderMedia[]>`
    select f.content_type, f.kind, f.bytes, f.file_name, s.platform_id, s.token_sealed, p.platform_media_id
    from outbound.media_files as f
    join outbound.senders as s on s.company_id = f.company_id and s.id = ${senderId}
    left join outbound.media_platform_ids as p on p.company_id = f.company_id and p.media_id = f.id
      and p.sender_id = s.id and p.expires_at > now() + interval '1 day'
    where f.company_id = ${companyId} and f.id = ${mediaId} and f.message_id is null`;
  return row;
}

/** Stores the platform's id of a file that was uploaded for a sender just now. A file that is gone by now gets none. */
export async function storePlatformMedia(
  sql: Sql,
  { companyId, senderId, mediaId }: MediaIds & { senderId: string },
  platformMediaId: string,
): Promise<void> {
  await sql`
    insert into outbound.media_platform_ids as p (company_id, media_id, sender_id, platform_media_id, expires_at)
    select f.company_id, f.id, ${senderId}, ${platformMediaId}, now() + interval '30 days'
    from outbound.media_files as f where f.company_id = ${companyId} and f.id = ${mediaId} for key share
    on conflict on constraint media_platform_ids_pkey do update
      set platform_media_id = excluded.platform_media_id, expires_at = excluded.expires_at`;
}
