import assert from "node:assert/strict";
import fc from "fast-check";
import { EndpointError } from "../../../../supabase/functions/_shared/gateways/http1/endpoint_error.ts";
import { bytesOf, LIMITS, readResponse, sourceOf } from "./pieces.ts";

const read = (text: string) => readResponse(sourceOf([bytesOf(text)]));

const RESPONSES: [why: string, response: string, status: number, body: string, mayFollow: boolean][] = [
  ["of a length", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", true],
  [
    "of a length said twice",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\ncontent-length: 2\r\n\r\nok",
    200,
    "ok",
    true,
  ],
  ["with bare line feeds", "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", 200, "ok", true],
  [
    "in chunks, with extensions and trailers",
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n1;a="b"\r\no\r\n01 ;c\r\nk\r\n0\r\nDigest: x\r\nB: c\r\n\r\n',
    200,
    "ok",
    true,
  ],
  ["without a length", "HTTP/1.1 200\r\n\r\nto the end", 200, "to the end", false],
  ["without a body by its status", "HTTP/1.1 204 No\r\nContent-Length: 9\r\n\r\n", 204, "", true],
  ["not modified", "HTTP/1.1 304 No\r\nTransfer-Encoding: chunked\r\n\r\n", 304, "", true],
  ["that closes", "HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n", 200, "", false],
  ["of HTTP/1.0", "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false],
  [
    "with more than it announced",
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200",
    200,
    "ok",
    false,
  ],
  [
    "of two lengths",
    "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
    200,
    "ok",
    false,
  ],
  [
    "after interim ones",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 201 C\r\nContent-Length: 1\r\n\r\nx",
    201,
    "x",
    true,
  ],
];

for (const [why, response, status, body, mayFollow] of RESPONSES) {
  const bytes = bytesOf(response);
  const end = {
    "without a length": response.indexOf(body),
    "with more than it announced": response.indexOf(body) + 2,
  };
  const needed = Object.hasOwn(end, why) ? end[why as keyof typeof end] : bytes.length;

  Deno.test(`A response ${why} is the same wherever it is split`, async () => {
    for (let at = 0; at <= bytes.length; at++) {
      const found = await readResponse(sourceOf([bytes.subarray(0, at), bytes.subarray(at)]));

      const { headers: _, ...rest } = found;
      // Bytes that come after the end of a response are found by the watch on the idle connection.
      const comesLater = why === "with more than it announced" && at === needed;
      assert.deepEqual(rest, { status, body, mayFollow: mayFollow || comesLater }, `split at ${at}`);
    }
  });

  Deno.test(`A response ${why} is an error wherever it is cut off`, async () => {
    for (let at = 0; at < needed; at++) {
      await assert.rejects(readResponse(sourceOf([bytes.subarray(0, at)])), EndpointError, `cut at ${at}`);
    }
  });
}

const OK = "HTTP/1.1 200 OK\r\n";
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;
const REFUSED: [why: string, response: string][] = [
  ["is no HTTP", "220 mail.example.test ESMTP\r\n\r\n"],
  ["is of another version", "HTTP/2 200\r\n\r\n"],
  ["has a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n"],
  ["switches protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"],
  ["is only ever interim", "HTTP/1.1 100 Continue\r\n\r\n".repeat(50)],
  ["has two different lengths", `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nok`],
  ["has two different lengths in one line", `${OK}Content-Length: 1, 2\r\n\r\nok`],
  ["has a negative length", `${OK}Content-Length: -1\r\n\r\nok`],
  ["has a hexadecimal length", `${OK}Content-Length: 0x2\r\n\r\nok`],
  ["has a length with a sign", `${OK}Content-Length: +2\r\n\r\nok`],
  ["has a length beyond all numbers", `${OK}Content-Length: 99999999999999999999\r\n\r\nok`],
  ["has an empty length", `${OK}Content-Length:\r\n\r\nok`],
  ["has a length beyond the limit", `${OK}Content-Length: ${LIMITS.bodyBytes + 1}\r\n\r\n`],
  ["has a body beyond the limit", `${OK}\r\n${"x".repeat(LIMITS.bodyBytes + 1)}`],
  ["is in another transfer encoding", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ["is in an encoding that ends like ours", `${OK}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ["has a header without a colon", `${OK}Content-Length\r\n\r\n`],
  ["has a header with a space before its colon", `${OK}Content-Length : 2\r\n\r\nok`],
  ["has a folded header", `${OK}A: b\r\n c\r\nContent-Length: 2\r\n\r\nok`],
  ["has a header without a name", `${OK}: b\r\n\r\n`],
  ["has a NUL in a header", `${OK}A: \0\r\n\r\n`],
  ["has a lone carriage return in a header", `${OK}A: b\rContent-Length: 2\r\n\r\nok`],
  ["has a chunk without a size", `${CHUNKED}\r\n\r\n`],
  ["has a chunk of negative size", `${CHUNKED}-1\r\n\r\n`],
  ["has a chunk beyond the limit", `${CHUNKED}ffffff\r\n`],
  ["has a chunk whose size overflows", `${CHUNKED}10000000000000002\r\nok\r\n0\r\n\r\n`],
  ["has a chunk size with a prefix", `${CHUNKED}0x2\r\nok\r\n0\r\n\r\n`],
  ["has a chunk longer than its size", `${CHUNKED}1\r\nok\r\n0\r\n\r\n`],
  ["has chunks beyond the limit together", CHUNKED + `3e8\r\n${"x".repeat(1000)}\r\n`.repeat(3)],
  ["has a chunk line beyond all limits", `${CHUNKED}1;${"x".repeat(9000)}\r\n`],
  ["has endless trailers", `${CHUNKED}0\r\n${"A: b\r\n".repeat(200)}`],
  ["has a line beyond the limit", `${OK}A: ${"x".repeat(LIMITS.lineBytes)}\r\n\r\n`],
  ["has too many headers", `${OK}${"A: b\r\n".repeat(LIMITS.headers + 1)}\r\n`],
  ["has a head beyond the limit", `${OK}${`A: ${"x".repeat(1000)}\r\n`.repeat(10)}\r\n`],
];

for (const [why, response] of REFUSED) {
  Deno.test(`A response is refused that ${why}`, async () => {
    await assert.rejects(read(response), EndpointError);
  });
}

/** Cuts bytes into pieces of these lengths, again and again. */
function* cut(bytes: Uint8Array, lengths: number[]): Generator<Uint8Array> {
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const length = lengths[turn % lengths.length]!;
    yield bytes.subarray(at, at + length);
    at += length;
  }
}

const lengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,15}$/).filter((name) =>
  !/^(content-length|transfer-|connection)/.test(name)
);
const value = fc.stringMatching(/^[!-~]([ -~]{0,30}[!-~])?$/);
const body = fc.string({ unit: fc.constantFrom(..."ab\r\n:0 "), maxLength: 300 });

/** A response of one framing, with its body cut into chunks where that is the framing. */
const response = fc.record({
  status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 304),
  headers: fc.uniqueArray(fc.tuple(token, value), { maxLength: 10, selector: ([name]) => name }),
  chunks: fc.oneof(fc.constant(null), fc.array(body.filter((text) => text !== ""), { maxLength: 4 })),
  text: body,
}).map(({ status, headers, chunks, text }) => {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const framed = chunks === null
    ? `content-length: ${text.length}\r\n\r\n${text}`
    : `transfer-encoding: chunked\r\n\r\n${
      chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")
    }0\r\n\r\n`;
  const expected = { status, body: chunks?.join("") ?? text, mayFollow: true };
  return { bytes: bytesOf(`HTTP/1.1 ${status} Word\r\n${lines}${framed}`), headers, expected };
});

Deno.test("A valid response is read as it was meant, in pieces of any length", async () => {
  await fc.assert(fc.asyncProperty(response, lengths, async ({ bytes, headers, expected }, lengths) => {
    const { headers: found, ...rest } = await readResponse(sourceOf(cut(bytes, lengths)));

    assert.deepEqual(rest, expected);
    assert.deepEqual(found.slice(0, headers.length), headers);
  }));
});

/** Bytes that look like HTTP in parts get further than random ones. */
const almostHttp = fc.array(
  fc.oneof(
    fc.constantFrom(
      "HTTP/1.1 200 OK\r\n",
      "\r\n",
      "content-length: ",
      "transfer-encoding: chunked\r\n",
      "5",
      "ffff",
      "0\r\n",
      "a: b\r\n",
      "\n",
      "\0",
    ),
    fc.string({ unit: "binary-ascii", maxLength: 10 }),
  ),
  { maxLength: 40 },
).map((parts) => bytesOf(parts.join("")));

Deno.test("Any bytes end in a response or in an EndpointError", async () => {
  const bytes = fc.oneof(fc.uint8Array({ maxLength: 3000 }), almostHttp, response.map(({ bytes }) => bytes));
  await fc.assert(
    fc.asyncProperty(bytes, fc.uint8Array({ maxLength: 3 }), lengths, async (bytes, more, lengths) => {
      const all = new Uint8Array([...bytes, ...more]);
      await readResponse(sourceOf(cut(all, lengths))).catch((error) =>
        assert.ok(error instanceof EndpointError, error)
      );
    }),
    { numRuns: 500 },
  );
});

Deno.test("An endless response is left after its limits", async () => {
  const endless = (text: string) => {
    const piece = bytesOf(text.repeat(100));
    return {
      *[Symbol.iterator]() {
        for (;;) yield piece;
      },
    };
  };
  const begun = (begin: string, then: string) => ({
    *[Symbol.iterator]() {
      yield bytesOf(begin);
      yield* endless(then);
    },
  });
  const sources = [
    endless("x"),
    endless("\r"),
    endless("HTTP/1.1 100 Continue\r\n\r\n"),
    begun(OK, "a: b\r\n"),
    begun(`${OK}\r\n`, "x"),
    begun(CHUNKED, "1\r\nx\r\n"),
    begun(`${CHUNKED}1;`, "x"),
    begun(`${CHUNKED}0\r\n`, "a: b\r\n"),
  ].map(sourceOf);
  for (const [index, source] of sources.entries()) {
    await assert.rejects(readResponse(source), EndpointError);
    assert.ok(source.delivered < 40_000, `source ${index}: ${source.delivered} bytes`);
  }
});
