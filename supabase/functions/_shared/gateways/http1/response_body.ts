import { type ByteReader, cutOff, type Pieces } from "./byte_reader.ts";
import { EndpointError } from "./endpoint_error.ts";
import { hasNoBody, notHttp, type ResponseHead } from "./response_head.ts";

/** The body of a response, not read yet. */
export interface ResponseBody {
  /** Number of bytes; null when the server does not announce it. */
  length: number | null;
  /**
   * The body in pieces, as they come.
   *
   * @throws {EndpointError} when the body is not HTTP, is cut off, or is longer than allowed
   */
  pieces: Pieces;
}

const CHUNK_SIZE = /^([0-9a-f]{1,8})[ \t]*(?:;[^\0\r]*)?$/i;
const MAX_CHUNK_LINE_BYTES = 8 * 1024;
const MAX_TRAILER_LINES = 100;

/**
 * Prepares reading the body that follows a head.
 *
 * @param maxBytes of the body
 * @throws {EndpointError} when the head announces no length of HTTP, or a longer body
 */
export function readBody(reader: ByteReader, head: ResponseHead, maxBytes: number): ResponseBody {
  if (isChunked(head)) return { length: null, pieces: atMost(decodeChunks(reader, maxBytes), maxBytes) };
  const length = announcedLength(head, maxBytes);
  const pieces = length === null ? reader.rest() : reader.exactly(length);
  return { length, pieces: atMost(pieces, maxBytes) };
}

/**
 * Reads a whole body. The bytes are valid until the next read from the connection.
 *
 * @throws {EndpointError} when the body is not HTTP, is cut off, or is longer than allowed
 */
export async function readWholeBody(
  reader: ByteReader,
  head: ResponseHead,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const length = isChunked(head) ? null : announcedLength(head, maxBytes);
  // Nearly every response comes in one read: pieces of it would cost more than all the rest.
  const whole = length === null ? undefined : reader.peek(length);
  if (whole === undefined) return await join(readBody(reader, head, maxBytes).pieces);
  reader.skip(whole.length);
  return whole;
}

async function join(pieces: Pieces): Promise<Uint8Array<ArrayBuffer>> {
  const all: Uint8Array<ArrayBuffer>[] = [];
  for await (const piece of pieces) all.push(piece);
  return new Uint8Array(await new Blob(all).arrayBuffer());
}

/** We accept no other coding, and no server may use one that was not asked for. */
function isChunked({ status, headers }: ResponseHead): boolean {
  const coding = headers.get("transfer-encoding");
  if (coding === undefined || hasNoBody(status)) return false;
  if (coding.toLowerCase() !== "chunked") throw notHttp();
  return true;
}

function announcedLength({ status, headers }: ResponseHead, maxBytes: number): number | null {
  if (hasNoBody(status)) return 0;
  const announced = headers.get("content-length");
  if (announced === undefined) return null;
  const [length, ...others] = announced.includes(",") ? new Set(announced.split(", ")) : [announced];
  if (others.length > 0 || !/^\d{1,15}$/.test(length!)) throw notHttp();
  if (Number(length) > maxBytes) throw tooLarge(maxBytes);
  return Number(length);
}

async function* decodeChunks(reader: ByteReader, maxBytes: number): Pieces {
  for (;;) {
    const size = CHUNK_SIZE.exec(await nextLine(reader))?.[1];
    if (size === undefined) throw notHttp();
    const length = parseInt(size, 16);
    if (length === 0) return await skipTrailers(reader);
    if (length > maxBytes) throw tooLarge(maxBytes);
    yield* reader.exactly(length);
    if (await nextLine(reader) !== "") throw notHttp();
  }
}

async function skipTrailers(reader: ByteReader): Promise<void> {
  for (let lines = 0; lines < MAX_TRAILER_LINES; lines++) {
    if (await nextLine(reader) === "") return;
  }
  throw notHttp();
}

async function nextLine(reader: ByteReader): Promise<string> {
  const line = await reader.line(MAX_CHUNK_LINE_BYTES);
  if (line === undefined) throw cutOff();
  return line;
}

async function* atMost(pieces: Pieces, maxBytes: number): Pieces {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

function tooLarge(maxBytes: number): EndpointError {
  return new EndpointError(`It is larger than ${maxBytes / 1024 / 1024} MB`);
}
