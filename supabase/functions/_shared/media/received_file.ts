import type { Sealer } from "../crypto/seal.ts";
import { openToken } from "../crypto/sender_token.ts";
import type { ReceivedMedia } from "../db/contacts/contact_messages.ts";
import { findReceivedFile } from "../db/media/media_files.ts";
import type { Env } from "../env.ts";
import type { FILE_TOO_LARGE, PlatformFile } from "../gateways/fetch_file.ts";
import { platformUnavailable } from "../gateways/whatsapp/errors.ts";
import { fetchMedia, MEDIA_GONE } from "../gateways/whatsapp/fetch_media.ts";
import { MEDIA_KINDS, type MediaKind } from "../gateways/whatsapp/send_message.ts";
import { addMedia, type MediaServices, objectKey } from "./add_media.ts";
import { isOfType, MAX_FILE_BYTES, MEDIA_TYPES } from "./media_types.ts";
import { readHead } from "./read_head.ts";

/** The type of a file of which nothing better is known. */
export const ANY_TYPE = "application/octet-stream";

/** A person's message. */
export interface MessageIds {
  companyId: string;
  messageId: string;
}

/** Returns the kind of the file that a message of this kind has; undefined for a message without one. */
export function kindOf(messageKind: string): MediaKind | undefined {
  return MEDIA_KINDS.find((kind) => kind === messageKind);
}

/** Opens the stored file of a person's message; null while it is not stored. */
export async function openReceived(
  { sql, mediaStore }: Pick<MediaServices, "sql" | "mediaStore">,
  ids: MessageIds,
): Promise<PlatformFile | null> {
  const file = mediaStore === null ? undefined : await findReceivedFile(sql, ids);
  const object = file && await mediaStore!.get(objectKey({ ...ids, mediaId: file.media_id }));
  return object ? { ...object, type: file!.content_type } : null;
}

/**
 * Fetches the file of a person's message from the platform. Returns `MEDIA_GONE` for a message without one too. Throws as
 * `fetchMedia` does.
 */
export async function fetchReceived(
  { env, sealer }: { env: Env; sealer: Sealer },
  companyId: string,
  { content, sender_id, platform_id, token_sealed }: ReceivedMedia,
  { signal }: { signal?: AbortSignal } = {},
): Promise<PlatformFile | typeof MEDIA_GONE | typeof FILE_TOO_LARGE> {
  const mediaId = content?.id;
  if (typeof mediaId !== "string" || mediaId === "") return MEDIA_GONE;
  const opened = await openToken(sealer, { company_id: companyId, sender_id, token_sealed });
  if (opened.kind !== "opened") {
    throw platformUnavailable("The sender's access token is missing or cannot be read");
  }
  return await fetchMedia(
    { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    { mediaId, phoneNumberId: platform_id, token: opened.token },
    { maxBytes: MAX_FILE_BYTES, signal },
  );
}

/**
 * Stores a file that was fetched. A stranger chose it: one that does not begin as files of its type do is kept without
 * that type. Throws `quota_exceeded`, `service_unavailable`, and what breaks the body.
 */
export async function storeReceived(
  services: MediaServices,
  { companyId, messageId }: MessageIds,
  { kind: given, content }: Pick<ReceivedMedia, "kind" | "content">,
  { type: described = ANY_TYPE, length, body: all }: PlatformFile,
): Promise<void> {
  const kind = kindOf(given);
  if (kind === undefined || length === null) {
    await all.cancel();
    throw platformUnavailable("The platform does not say how long the file is");
  }
  const { head, body } = await readHead(all.values());
  const type = MEDIA_TYPES.includes(described) && !isOfType(described, head) ? ANY_TYPE : described;
  const file_name = typeof content?.filename === "string" ? content.filename : null;
  const file = { companyId, kind, file_name, message_id: messageId, type, length, body };
  await addMedia(services, file, { actor: "platform" });
}
