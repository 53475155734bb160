import { type AppError, upstreamUnavailable } from "../../errors.ts";
import type { PlatformFile } from "../fetch_file.ts";

/** A file on its way into the store. */
export interface StoredFile {
  type: string;
  /** Bytes of the body, exactly. */
  length: number;
  body: ReadableStream<Uint8Array>;
}

/** Bytes of a file: from `start`, before `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

/** Where the bytes of media are kept, by a key of letters, digits, hyphens and one slash. Nothing else reads or writes them. */
export interface MediaStore {
  /** Stores a file. Rejects, and keeps nothing under the key, when the body fails or has another length. */
  put(key: string, file: StoredFile): Promise<void>;
  /** Opens a file, or some bytes of it, to be read once; null when there is none. */
  get(key: string, range?: ByteRange): Promise<PlatformFile | null>;
  /** Deletes a file; one that is not there is deleted already. */
  delete(key: string): Promise<void>;
}

/** Returns the error for a store that fails (502). */
export function storeUnavailable(reason: string, cause?: unknown): AppError {
  return upstreamUnavailable("media", `The media store ${reason}`, { cause });
}

/** Returns whether the system or the network failed: its errors have a code. Those of a body are the caller's to handle. */
export function isOfSystem(error: unknown): boolean {
  return /^E[A-Z]+$/.test(String((error as { code?: unknown }).code));
}

/** Counts what passes, and fails when it is not `length` bytes: a store would take a file that was cut off for a whole one. */
export function ofLength(length: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(part, controller) {
      size += part.byteLength;
      if (size > length) throw new Error(`The file is longer than ${length} bytes`);
      controller.enqueue(part);
    },
    flush() {
      if (size < length) throw new Error(`The file ended after ${size} of ${length} bytes`);
    },
  });
}
