import { EndpointError } from "../webhook_endpoint/endpoint_error.ts";
import type { ByteConnection } from "../webhook_endpoint/byte_input.ts";
import { ByteReader } from "./byte_reader.ts";

/** A whole answer; header names in lower case. */
export interface FileAnswer {
  status: number;
  headers: Map<string, string>;
  body: Uint8Array<ArrayBuffer>;
}

const LONGEST_LINE = 8 * 1024;
const MOST_HEADERS = 100;

/**
 * Reads one HTTP/1.1 answer with its body, of a server that closes the connection behind it. The body is read only when
 * the status is 200.
 *
 * @param most bytes of the body
 * @throws {EndpointError} when the answer is no HTTP, is cut off, or its body is longer
 */
export async function readAnswer(connection: ByteConnection, most: number): Promise<FileAnswer> {
  const reader = new ByteReader(connection);
  for (;;) {
    const status = Number(/^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |$)/.exec(await reader.line(LONGEST_LINE))?.[1]);
    if (Number.isNaN(status)) throw new EndpointError("Its answer is not HTTP");
    const headers = await readHeaders(reader);
    if (status < 200) continue;
    const body = status === 200 ? await readBody(reader, headers, most) : new Uint8Array();
    return { status, headers, body };
  }
}

async function readHeaders(reader: ByteReader): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  for (let count = 0; count < MOST_HEADERS; count++) {
    const line = await reader.line(LONGEST_LINE);
    if (line === "") return headers;
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  throw new EndpointError("The head of its answer is too long");
}

async function readBody(
  reader: ByteReader,
  headers: Map<string, string>,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (headers.get("transfer-encoding")?.toLowerCase().endsWith("chunked")) {
    return await readChunks(reader, most);
  }
  const announced = headers.get("content-length");
  if (announced === undefined) return await reader.rest(most);
  if (!/^\d{1,15}$/.test(announced)) throw new EndpointError("Its answer is not HTTP");
  if (Number(announced) > most) throw tooLarge(most);
  return await reader.exactly(Number(announced));
}

async function readChunks(reader: ByteReader, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0;;) {
    const length = parseInt(/^[0-9a-f]{1,8}/i.exec(await reader.line(LONGEST_LINE))?.[0] ?? "", 16);
    if (Number.isNaN(length)) throw new EndpointError("Its answer is not HTTP");
    if (length === 0) return new Uint8Array(await new Blob(chunks).arrayBuffer());
    size += length;
    if (size > most) throw tooLarge(most);
    chunks.push(await reader.exactly(length));
    await reader.line(LONGEST_LINE);
  }
}

function tooLarge(most: number): EndpointError {
  return new EndpointError(`It is larger than ${most / 1024 / 1024} MB`);
}
