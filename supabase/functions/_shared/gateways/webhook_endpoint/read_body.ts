import { type ByteInput, concatBytes, latin1 } from "./byte_input.ts";

/** A chunk's size line, with its extensions, is shorter than this, or it is none. */
const LONGEST_SIZE_LINE = 200;

/**
 * The beginning of a body: at most `limit` bytes, fewer when it ends before. What is left stays on the connection.
 *
 * @param head the answer's status line and headers
 */
export async function readBody(input: ByteInput, head: string, limit: number): Promise<Uint8Array> {
  const length = Number(/^content-length: *([0-9]+)\r$/im.exec(head)?.[1] ?? Infinity);
  const take = /^transfer-encoding:.*\bchunked\r$/im.test(head)
    ? takeChunks
    : (bytes: Uint8Array) => ({ body: bytes.subarray(0, length), complete: bytes.length >= length });
  for (;;) {
    const { body, complete } = take(input.bytes);
    if (complete || body.length >= limit || !await input.more()) return body.slice(0, limit);
  }
}

/** What chunks hold, as far as they have come. Stops at what is not a chunk. */
function takeChunks(bytes: Uint8Array): { body: Uint8Array; complete: boolean } {
  let body = new Uint8Array();
  let rest = bytes;
  for (;;) {
    const line = /^([0-9a-f]{1,8})[^\r\n]*\r\n/i.exec(latin1(rest.subarray(0, LONGEST_SIZE_LINE)));
    if (line === null) return { body, complete: rest.length >= LONGEST_SIZE_LINE };
    const size = parseInt(line[1]!, 16);
    if (size === 0) return { body, complete: true };
    rest = rest.subarray(line[0].length);
    body = concatBytes(body, rest.subarray(0, size));
    rest = rest.subarray(size + 2);
  }
}
