import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import type { ByteConnection } from "../webhook_endpoint/byte_input.ts";
import { ByteReader } from "./byte_reader.ts";

/** An answer whose body is still to be read; header names in lower case. */
export interface FileAnswer {
  status: number;
  headers: Map<string, string>;
  /** Bytes of the body, or null when the server does not say it beforehand. */
  length: number | null;
  /**
   * The body in pieces, as they come.
   *
   * @throws {EndpointError} when the body is no HTTP, is cut off, or is longer than allowed
   */
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>;
}

const MAX_LINE_BYTES = 8 * 1024;
const MAX_HEADERS = 100;

/**
 * Reads the head of one HTTP/1.1 answer, of a server that closes the connection behind it.
 *
 * @param maxBytes of the body
 * @throws {EndpointError} when the answer is no HTTP, is cut off, or announces a longer body
 */
export async function readAnswer(connection: ByteConnection, maxBytes: number): Promise<FileAnswer> {
  const reader = new ByteReader(connection);
  for (;;) {
    const status = Number(
      /^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |$)/.exec(await reader.line(MAX_LINE_BYTES))?.[1],
    );
    if (Number.isNaN(status)) throw new EndpointError("Its answer is not HTTP");
    const headers = await readHeaders(reader);
    if (status < 200) continue;
    const isChunked = headers.get("transfer-encoding")?.toLowerCase().endsWith("chunked") ?? false;
    const length = isChunked ? null : announcedLength(headers);
    if (length !== null && length > maxBytes) throw tooLarge(maxBytes);
    const pieces = isChunked
      ? readChunks(reader, maxBytes)
      : length === null
      ? reader.rest()
      : reader.exactly(length);
    return { status, headers, length, pieces: atMost(pieces, maxBytes) };
  }
}

async function readHeaders(reader: ByteReader): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  for (let count = 0; count < MAX_HEADERS; count++) {
    const line = await reader.line(MAX_LINE_BYTES);
    if (line === "") return headers;
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  throw new EndpointError("The head of its answer is too long");
}

function announcedLength(headers: Map<string, string>): number | null {
  const announced = headers.get("content-length");
  if (announced === undefined) return null;
  if (!/^\d{1,15}$/.test(announced)) throw new EndpointError("Its answer is not HTTP");
  return Number(announced);
}

async function* readChunks(
  reader: ByteReader,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (;;) {
    const length = parseInt(/^[0-9a-f]{1,8}/i.exec(await reader.line(MAX_LINE_BYTES))?.[0] ?? "", 16);
    if (Number.isNaN(length)) throw new EndpointError("Its answer is not HTTP");
    if (length === 0) return;
    if (length > maxBytes) throw tooLarge(maxBytes);
    yield* reader.exactly(length);
    await reader.line(MAX_LINE_BYTES);
  }
}

async function* atMost(
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void>,
  maxBytes: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
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
