import type { ByteReader, HeadLimits } from "./byte_reader.ts";
import { EndpointError } from "./endpoint_error.ts";

// Not `http-parser-js`: it pushes bodies through callbacks, but a sample may be read only as fast as it is uploaded.

/** The head of a response. */
export interface ResponseHead {
  status: number;
  /** By name in lower case; the values of a repeated header are joined by commas. */
  headers: Map<string, string>;
  /** Whether another request may follow on the connection, once the body is read to its end. */
  keepsAlive: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9]{2})(?: |$)/;
/** A name ends at its colon, so that no other reader sees another header here. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Far more than the 100 and 103 that are in use. */
const MAX_INTERIM = 10;

/**
 * Reads the head of one HTTP/1.1 response and skips interim ones.
 *
 * @throws {EndpointError} when the response is not HTTP, is cut off, or its head is too long
 */
export async function readHead(reader: ByteReader, limits: HeadLimits): Promise<ResponseHead> {
  for (let interim = 0; interim <= MAX_INTERIM; interim++) {
    const text = await reader.head(limits);
    if (text === undefined) throw new EndpointError("The endpoint closed the connection without a response");
    const head = parseHead(text);
    if (head.status >= 200) return head;
    // We never ask for another protocol.
    if (head.status === 101) throw notHttp();
  }
  throw notHttp();
}

/** Parses the lines of a head, each with its line break. Time grows with the length alone, whatever the server sends. */
function parseHead(text: string): ResponseHead {
  const bare = text.replaceAll("\r\n", "\n");
  if (/[\0\r]/.test(bare)) throw notHttp();
  const lines = bare.split("\n");
  const [, version, status] = STATUS_LINE.exec(lines[0]!) ?? [];
  if (status === undefined) throw notHttp();
  const headers = new Map<string, string>();
  // The last piece is what follows the last line break.
  for (let at = 1; at < lines.length - 1; at++) {
    const line = lines[at]!;
    const colon = line.indexOf(":");
    if (colon < 0 || !HEADER_NAME.test(line.slice(0, colon))) throw notHttp();
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const head = { status: Number(status), headers };
  return { ...head, keepsAlive: version === "1" && keepsAlive(head) };
}

/** A body with two lengths may be an attempt to smuggle a second response. */
function keepsAlive({ status, headers }: Pick<ResponseHead, "status" | "headers">): boolean {
  if (/\bclose\b/i.test(headers.get("connection") ?? "")) return false;
  return hasNoBody(status) || headers.has("transfer-encoding") !== headers.has("content-length");
}

/** Returns whether a response of this status ends with its head, whatever its headers announce. */
export function hasNoBody(status: number): boolean {
  return status === 204 || status === 304;
}

/** Returns the error for what is not HTTP. */
export function notHttp(): EndpointError {
  return new EndpointError("The endpoint's response is not HTTP");
}
