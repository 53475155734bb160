/** One request. A `body` is sent with its length. */
export interface HttpRequest {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: Uint8Array;
}

const ENCODER = new TextEncoder();
/** Anything else in a value could begin another header, or another request. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Returns the bytes of one HTTP/1.1 request, head and body in one piece.
 *
 * @throws {TypeError} when a header's value cannot be sent as it is
 */
export function formatRequest(url: URL, { method, headers, body }: HttpRequest): Uint8Array<ArrayBuffer> {
  const head = formatHead(url, method) + formatHeaders(headers);
  if (body === undefined) return ENCODER.encode(`${head}\r\n`);
  return join(ENCODER.encode(endHead(head, body.length)), body);
}

/** Returns the first lines of a request, which name its URL. */
export function formatHead(url: URL, method: HttpRequest["method"]): string {
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
}

/**
 * Returns headers as lines.
 *
 * @throws {TypeError} when a value cannot be sent as it is
 */
export function formatHeaders(headers: HttpRequest["headers"]): string {
  let lines = "";
  for (const name in headers) {
    const value = headers[name]!;
    if (!VALUE.test(value)) throw new TypeError(`The header ${name} cannot be sent`);
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Texts are encoded here: a buffer for each would cost more than all the rest of a request. */
let scratch = new Uint8Array(64 * 1024);
const MAX_BYTES_PER_UNIT = 3;

/**
 * Returns the bytes of a request with a text as its body.
 *
 * @param head lines that `formatHead` and `formatHeaders` returned
 */
export function formatTextRequest(head: string, body: string): Uint8Array<ArrayBuffer> {
  const needed = MAX_BYTES_PER_UNIT * (endHead(head, body.length).length + body.length + 1);
  if (scratch.length < needed) scratch = new Uint8Array(needed);
  const { written: bodyEnd } = ENCODER.encodeInto(body, scratch);
  const { written } = ENCODER.encodeInto(endHead(head, bodyEnd), scratch.subarray(bodyEnd));
  return join(scratch.subarray(bodyEnd, bodyEnd + written), scratch.subarray(0, bodyEnd));
}

function endHead(head: string, bodyBytes: number): string {
  return `${head}content-length: ${bodyBytes}\r\n\r\n`;
}

function join(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const request = new Uint8Array(head.length + body.length);
  request.set(head);
  request.set(body, head.length);
  return request;
}

/** Writes one request. The caller must not write it a second time: part of it may have arrived although this fails. */
export async function writeRequest(connection: Deno.Conn, request: Uint8Array): Promise<void> {
  for (let rest = request; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
