import { startDeadline } from "../../concurrency/deadline.ts";
import { AppError } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { endedEarly, openReader, PART_BYTES, refuseSmallParts, tooLarge } from "./collect_bytes.ts";
import { declaredBytes } from "./read_body.ts";

/** A client may send each row of a file by itself. */
const FREE_PARTS = 128 * 1024;
/** For the next part of a body. */
const PART_DEADLINE_MS = 15_000;
/** For all of its parts together. The time in which the caller handles them does not count. */
const MAX_WAIT_MS = 10 * 60_000;

/**
 * Reads a body part by part, no faster than the caller takes them, so a file of any length needs the memory of one part.
 *
 * Throws `payload_too_large` beyond `maxBytes`, `request_timeout` when the client keeps it waiting, and
 * `validation_failed` when the client ends the body early or sends it in too many small parts.
 */
export async function* streamBody(c: AppContext, maxBytes: number): AsyncGenerator<Uint8Array> {
  if ((declaredBytes(c) ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { body } = c.req.raw;
  if (body === null) return;
  const reader = openReader(body);
  let [size, waitedMs] = [0, 0];
  try {
    for (let parts = 1;; parts++) {
      const startedAt = performance.now();
      const { done, value } = await inTime(reader.read(new Uint8Array(PART_BYTES)));
      waitedMs += performance.now() - startedAt;
      if (waitedMs > MAX_WAIT_MS) throw tooSlow();
      size += value?.byteLength ?? 0;
      if (size > maxBytes) throw tooLarge(maxBytes);
      refuseSmallParts(parts, size, FREE_PARTS);
      if (value !== undefined && value.byteLength > 0) yield value;
      if (done) return;
    }
  } catch (error) {
    throw error instanceof AppError ? error : endedEarly(error);
  } finally {
    // Not awaited: it may itself wait for bytes that do not come. A body that was read to its end ignores it.
    void reader.cancel().catch(() => {});
  }
}

async function inTime<Value>(read: Promise<Value>): Promise<Value> {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  const deadline = startDeadline(PART_DEADLINE_MS);
  deadline.onEnd = () => reject(tooSlow());
  try {
    return await Promise.race([read, passed]);
  } finally {
    deadline.clear();
  }
}

function tooSlow(): AppError {
  return new AppError(
    "request_timeout",
    `The request body kept the service waiting for ${PART_DEADLINE_MS / 1000} s, or ${
      MAX_WAIT_MS / 60_000
    } minutes in all`,
  );
}
