import { createHash } from "node:crypto";
import type { Actor } from "../db/access/audit.ts";
import {
  abandonMedia,
  addMediaFile,
  type ExpectedMedia,
  expectMedia,
  type MediaIds,
  type NewMediaFile,
} from "../db/media/media_files.ts";
import type { Sql } from "../db/driver/connect.ts";
import type { Env } from "../env.ts";
import type { MediaStore, StoredFile } from "../gateways/media_store/media_store.ts";
import { scanFile } from "../gateways/scan_file.ts";
import { AppError, notSetUp } from "../errors.ts";
import { uuidv7 } from "../values/uuid.ts";

/** The services that media are stored with. */
export interface MediaServices {
  sql: Sql;
  env: Pick<Env, "OUTBOUND_MEDIA_MAX_MB" | "OUTBOUND_SCAN_URL">;
  /** Null where none is set up. */
  mediaStore: MediaStore | null;
}

/** Returns the store. Throws `service_unavailable` (502) where none is set up. */
export function requireMediaStore({ mediaStore }: Pick<MediaServices, "mediaStore">): MediaStore {
  if (mediaStore !== null) return mediaStore;
  throw notSetUp(
    "media",
    "No media can be stored here: neither OUTBOUND_S3_URL nor OUTBOUND_MEDIA_FOLDER is set",
  );
}

/** The key of a file in the store. */
export function objectKey({ companyId, mediaId }: MediaIds): string {
  return `${companyId}/${mediaId}`;
}

/** A file on its way, with what is known about it. */
export interface IncomingMedia extends StoredFile, Pick<NewMediaFile, "kind" | "file_name" | "message_id"> {
  companyId: string;
}

const MEGABYTE = 1024 * 1024;
/** Within this time the objects of removed files are deleted, which frees their room. */
const OBJECTS_GONE_S = 60;

/**
 * Stores a file as it arrives, in the memory of one part. Returns its id; the same content a second time has the id of the
 * first. Null when the message that it came with was deleted meanwhile. A process that dies leaves an object that
 * {@link deleteMediaLeftovers} finds. Throws what {@link storeNewObject} throws.
 */
export async function addMedia(
  services: MediaServices,
  { companyId, kind, file_name, message_id, type, length, body }: IncomingMedia,
  by: Actor,
): Promise<string | null> {
  const { id, sha256 } = await storeNewObject(services, companyId, { type, length, body });
  const file = { id, kind, content_type: type, bytes: length, sha256, file_name, message_id };
  return await addMediaFile(services.sql, companyId, file, by);
}

/**
 * Stores an object of a company, and returns its new id and the SHA-256 of its bytes in hex. It is left over unless its file
 * is added within an hour. Throws `quota_exceeded` where the company has no room for it, and what {@link storeObject} throws.
 */
export async function storeNewObject(
  services: MediaServices,
  companyId: string,
  { type, length, body }: StoredFile,
): Promise<{ id: string; sha256: string }> {
  requireMediaStore(services);
  const id = uuidv7();
  const ids = { companyId, mediaId: id };
  const maxBytes = maxMediaBytes(services);
  if (!await expectMedia(services.sql, ids, { bytes: length, maxBytes })) {
    await body.cancel();
    throw noRoom(maxBytes);
  }
  return { id, sha256: await storeObject(services, ids, { type, length, body }) };
}

/** Returns how many bytes of media a company may have. */
export function maxMediaBytes({ env }: Pick<MediaServices, "env">): number {
  return env.OUTBOUND_MEDIA_MAX_MB * MEGABYTE;
}

/**
 * Puts an object that is expected into the store, and has it scanned where a scanner is set up. Returns the SHA-256 of its
 * bytes in hex. An object that fails is left over. Throws what the store, the body and the scanner throw.
 */
export async function storeObject(
  services: MediaServices,
  ids: ExpectedMedia,
  { type, length, body }: StoredFile,
): Promise<string> {
  const store = requireMediaStore(services);
  const hash = createHash("sha256");
  const hashed = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(part, controller) {
        hash.update(part);
        controller.enqueue(part);
      },
    }),
  );
  try {
    await store.put(objectKey(ids), { type, length, body: hashed });
    const scanUrl = services.env.OUTBOUND_SCAN_URL;
    if (scanUrl !== undefined) {
      const stored = await store.get(objectKey(ids));
      if (stored === null) throw new Error("The store does not have what it has just taken");
      await scanFile(scanUrl, { type, length, body: stored.body });
    }
  } catch (error) {
    // A store that failed early has not touched it: its sender would wait.
    await hashed.cancel().catch(() => {});
    // Otherwise it is deleted in an hour.
    await abandonMedia(services.sql, ids).catch(() => {});
    throw error;
  }
  return hash.digest("hex");
}

function noRoom(maxBytes: number): AppError {
  return new AppError(
    "quota_exceeded",
    `The company's media may take ${
      maxBytes / MEGABYTE
    } MB, which leaves no room for this file: remove files that you ` +
      "do not need, and upload it again a minute later, or ask the operator for more room",
    { retryAfterS: OBJECTS_GONE_S, details: { quota: "media", limit_bytes: maxBytes } },
  );
}
