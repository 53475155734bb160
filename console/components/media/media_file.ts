import { effect } from "@preact/signals";
import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type ChatFile, downloadMedia, getReplyMedia } from "../../data/sdk.ts";
import { sessionId } from "../../data/session/session.ts";
import { MEDIA_KINDS, type MediaKind } from "../../../widget/shared/file_types.ts";
import { words } from "../../i18n/words.ts";

/** A file of a message: one that a person sent, or one of the company's. */
export interface MediaFile {
  kind: MediaKind;
  /** The message of a person that holds it. */
  messageId?: string | undefined;
  /** The company's file. */
  mediaId?: string | undefined;
  name: string | undefined;
}

/** A message with its content as the API has it. */
interface MessageWithFile {
  message_id: string;
  kind: string;
  content: Record<string, unknown> | null;
}

/** Returns the file of a message; undefined where it has none that can be opened here. */
export function mediaOf(
  { message_id, kind, content }: MessageWithFile,
  isTheirs: boolean,
): MediaFile | undefined {
  const known = MEDIA_KINDS.find((each) => each === kind);
  if (known === undefined) return undefined;
  const { file } = (content ?? {}) as { file?: ChatFile };
  if (file) return { kind: known, mediaId: file.media_id, name: file.file_name };
  const { filename, media_id: mediaId } = content ?? {};
  const name = typeof filename === "string" && filename !== "" ? filename : undefined;
  if (isTheirs) return { kind: known, messageId: message_id, name };
  return typeof mediaId === "string" ? { kind: known, mediaId, name } : undefined;
}

/** Returns what a file is called: by its own name, or by what it is. */
export function nameOfMedia({ name, kind }: MediaFile): string {
  return name ?? words().media.kinds[kind] ?? kind;
}

/** A film over a slow line. */
const LIMITS = { timeoutMs: 900_000, totalMs: 900_000, retries: 1 };

/** Pictures of a long conversation; the oldest goes. */
const MAX_KEPT = 40;

const kept = new Map<string, Promise<Blob>>();

/** Nothing of one person stays for the next one. */
effect(() => {
  if (sessionId.value === undefined) kept.clear();
});

/** Reads a file, once however often it is shown. */
export function readMedia({ messageId, mediaId }: MediaFile): Promise<Blob> {
  const key = `${companyId()} ${messageId ?? mediaId}`;
  const known = kept.get(key);
  if (known) return known;
  const reading = fetchMedia({ messageId, mediaId });
  kept.set(key, reading);
  reading.catch(() => kept.delete(key));
  if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value!);
  return reading;
}

async function fetchMedia({ messageId, mediaId }: Pick<MediaFile, "messageId" | "mediaId">): Promise<Blob> {
  const request = { client: api(), meta: { ...LIMITS }, parseAs: "blob" as const };
  const company_id = companyId();
  const file = messageId
    ? ask(getReplyMedia({ ...request, path: { company_id, message_id: messageId } }))
    : ask(downloadMedia({ ...request, path: { company_id, media_id: mediaId! } }));
  return await file as unknown as Blob;
}
