import { type ByteReader, cutOff, headTooLong, type Pieces } from "./byte_reader.ts";
import { EndpointError } from "./endpoint_error.ts";

// Not `http-parser-js`: it pushes bodies through callbacks, but a sample may be read only as fast as it is uploaded.

/** Status and headers of a response; header names in lower case. */
export interface ResponseHead {
  status: number;
  headers: Map<string, string>;
}

/** The largest head that is read. */
export interface HeadLimits {
  /** Bytes of all lines together. */
  bytes: number;
  lineBytes: number;
  /** Number of headers. */
  headers: number;
}

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

const MAX_CHUNK_LINE_BYTES = 8 * 1024;

/**
 * Reads the head of one HTTP/1.1 response and skips interim ones.
 *
 * @throws {EndpointError} when the response is not HTTP, is cut off, or its head is too long
 */
export async function readHead(reader: ByteReader, limits: HeadLimits): Promise<ResponseHead> {
  for (;;) {
    let left = limits.bytes;
    const nextLine = async () => {
      const line = await reader.line(Math.min(left, limits.lineBytes));
      if (line === undefined) {
        throw new EndpointError("The endpoint closed the connection without a response");
      }
      left -= line.length;
      return line;
    };
    const status = Number(/^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |$)/.exec(await nextLine())?.[1]);
    if (Number.isNaN(status)) throw notHttp();
    const headers = await readHeaders(nextLine, limits.headers);
    if (status >= 200) return { status, headers };
  }
}

async function readHeaders(nextLine: () => Promise<string>, max: number): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  for (let count = 0; count < max; count++) {
    const line = await nextLine();
    if (line === "") return headers;
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  throw headTooLong();
}

/**
 * Prepares reading the body that follows a head, on a connection that is not used again.
 *
 * @param maxBytes of the body
 * @throws {EndpointError} when the head announces no length of HTTP, or a longer body
 */
export function readBody(reader: ByteReader, { headers }: ResponseHead, maxBytes: number): ResponseBody {
  if (headers.get("transfer-encoding")?.toLowerCase().endsWith("chunked")) {
    return { length: null, pieces: atMost(decodeChunks(reader, maxBytes), maxBytes) };
  }
  const length = announcedLength(headers);
  if (length !== null && length > maxBytes) throw tooLarge(maxBytes);
  const pieces = length === null ? reader.rest() : reader.exactly(length);
  return { length, pieces: atMost(pieces, maxBytes) };
}

function announcedLength(headers: Map<string, string>): number | null {
  const announced = headers.get("content-length");
  if (announced === undefined) return null;
  if (!/^\d{1,15}$/.test(announced)) throw notHttp();
  return Number(announced);
}

async function* decodeChunks(reader: ByteReader, maxBytes: number): Pieces {
  for (;;) {
    const line = await reader.line(MAX_CHUNK_LINE_BYTES);
    if (line === undefined) throw cutOff();
    const length = parseInt(/^[0-9a-f]{1,8}/i.exec(line)?.[0] ?? "", 16);
    if (Number.isNaN(length)) throw notHttp();
    if (length === 0) return;
    if (length > maxBytes) throw tooLarge(maxBytes);
    yield* reader.exactly(length);
    await reader.line(MAX_CHUNK_LINE_BYTES);
  }
}

async function* atMost(pieces: Pieces, maxBytes: number): Pieces {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    yield piece;
  }
}

function notHttp(): EndpointError {
  return new EndpointError("The endpoint's response is not HTTP");
}

function tooLarge(maxBytes: number): EndpointError {
  return new EndpointError(`It is larger than ${maxBytes / 1024 / 1024} MB`);
}
