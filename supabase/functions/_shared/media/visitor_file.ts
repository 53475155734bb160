import { addVisitorFile, expectVisitorFile, type VisitorFileMessage } from "../db/media/visitor_files.ts";
import { abandonMedia } from "../db/media/media_files.ts";
import type { PostOutcome } from "../db/widgets/conversations.ts";
import { AppError, badFormat } from "../errors.ts";
import { uuidv7 } from "../values/uuid.ts";
import { maxMediaBytes, type MediaServices, requireMediaStore, storeObject } from "./add_media.ts";
import { imageSize } from "./image_size.ts";
import { isOfType, kindOfType, MEDIA_TYPES, withEndingOf } from "./media_types.ts";
import { readHead } from "./read_head.ts";

/** The most bytes of a file that a visitor sends. */
export const MAX_VISITOR_FILE_BYTES = 10 * 1024 * 1024;

/** A file as a visitor's request brings it. */
export interface IncomingVisitorFile {
  name: string;
  type: string;
  /** Bytes of the body, exactly. */
  length: number;
  parts: AsyncGenerator<Uint8Array>;
}

/** When a company may have made room. */
const ROOM_AGAIN_S = 3600;

/**
 * Stores a visitor's file and the message that shows it, in the memory of one part. The same `clientMessageId` again returns
 * the first message. Undefined when there is no such conversation.
 *
 * Throws `validation_failed` for a type that is not taken or is another one than the bytes show, `quota_exceeded` where the
 * company has no room for it, and what the store and the scanner throw.
 */
export async function postVisitorFile(
  services: MediaServices,
  message: VisitorFileMessage,
  { name: given, type, length, parts }: IncomingVisitorFile,
): Promise<PostOutcome | undefined> {
  requireMediaStore(services);
  const kind = kindOfType(type);
  // Without an end of its own: what a store leaves of the body is read below.
  const { head, body } = await readHead({ next: () => parts.next() });
  const mediaId = uuidv7();
  const { companyId, conversationId } = message;
  const ids = { companyId, conversationId, mediaId };
  try {
    if (kind === undefined) throw badFormat("Content-Type", type, `one of ${MEDIA_TYPES.join(", ")}`);
    if (!isOfType(type, head)) {
      throw badFormat("body", "", `a file of type ${type}: its first bytes are of another one`);
    }
    const maxBytes = maxMediaBytes(services);
    const expected = await expectVisitorFile(services.sql, message, { mediaId, bytes: length, maxBytes });
    if (expected === undefined) return undefined;
    if (expected.outcome === "no_room") throw noRoom();
    if (expected.outcome !== "expected") return expected;
    const sha256 = await storeObject(services, ids, { type, length, body });
    const size = imageSize(type, head);
    const name = withEndingOf(type, given);
    const added = await addVisitorFile(services.sql, { ...message, text: name }, {
      ...{ id: mediaId, kind, content_type: type, bytes: length, sha256, file_name: name },
      width: size?.width ?? null,
      height: size?.height ?? null,
    });
    if (added?.outcome === "too_late") throw new AppError("request_timeout", "The upload took too long");
    if (added === undefined) await abandonMedia(services.sql, ids);
    return added;
  } finally {
    // A browser that is still sending does not read a response.
    await discard(parts);
  }
}

/** Reads the rest of a body, which a request that ended early does not have. */
async function discard(parts: AsyncGenerator<Uint8Array>): Promise<void> {
  try {
    while (!(await parts.next()).done);
  } catch {
    // The request has failed already, or is about to be refused.
  }
}

function noRoom(): AppError {
  return new AppError(
    "quota_exceeded",
    "There is no room for this file now; write what it shows, or send it later",
    { retryAfterS: ROOM_AGAIN_S, details: { quota: "media" } },
  );
}
