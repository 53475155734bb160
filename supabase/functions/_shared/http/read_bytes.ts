import { AppError, tooManyRequests } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { MAX_BODY_BYTES_AT_ONCE } from "../body_memory.ts";
import { type BodyReader, openReader } from "./body_reader.ts";
import { clientAddress } from "./client_address.ts";

/** From the first look at a body to its last byte. */
const BODY_DEADLINE_MS = 15_000;
const FIRST_BYTES = 16 * 1024;
/** How soon room for another body may be there. */
const FULL_WAIT_S = 1;

/**
 * Reads a body of at most `maxBytes`. What a client declares costs nothing: memory is taken as bytes arrive, and counts in
 * `services.bodies` until the response is made.
 *
 * Throws `payload_too_large`, `request_timeout` after 15 s, `rate_limit_exceeded` when all requests together hold too
 * much, and `validation_failed` when the client ends the body early.
 */
export async function readBytes(c: AppContext, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = c.req.header("Content-Length");
  if (Number(declared ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { body } = c.req.raw;
  if (body === null) return new Uint8Array();
  const reader = openReader(body);
  // Ends a read that waits. Not awaited: it may wait for the very bytes that do not come.
  const stop = () => void reader.cancel().catch(() => {});
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, BODY_DEADLINE_MS);
  // One byte more than expected shows the end without another buffer.
  const firstBytes = Math.min(FIRST_BYTES, Number(declared ?? FIRST_BYTES) + 1);
  try {
    const bytes = await collect(c, reader, { firstBytes, maxBytes });
    if (isLate) throw tooSlow();
    return bytes;
  } catch (error) {
    stop();
    if (isLate) throw tooSlow();
    throw error instanceof AppError ? error : endedEarly(error);
  } finally {
    clearTimeout(timer);
  }
}

async function collect(
  c: AppContext,
  reader: BodyReader,
  { firstBytes, maxBytes }: { firstBytes: number; maxBytes: number },
): Promise<Uint8Array<ArrayBuffer>> {
  takeRoom(c, firstBytes);
  let buffer = new ArrayBuffer(firstBytes);
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read(new Uint8Array(buffer, size));
    if (value === undefined) throw new TypeError("the body was cancelled");
    buffer = value.buffer;
    size += value.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    if (done) return new Uint8Array(buffer, 0, size);
    if (size === buffer.byteLength) {
      const grown = Math.min(maxBytes + 1, 2 * size);
      takeRoom(c, grown - size);
      buffer = buffer.transfer(grown);
    }
  }
}

function takeRoom(c: AppContext, bytes: number): void {
  const release = c.var.services.bodies.take(bytes, c.var.isKnown ? null : clientAddress(c));
  if (release === null) {
    throw tooManyRequests("Too many bytes of request bodies are in memory", {
      limit: MAX_BODY_BYTES_AT_ONCE,
      windowS: FULL_WAIT_S,
      waitS: FULL_WAIT_S,
      now: c.var.services.now(),
    });
  }
  c.var.onResponse.push(release);
}

function tooLarge(maxBytes: number): AppError {
  return new AppError("payload_too_large", `The request body is larger than ${maxBytes / 1024} KiB`, {
    details: { limit_bytes: maxBytes },
  });
}

function tooSlow(): AppError {
  return new AppError("request_timeout", `The request body took longer than ${BODY_DEADLINE_MS / 1000} s`, {
    headers: { Connection: "close" },
  });
}

function endedEarly(cause: unknown): AppError {
  return new AppError("validation_failed", "The request body ended early", { cause });
}
