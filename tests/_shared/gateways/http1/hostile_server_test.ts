import assert from "node:assert/strict";
import fc from "fast-check";
import { jsonResponse, pause, send, withConnections, withConnectionServer } from "./with_connections.ts";

/** The server writes these bytes after the request of its first connection; then it closes, unless it waits. */
function withBytes(
  bytes: string,
  use: (url: string, requests: string[][]) => Promise<void>,
  { close = true } = {},
): Promise<void> {
  return withConnectionServer(async (connection, next) => {
    await next();
    await send(connection, bytes);
    if (!close) await next();
  }, ({ url, requests }) => use(url, requests));
}

const ACCEPTED = jsonResponse({ ok: true });
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const BROKE = {
  kind: "unknown",
  httpStatus: null,
  reason: "The connection to the platform broke before it responded",
};

const UNKNOWN: [why: string, bytes: string][] = [
  ["nothing", ""],
  ["garbage", "\x16\x03\x01\x02\0"],
  ["another protocol", "220 mail.example.test ESMTP\r\n\r\n"],
  ["an endless line", `HTTP/1.1 200 OK\r\nA: ${"x".repeat(100_000)}`],
  ["endless headers", `HTTP/1.1 200 OK\r\n${"A: b\r\n".repeat(30_000)}`],
  ["endless interim responses", "HTTP/1.1 100 Continue\r\n\r\n".repeat(10_000)],
  ["another protocol on request", "HTTP/1.1 101 Switching\r\n\r\n"],
];

for (const [why, bytes] of UNKNOWN) {
  Deno.test(`A server that sends ${why} leaves the outcome unknown`, () =>
    withBytes(bytes, (url, requests) =>
      withConnections(async (post) => {
        assert.deepEqual(await post(url), BROKE);
        assert.equal(requests.flat().length, 1);
      })));
}

