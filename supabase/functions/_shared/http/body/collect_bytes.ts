import { MAX_BODY_BYTES_AT_ONCE } from "../../concurrency/body_memory.ts";
import { startDeadline } from "../../concurrency/deadline.ts";
import { AppError, rateLimitExceeded } from "../../errors.ts";
import type { AppContext } from "../app/context.ts";
import { clientAddress } from "../app/request_context.ts";

/** From the start of reading a body to its last byte. */
const BODY_DEADLINE_MS = 15_000;

/**
 * The most that one read may bring. Reads always get a whole part: with only some bytes
 * of room left in its view, Deno 2.9 goes on taking data from the client and never returns.
 */
export const PART_BYTES = 16 * 1024;

/** Beyond this number, parts need this many bytes on average: each part costs the event loop a turn. */
const SMALL_PARTS = 256;
const MIN_BYTES_PER_PART = 64;

/** How soon memory for another body may be free, in seconds. */
const FULL_WAIT_S = 1;

/** The time that a body has to arrive. */
export interface BodyDeadline {
  /** Rejects with `request_timeout` when the time is over. */
  passed: Promise<never>;
  isOver(): boolean;
  end(): void;
}

/** Starts the time. `end` it when the body is read. */
export function startBodyDeadline(): BodyDeadline {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  // Bodies that arrive in time leave it unhandled.
  passed.catch(() => {});
  const deadline = startDeadline(BODY_DEADLINE_MS);
  deadline.onEnd = () => reject(tooSlow());
  return { passed, isOver: () => deadline.signal.aborted, end: () => deadline.clear() };
}

/**
 * Reads a stream into `collected` until it ends.
 *
 * Throws what {@link CollectedBytes} throws, and any error when the client ends the body early or the time is over.
 */
export async function collect(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  collected: CollectedBytes,
  deadline: BodyDeadline,
): Promise<void> {
  const reader = openReader(body);
  // Ends a waiting read. Not awaited: it may itself wait for the bytes that do not come.
  const stop = () => void reader.cancel().catch(() => {});
  // Once, instead of a race with each part: every race leaves a callback at the deadline until it is over.
  deadline.passed.catch(stop);
  try {
    let part = new ArrayBuffer(PART_BYTES);
    for (let parts = 1;; parts++) {
      const { done, value } = await reader.read(new Uint8Array(part));
      if (value === undefined || deadline.isOver()) throw new TypeError("the body was cancelled");
      collected.add(value);
      if (done) return;
      refuseSmallParts(parts, collected.size);
      part = value.buffer;
    }
  } catch (error) {
    stop();
    throw error;
  }
}

/** The bytes of a body so far, in a buffer that grows with them. */
export class CollectedBytes {
  size = 0;
  #buffer = new Uint8Array();

  constructor(private readonly c: AppContext, private readonly maxBytes: number) {
    takeMemory(c, PART_BYTES, maxBytes);
  }

  add(part: Uint8Array): void {
    const size = this.size + part.byteLength;
    if (size > this.maxBytes) throw tooLarge(this.maxBytes);
    if (size > this.#buffer.length) {
      const grown = Math.min(this.maxBytes, Math.max(size, 2 * this.#buffer.length));
      takeMemory(this.c, grown - this.#buffer.length, this.maxBytes);
      this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(grown));
    }
    this.#buffer.set(part, this.size);
    this.size = size;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.size);
  }
}

function takeMemory(c: AppContext, bytes: number, maxBytes: number): void {
  const caller = c.get("companyId") ?? c.get("presentedKey") ?? c.get("userId");
  const owner = { isKnown: c.get("isKnown"), caller, address: () => clientAddress(c), maxBytes };
  const release = c.get("services").bodies.take(bytes, owner);
  if (release === null) {
    throw AppError.from(rateLimitExceeded("Too many bytes of request bodies are in memory", {
      limit: MAX_BODY_BYTES_AT_ONCE,
      windowS: FULL_WAIT_S,
      waitS: FULL_WAIT_S,
      now: c.get("services").now(),
    }));
  }
  c.get("onResponse").push(release);
}

/** Returns the error for a body that is larger than its endpoint takes. */
export function tooLarge(maxBytes: number): AppError {
  return new AppError("payload_too_large", `The request body is larger than ${maxBytes / 1024} KiB`, {
    details: { limit_bytes: maxBytes },
  });
}

/** Returns the error for a body that took too long. */
export function tooSlow(): AppError {
  return new AppError("request_timeout", `The request body took longer than ${BODY_DEADLINE_MS / 1000} s`);
}

/** Returns the error for a body that the client ended early. */
export function endedEarly(cause: unknown): AppError {
  return new AppError("validation_failed", "The request body ended early", { cause });
}

/** Throws when so many parts brought so few bytes; `free` of them may be of any size. */
export function refuseSmallParts(parts: number, size: number, free = SMALL_PARTS): void {
  if (parts <= free || size >= parts * MIN_BYTES_PER_PART) return;
  throw new AppError("validation_failed", "The request body comes in too many small parts");
}

/** Reads a stream into the caller's buffers. Each read takes a buffer, and returns it with its result. */
export interface BodyReader {
  read(room: Uint8Array<ArrayBuffer>): Promise<ReadableStreamReadResult<Uint8Array<ArrayBuffer>>>;
  cancel(): Promise<void>;
}

/**
 * Opens a reader that fills the caller's buffers. The default reader takes 64 KiB for every part that arrives, even one of
 * one byte: 100 connections that sent a byte per second took 80 MiB in 15 s. A stream that cannot fill buffers, such as one
 * made by a program, is copied into them.
 */
export function openReader(body: ReadableStream<Uint8Array<ArrayBuffer>>): BodyReader {
  try {
    return body.getReader({ mode: "byob" });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return copyingReader(body.getReader());
  }
}

function copyingReader(reader: ReadableStreamDefaultReader<Uint8Array>): BodyReader {
  let rest: Uint8Array = new Uint8Array();
  return {
    async read(room) {
      while (rest.byteLength === 0) {
        const part = await reader.read();
        if (part.done) return { done: true, value: room.subarray(0, 0) };
        rest = part.value;
      }
      const value = room.subarray(0, rest.byteLength);
      value.set(rest.subarray(0, value.byteLength));
      rest = rest.subarray(value.byteLength);
      return { done: false, value };
    },
    cancel: () => reader.cancel(),
  };
}
