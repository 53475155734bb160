import type { Sealer } from "../crypto/seal.ts";
import { openToken } from "../crypto/sender_token.ts";
import { findSenderMedia, type MediaIds, storePlatformMedia } from "../db/media/media_files.ts";
import { type MediaRefusal, uploadMedia } from "../gateways/whatsapp/upload_media.ts";
import type { Env } from "../env.ts";
import { type MediaServices, objectKey } from "./add_media.ts";
import { mediaIdIn } from "./media_reference.ts";

/** A file for one of a company's senders. */
export interface PlatformMediaQuery extends MediaIds {
  senderId: string;
}

/** A file as the platform knows it. */
export interface PlatformMedia {
  id: string;
  file_name: string | null;
}

/** A message cannot be sent now, because of its file. */
export class MediaRefusedError extends Error {
  override readonly name = "MediaRefusedError";

  constructor(readonly outcome: MediaRefusal) {
    super(outcome.reason);
  }
}

/** A hundred megabytes take longer than a message. */
const TRANSFER_MS = 60_000;

/**
 * Returns the platform's id of a file for a sender. Uploads the file on first use, and again from a day before the platform
 * deletes it.
 *
 * Throws `MediaRefusedError`.
 */
export async function loadPlatformMedia(
  { sql, env, sealer, mediaStore }: MediaServices & { env: Env; sealer: Sealer },
  query: PlatformMediaQuery,
): Promise<PlatformMedia> {
  const { companyId, senderId } = query;
  const media = await findSenderMedia(sql, query);
  if (media === undefined) throw gone();
  const { file_name, platform_media_id: known, content_type: type, bytes: length, token_sealed } = media;
  if (known !== null) return { id: known, file_name };
  const opened = await openToken(sealer, { company_id: companyId, sender_id: senderId, token_sealed });
  if (opened.kind !== "opened") throw notNow("The sender's access token is missing or cannot be read");
  if (mediaStore === null) throw notNow("The media store is not set up");
  const object = await mediaStore.get(objectKey(query)).catch(() => undefined);
  if (object === undefined) throw notNow("The media store cannot be reached");
  if (object === null) throw gone();
  const uploaded = await uploadMedia(
    { apiUrl: env.WHATSAPP_API_URL, apiVersion: env.WHATSAPP_API_VERSION },
    {
      phoneNumberId: media.platform_id,
      token: opened.token,
      file: { type, length, body: object.body, name: file_name ?? media.kind },
    },
    { timeoutMs: Math.max(env.OUTBOUND_SEND_TIMEOUT_S * 1000, TRANSFER_MS) },
  );
  if (uploaded.kind !== "uploaded") {
    // Where it was not read at all.
    await object.body.cancel().catch(() => {});
    throw new MediaRefusedError(uploaded);
  }
  await storePlatformMedia(sql, query, uploaded.id);
  return { id: uploaded.id, file_name };
}

function gone(): MediaRefusedError {
  const reason = "The message's file was removed before it was sent";
  return new MediaRefusedError({
    kind: "refused",
    action: "fail",
    code: "media_removed",
    httpStatus: 0,
    reason,
  });
}

function notNow(reason: string): MediaRefusedError {
  return new MediaRefusedError({ kind: "not_sent", reason });
}

/** A medium of a message: by a link, by the platform's id, or by the id of a file of the company. */
interface SentMedia {
  link?: string;
  id?: string;
  filename?: string;
}

interface SentComponent {
  type: string;
  parameters?: Record<string, unknown>[];
  cards?: { components: SentComponent[] }[];
}

/**
 * Returns a template's components with the platform's ids in place of the company's files. Components without such files are
 * returned as they are.
 *
 * Throws what `find` throws.
 */
export async function withPlatformMedia(
  components: unknown[],
  find: (mediaId: string) => Promise<PlatformMedia>,
): Promise<unknown[]> {
  const parts = components as SentComponent[];
  return parts.some(holdsFile) ? await Promise.all(parts.map((part) => fill(part, find))) : components;
}

function holdsFile({ type, parameters = [], cards = [] }: SentComponent): boolean {
  return type === "header" && parameters.some((parameter) => fileIn(parameter) !== undefined) ||
    cards.some(({ components }) => components.some(holdsFile));
}

async function fill(
  part: SentComponent,
  find: (mediaId: string) => Promise<PlatformMedia>,
): Promise<SentComponent> {
  const { parameters, cards } = part;
  return {
    ...part,
    ...(parameters && { parameters: await Promise.all(parameters.map((each) => fillParameter(each, find))) }),
    ...(cards && {
      cards: await Promise.all(cards.map(async (card) => ({
        ...card,
        components: await Promise.all(card.components.map((each) => fill(each, find))),
      }))),
    }),
  };
}

async function fillParameter(
  parameter: Record<string, unknown>,
  find: (mediaId: string) => Promise<PlatformMedia>,
): Promise<Record<string, unknown>> {
  const mediaId = fileIn(parameter);
  if (mediaId === undefined) return parameter;
  const { id, file_name } = await find(mediaId);
  const kind = parameter.type as string;
  return { type: kind, [kind]: { id, ...(kind === "document" && file_name && { filename: file_name }) } };
}

function fileIn(parameter: Record<string, unknown>): string | undefined {
  const id = (parameter[parameter.type as string] as SentMedia | undefined)?.id;
  return typeof id === "string" ? mediaIdIn(id) : undefined;
}
