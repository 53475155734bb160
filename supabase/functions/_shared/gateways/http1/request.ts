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
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (!VALUE.test(value)) throw new TypeError(`The header ${name} cannot be sent`);
    head += `${name}: ${value}\r\n`;
  }
  if (body === undefined) return ENCODER.encode(`${head}\r\n`);
  const bytes = ENCODER.encode(`${head}content-length: ${body.length}\r\n\r\n`);
  const request = new Uint8Array(bytes.length + body.length);
  request.set(bytes);
  request.set(body, bytes.length);
  return request;
}

/** Writes one request. The caller must not write it a second time: part of it may have arrived although this fails. */
export async function writeRequest(connection: Deno.Conn, request: Uint8Array): Promise<void> {
  for (let rest = request; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
