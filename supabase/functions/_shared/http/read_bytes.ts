import { AppError, tooManyRequests } from "../errors.ts";
import type { AppContext } from "./app.ts";
import { MAX_BODY_BYTES_AT_ONCE } from "../body_memory.ts";
import { openReader } from "./body_reader.ts";
import { clientAddress } from "./client_address.ts";

/** From the first look at a body to its last byte. */
const BODY_DEADLINE_MS = 15_000;

/**
 * What one read may bring. Reads always get a whole part: with only some bytes of room left in its view, Deno 2.9 goes on
 * taking data from the client and never returns.
 */
const PART_BYTES = 16 * 1024;

/** So many parts may be small; from then on they must have so many bytes on average. Each costs the event loop a turn. */
const SMALL_PARTS = 256;
const MIN_BYTES_PER_PART = 64;

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
  const declared = declaredBytes(c);
  if (declared !== undefined && declared > maxBytes) throw tooLarge(maxBytes);
  const collected = new Collected(c, maxBytes);
  const deadline = startDeadline();
  try {
    // At once, because the stream of a body costs a tenth of a request. What is declared is what is counted already.
    if (declared !== undefined && declared <= PART_BYTES) {
      return new Uint8Array(await Promise.race([c.req.raw.arrayBuffer(), deadline.passed]));
    }
    const { body } = c.req.raw;
    if (body !== null) await collect(body, collected, deadline);
    return collected.bytes();
  } catch (error) {
    if (error instanceof AppError && !deadline.isOver()) throw error;
    // A stranger's body that is late or broken off counts as a wrong credential.
    if (!c.var.isKnown) c.var.services.refusedAddresses.count(clientAddress(c), collected.size);
    throw deadline.isOver() ? tooSlow() : endedEarly(error);
  } finally {
    deadline.end();
  }
}

/** The length that a request declares for its body; undefined without one, or one that is no number. */
export function declaredBytes(c: AppContext): number | undefined {
  const declared = c.req.header("Content-Length");
  return declared !== undefined && /^\d+$/.test(declared) ? Number(declared) : undefined;
}

interface Deadline {
  /** Rejects when it is over. */
  passed: Promise<never>;
  isOver(): boolean;
  end(): void;
}

function startDeadline(): Deadline {
  const { promise: passed, reject } = Promise.withResolvers<never>();
  // Not everybody waits for it.
  passed.catch(() => {});
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
    reject(tooSlow());
  }, BODY_DEADLINE_MS);
  return { passed, isOver: () => isOver, end: () => clearTimeout(timer) };
}

async function collect(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  collected: Collected,
  deadline: Deadline,
): Promise<void> {
  const reader = openReader(body);
  // Ends a read that waits. Not awaited: it may wait for the very bytes that do not come.
  const stop = () => void reader.cancel().catch(() => {});
  // Once, and not raced with each part: every race leaves something at the deadline until it is over.
  deadline.passed.catch(stop);
  try {
    let part = new ArrayBuffer(PART_BYTES);
    for (let parts = 1;; parts++) {
      const { done, value } = await reader.read(new Uint8Array(part));
      if (value === undefined || deadline.isOver()) throw new TypeError("the body was cancelled");
      collected.add(value);
      if (done) return;
      if (parts > SMALL_PARTS && collected.size < parts * MIN_BYTES_PER_PART) throw tooManyParts();
      part = value.buffer;
    }
  } catch (error) {
    stop();
    throw error;
  }
}

/** The bytes so far, in a buffer that grows with them. */
class Collected {
  size = 0;
  #buffer = new ArrayBuffer();

  constructor(private readonly c: AppContext, private readonly maxBytes: number) {
    takeRoom(c, PART_BYTES, maxBytes);
  }

  add(part: Uint8Array): void {
    const size = this.size + part.byteLength;
    if (size > this.maxBytes) throw tooLarge(this.maxBytes);
    if (size > this.#buffer.byteLength) {
      const grown = Math.min(this.maxBytes, Math.max(size, 2 * this.#buffer.byteLength));
      takeRoom(this.c, grown - this.#buffer.byteLength, this.maxBytes);
      this.#buffer = this.#buffer.transfer(grown);
    }
    new Uint8Array(this.#buffer).set(part, this.size);
    this.size = size;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer, 0, this.size);
  }
}

function takeRoom(c: AppContext, bytes: number, maxBytes: number): void {
  const owner = { isKnown: c.var.isKnown, address: () => clientAddress(c), maxBytes };
  const release = c.var.services.bodies.take(bytes, owner);
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

function tooManyParts(): AppError {
  return new AppError("validation_failed", "The request body comes in too many small parts");
}

function endedEarly(cause: unknown): AppError {
  return new AppError("validation_failed", "The request body ended early", { cause });
}
