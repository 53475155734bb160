import { type ByteConnection, ByteInput, concatBytes, latin1 } from "./byte_input.ts";
import { EndpointError } from "./endpoint_error.ts";
import { readBody } from "./read_body.ts";

/** An answer whose status is known; its body comes when it is asked for. */
export interface HttpAnswer {
  status: number;
  /** The first `limit` bytes of the body, or fewer when it ends before. */
  readBody(limit: number): Promise<Uint8Array>;
}

const LONGEST_HEAD = 16 * 1024;

/**
 * Sends one HTTP/1.1 request and reads the head of its answer. The connection is not to be used again afterwards.
 *
 * @throws {EndpointError} when the connection ends before, or what comes back is not HTTP
 */
export async function exchange(connection: ByteConnection, request: Uint8Array): Promise<HttpAnswer> {
  // A receiver may answer, and close, before it has read all of the request: the answer counts, not the write.
  writeAll(connection, request).catch(() => {});
  const input = new ByteInput(connection);
  for (;;) {
    const head = await readHead(input);
    const status = Number(/^HTTP\/1\.[01] ([1-5][0-9]{2})(?: |\r\n|$)/.exec(head)?.[1]);
    if (Number.isNaN(status)) throw new EndpointError("The endpoint's answer is not HTTP");
    if (status >= 200) return { status, readBody: (limit) => readBody(input, head, limit) };
  }
}

/** The head of a POST that asks for the connection to be closed after the answer. */
export function formatPost(url: URL, headers: Record<string, string>, body: Uint8Array): Uint8Array {
  const lines = {
    host: url.host,
    ...headers,
    "content-length": String(body.length),
    connection: "close",
  };
  const head = [
    `POST ${url.pathname}${url.search} HTTP/1.1`,
    ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
    "",
    "",
  ].join("\r\n");
  return concatBytes(new TextEncoder().encode(head), body);
}

/** Takes a head with its blank line off the input. */
async function readHead(input: ByteInput): Promise<string> {
  for (;;) {
    const end = latin1(input.bytes).indexOf("\r\n\r\n");
    if (end >= 0) {
      const head = latin1(input.bytes.subarray(0, end + 2));
      input.bytes = input.bytes.subarray(end + 4);
      return head;
    }
    if (input.bytes.length > LONGEST_HEAD) {
      throw new EndpointError("The head of the endpoint's answer is too long");
    }
    if (!await input.more()) throw new EndpointError("The endpoint closed the connection without an answer");
  }
}

async function writeAll(connection: ByteConnection, bytes: Uint8Array): Promise<void> {
  for (let rest = bytes; rest.length > 0;) rest = rest.subarray(await connection.write(rest));
}