const WITHOUT_JSON: [why: string, bytes: string][] = [
  ["a body without JSON", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n<>"],
  ["a body beyond the limit", `HTTP/1.1 200 OK\r\nContent-Length: 70000\r\n\r\n"${"x".repeat(69_998)}"`],
  ["a body beyond the limit without a length", `HTTP/1.1 200 OK\r\n\r\n"${"x".repeat(69_998)}"`],
  ["a chunk beyond all limits", `${CHUNKED}fffffff0\r\nx`],
  ["a chunk of negative size", `${CHUNKED}-2\r\n{}\r\n0\r\n\r\n`],
  ["an overflowing chunk size", `${CHUNKED}10000000000000002\r\n{}\r\n0\r\n\r\n`],
  ["two different lengths", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
  ["an unknown encoding", "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nContent-Length: 2\r\n\r\n{}"],
  ["an encoding it does not use", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"],
];

for (const [why, bytes] of WITHOUT_JSON) {
  Deno.test(`A server that sends ${why} has responded with its status alone`, () =>
    withBytes(bytes, (url) =>
      withConnections(async (post) => {
        const outcome = await post(url);

        assert.ok(outcome.kind === "responded");
        assert.deepEqual([outcome.httpStatus, outcome.body], [200, undefined]);
      })));
}

Deno.test("A compressed response is decoded, up to the limit", async () => {
  const cases: [text: string, body: unknown][] = [['{"a":1}', { a: 1 }], [
    `"${"x".repeat(100_000)}"`,
    undefined,
  ]];
  for (const [text, body] of cases) {
    const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
    const bytes = Array.from(await new Response(stream).bytes(), (byte) => String.fromCharCode(byte)).join(
      "",
    );
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`;
    await withBytes(head + bytes, (url) =>
      withConnections(async (post) => {
        const outcome = await post(url);

        assert.deepEqual(outcome.kind === "responded" && outcome.body, body);
      }));
  }
});

Deno.test("A response that is cut off anywhere is unknown, or has its status", () =>
  withConnections(async (post) => {
    const headLength = ACCEPTED.indexOf("\r\n\r\n") + 4;
    let cut = 0;
    await withConnectionServer(async (connection, next) => {
      await next();
      await send(connection, ACCEPTED.slice(0, cut));
    }, async ({ url, requests }) => {
      for (; cut < ACCEPTED.length; cut++) {
        const outcome = await post(url);

        const cutBody = outcome.kind === "responded" && outcome.body === undefined;
        assert.ok(cut < headLength ? outcome.kind === "unknown" : cutBody, `cut at ${cut}: ${outcome.kind}`);
      }
      assert.equal(requests.flat().length, ACCEPTED.length);
    });
  }));

Deno.test("A response that comes in two pieces is whole, wherever it is split", () =>
  withConnections(async (post) => {
    let at = 1;
    await withConnectionServer(async (connection, next) => {
      while (await next() !== undefined) {
        await send(connection, ACCEPTED.slice(0, at));
        await pause(1);
        await send(connection, ACCEPTED.slice(at));
      }
    }, async ({ url, requests }) => {
      for (; at < ACCEPTED.length; at++) {
        const outcome = await post(url);

        assert.deepEqual(outcome.kind === "responded" && outcome.body, { ok: true }, `split at ${at}`);
      }
      assert.equal(requests.length, 1);
    });
  }));

Deno.test("A response that drips beyond the deadline is unknown, and its connection is closed", async () => {
  const closed = Promise.withResolvers<void>();
  await withConnectionServer(async (connection, next) => {
    await next();
    await send(connection, "HTTP/1.1 200 OK\r\nA: ");
    const dripping = (async () => {
      for (;;) {
        await pause(5);
        await send(connection, "x");
      }
    })().catch(() => {});
    await next().catch(() => {});
    closed.resolve();
    connection.close();
    await dripping;
  }, ({ url }) =>
    withConnections(async (post) => {
      const reason = "The platform did not respond in time";

      assert.deepEqual(await post(url, {}, { timeoutMs: 80 }), { kind: "unknown", httpStatus: null, reason });
      await closed.promise;
    }));
});

/** The act of a server on each request that it gets, in turn. */
type Act = {
  closes: "before reading" | "before" | "in" | "after" | "later" | "never";
  delayMs: number;
  at: number;
};

const act: fc.Arbitrary<Act> = fc.record({
  closes: fc.constantFrom(
    "before reading",
    "before",
    "in",
    "after",
    "later",
    "never",
    "never",
    "never",
    "never",
  ),
  delayMs: fc.integer({ min: 0, max: 3 }),
  at: fc.integer({ min: 1, max: ACCEPTED.length - 1 }),
});

Deno.test("A server that closes connections at any moment gets no request twice, and none that counts as unsent", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 40 }), async (acts) => {
      let turn = 0;
      await withConnectionServer(async (connection, next) => {
        for (;;) {
          const { closes, delayMs, at } = acts[turn++ % acts.length]!;
          if (closes === "before reading") return await pause(delayMs);
          if (await next() === undefined) return;
          if (delayMs > 0) await pause(delayMs);
          if (closes === "before") return;
          if (closes === "in") return await send(connection, ACCEPTED.slice(0, at));
          await send(connection, ACCEPTED);
          if (closes === "after") return;
          if (closes === "later") return await pause(delayMs);
        }
      }, ({ url, requests }) =>
        withConnections(async (post) => {
          const kinds = new Map<number, string>();
          const sendSome = async (from: number) => {
            for (let id = from; id < from + 15; id++) {
              kinds.set(id, (await post(url, { id })).kind);
              if (id % 3 === 0) await pause(2);
            }
          };
          await Promise.all([0, 100, 200].map(sendSome));

          const seen = requests.flat().map((request): number => JSON.parse(request.split("\r\n\r\n")[1]!).id);
          assert.deepEqual(seen.filter((id, index) => seen.indexOf(id) !== index), []);
          assert.deepEqual(seen.filter((id) => kinds.get(id) === "not_sent"), []);
          const unseen = [...kinds.keys()].filter((id) => !seen.includes(id));
          assert.deepEqual(unseen.filter((id) => kinds.get(id) === "responded"), []);
        }, { maxIdleMs: 3 }));
    }),
    { numRuns: 40 },
  );
});
