import assert from "node:assert/strict";
import { startDeadline } from "../../../../supabase/functions/_shared/concurrency/deadline.ts";
import { ConnectError } from "../../../../supabase/functions/_shared/gateways/http1/endpoint_error.ts";
import type { PostOutcome } from "../../../../supabase/functions/_shared/gateways/posting/posted_request.ts";
import { closeServer } from "../../../setup/http/close_server.ts";
import { eventually } from "../../../setup/eventually.ts";
import { closedPort } from "../local_server.ts";
import { tlsFiles } from "../tls_files.ts";
import { jsonResponse, pause, send, withConnections, withConnectionServer } from "./with_connections.ts";

/** Responds to every request. */
async function respond(connection: Deno.Conn, next: () => Promise<string | undefined>): Promise<void> {
  while (await next() !== undefined) await send(connection, jsonResponse());
}

const countsOf = (requests: string[][]) => requests.map((own) => own.length);
const kindsOf = (outcomes: PostOutcome[]) => outcomes.map(({ kind }) => kind);

Deno.test("A request is HTTP/1.1 in one piece", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post) => {
      await post(`${url}/v1/a%20b?c=d#e`, { to: "ñ" });

      const { host } = new URL(url);
      assert.deepEqual(requests, [[[
        "POST /v1/a%20b?c=d HTTP/1.1",
        `host: ${host}`,
        "user-agent: outbound",
        "accept: application/json",
        "accept-encoding: identity",
        "content-type: application/json",
        "authorization: Bearer x",
        "content-length: 11",
        "",
        '{"to":"ñ"}',
      ].join("\r\n")]]);
    })));

Deno.test("Requests one after the other share a connection", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post) => {
      for (let count = 0; count < 20; count++) await post(url);

      assert.deepEqual(countsOf(requests), [20]);
    })));

Deno.test("A request whose lease ended while it waited for a connection is not written", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post, connections) => {
      await post(url);
      const limits = { head: { bytes: 1000, lineBytes: 1000, headers: 10 }, bodyBytes: 1000 };
      const checks = [false, true];
      const deadline = startDeadline(10_000);
      const isLate = () => checks.shift() ?? true;

      const late = connections.exchange(new URL(url), new Uint8Array([1]), { deadline, limits, isLate });

      await assert.rejects(late, ConnectError);
      deadline.clear();
      assert.deepEqual(kindsOf([await post(url)]), ["responded"]);
      assert.deepEqual(countsOf(requests), [2]);
    })));

Deno.test("A connection that is given back unused, because the time is up, serves the next request", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post, connections) => {
      await post(url);
      const checks = [false, true, true];
      const deadline = { ...startDeadline(10_000), isOver: () => checks.shift() ?? true };
      const limits = { head: { bytes: 1000, lineBytes: 1000, headers: 10 }, bodyBytes: 1000 };
      const late = connections.exchange(new URL(url), new Uint8Array(), { deadline, limits });
      await assert.rejects(late, ConnectError);
      deadline.clear();

      const outcomes = [await post(url), await post(url)];

      assert.deepEqual(kindsOf(outcomes), ["responded", "responded"]);
      assert.deepEqual(countsOf(requests), [3]);
    })));

Deno.test("Requests at once have connections of their own, which the next ones use again", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post) => {
      for (let burst = 0; burst < 5; burst++) {
        await Promise.all(Array.from({ length: 30 }, () => post(url)));
        await pause(5);
      }

      assert.ok(requests.length <= 30, `${requests.length} connections`);
      assert.equal(requests.flat().length, 150);
    })));

Deno.test("Connections that are opened at once share a look-up", async () => {
  let asked = 0;
  const resolve = () => Promise.resolve(++asked > 0 ? ["127.0.0.1"] : []);
  await withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post) => {
      const named = url.replace("127.0.0.1", "platform.test");
      await Promise.all(Array.from({ length: 20 }, () => post(named)));

      assert.deepEqual([asked, requests.flat().length], [1, 20]);
    }, { resolve }));
});

Deno.test("Each host has connections of its own", () =>
  withConnectionServer(
    respond,
    (first) =>
      withConnectionServer(respond, (second) =>
        withConnections(async (post) => {
          for (const { url } of [first, second, first, second]) await post(url);

          assert.deepEqual([countsOf(first.requests), countsOf(second.requests)], [[2], [2]]);
        })),
  ));

Deno.test("An idle connection is closed before the server would", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post) => {
      await post(url);
      await pause(150);
      await post(url);

      assert.deepEqual(countsOf(requests), [1, 1]);
    }, { maxIdleMs: 60 })));

const NOT_REUSED: [why: string, response: string][] = [
  ["says so", jsonResponse().replace("\r\n", "\r\nConnection: close\r\n")],
  ["speaks HTTP/1.0", jsonResponse({}, "HTTP/1.0 200 OK")],
  [
    "gives two lengths",
    jsonResponse().replace("\r\n", "\r\nTransfer-Encoding: chunked\r\n") + "\r\n2\r\n{}\r\n0\r\n\r\n",
  ],
  ["responds twice", jsonResponse() + jsonResponse({ messages: [{ id: "wamid.OTHER" }] })],
];

for (const [why, response] of NOT_REUSED) {
  Deno.test(`A connection is not used again when the server ${why}`, () =>
    withConnectionServer(async (connection, next) => {
      while (await next() !== undefined) await send(connection, response);
    }, ({ url, requests }) =>
      withConnections(async (post) => {
        const outcomes = [await post(url), await post(url)];

        assert.deepEqual(kindsOf(outcomes), ["responded", "responded"]);
        assert.deepEqual(countsOf(requests), [1, 1]);
      })));
}

Deno.test("A connection that the server closes right after its response costs no request", () =>
  withConnectionServer(async (connection, next) => {
    await next();
    await send(connection, jsonResponse());
  }, ({ url, requests }) =>
    withConnections(async (post) => {
      const outcomes: PostOutcome[] = [];
      for (let count = 0; count < 50; count++) outcomes.push(await post(url));

      assert.deepEqual(new Set(kindsOf(outcomes)), new Set(["responded"]));
      assert.equal(requests.length, 50);
    })));

Deno.test("A connection that the server closes while it is idle costs no request", () => {
  const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return withConnectionServer(async (connection, next) => {
    await next();
    await send(connection, jsonResponse());
    await received.promise;
    await connection.closeWrite();
    closed.resolve();
    await next();
  }, ({ url, requests }) =>
    withConnections(async (post) => {
      const first = await post(url);
      received.resolve();
      await closed.promise;
      await pause();
      const second = await post(url);

      assert.deepEqual(kindsOf([first, second]), ["responded", "responded"]);
      assert.deepEqual(countsOf(requests), [1, 1]);
    }));
});

Deno.test("Unsolicited bytes are no response to the next request", () => {
  const [received, sent] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return withConnectionServer(async (connection, next, number) => {
    await next();
    await send(connection, jsonResponse());
    if (number > 1) return void await next();
    await received.promise;
    await send(connection, jsonResponse({ messages: [{ id: "wamid.OTHER" }] }));
    sent.resolve();
    await next();
  }, ({ url, requests }) =>
    withConnections(async (post) => {
      await post(url);
      received.resolve();
      await sent.promise;
      await pause();
      const second = await post(url);

      assert.deepEqual(second.kind === "responded" && second.body, {});
      assert.deepEqual(countsOf(requests), [1, 1]);
    }));
});

Deno.test("A server that closes each connection at once gets each request once at most", () =>
  withConnectionServer(() => Promise.resolve(), ({ url, requests }) =>
    withConnections(async (post) => {
      for (let count = 1; count <= 20; count++) {
        const { kind } = await post(url);

        assert.ok(kind === "not_sent" || kind === "unknown", kind);
        assert.equal(requests.length, count);
      }
    })));

Deno.test("A response that comes before the request is written counts, and its connection does not", () =>
  withConnectionServer(async (connection, next, number) => {
    if (number > 1) return await respond(connection, next);
    await connection.read(new Uint8Array(1000));
    await send(connection, jsonResponse({ error: {} }, "HTTP/1.1 413 Too Large"));
    await pause(300);
  }, ({ url }) =>
    withConnections(async (post) => {
      const large = await post(url, { text: "x".repeat(20_000_000) });
      const next = await post(url);

      assert.deepEqual([large, next].map((each) => each.kind === "responded" && each.httpStatus), [413, 200]);
    })));

Deno.test("A request that waits takes the connection that comes free, not the one that is being opened", async () => {
  const { cert, key, caCerts } = await tlsFiles();
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
  const { port } = listener.addr;
  const url = `https://events.example.test:${port}/`;
  let reached = 0;
  // The first connection is served; the others are accepted, and their TLS never begins.
  const serving = (async () => {
    const connection = await listener.accept();
    const buffer = new Uint8Array(4096);
    while (await connection.read(buffer) !== null) {
      reached++;
      await pause(10);
      await send(connection, jsonResponse());
    }
    connection.close();
  })();
  await withConnections(async (post) => {
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => post(url, {}, { timeoutMs: 3000 })));

    assert.deepEqual(kindsOf(outcomes), Array(4).fill("responded"));
    assert.equal(reached, 4);
    // Ends the handshakes that would wait.
    listener.close();
  }, { caCerts, resolve: () => Promise.resolve(["127.0.0.1"]) });
  await serving;
});

Deno.test("A deadline ends its own request only, and nothing of a request that waits is sent", () =>
  withConnectionServer(async (connection, next) => {
    for (let request; (request = await next()) !== undefined;) {
      if (request.includes("slow")) return void await next();
      await pause(100);
      await send(connection, jsonResponse());
    }
  }, ({ url }) =>
    withConnections(async (post) => {
      const outcomes = await Promise.all([
        post(url, "slow", { timeoutMs: 60 }),
        post(url, "other"),
        post(url, "other", { timeoutMs: 5000 }),
      ]);

      const reason = "The platform did not respond in time";
      assert.deepEqual(outcomes[0], { kind: "unknown", httpStatus: null, reason });
      assert.deepEqual(kindsOf(outcomes.slice(1)), ["responded", "responded"]);
    })));

Deno.test("A connection that is not ready in time leaves its request unsent", async () => {
  // No listener accepts, so no TLS begins.
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  await withConnections(async (post) => {
    const url = `https://127.0.0.1:${listener.addr.port}`;
    const stop = new AbortController();
    const late = post(url, {}, { timeoutMs: 50 });
    const stopped = post(url, {}, { signal: stop.signal });
    stop.abort();

    assert.deepEqual([await stopped, await late], [
      { kind: "not_sent", reason: "Stopped before anything was sent" },
      { kind: "not_sent", reason: "No connection to the platform could be made" },
    ]);
    listener.close();
  });
});

Deno.test("A request whose machine is suspended before it is written is never sent", () =>
  withConnectionServer(respond, ({ url, requests }) =>
    withConnections(async (post) => {
      const { now } = Date;
      try {
        const waiting = post(url, {}, { timeoutMs: 10_000 });
        Date.now = () => now() + 60_000;

        assert.equal((await waiting).kind, "not_sent");
        assert.deepEqual(requests.flat(), []);
      } finally {
        Date.now = now;
      }
    })));

Deno.test("Requests to a host that refuses connections all end unsent", () =>
  withConnections(async (post) => {
    const url = `http://127.0.0.1:${closedPort()}`;
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => post(url)));

    assert.deepEqual(new Set(kindsOf(outcomes)), new Set(["not_sent"]));
  }));

Deno.test("close() ends what waits, and lets what was sent come back", () =>
  withConnectionServer(async (connection, next) => {
    await next();
    await pause(50);
    await send(connection, jsonResponse());
    await next();
  }, ({ url, requests }) =>
    withConnections(async (post, connections) => {
      const underWay = post(url);
      await eventually(() => assert.equal(requests.flat().length, 1));
      await connections.close();

      assert.equal((await underWay).kind, "responded");
      assert.deepEqual(await post(url), { kind: "not_sent", reason: "Stopped before anything was sent" });
    })));

Deno.test("TLS goes to the URL's host only, with a certificate that is trusted", async () => {
  const { cert, key, caCerts } = await tlsFiles();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
    () => Response.json({}),
  );
  const { port } = server.addr;
  const resolve = () => Promise.resolve(["127.0.0.1"]);
  const outcomes: PostOutcome[] = [];
  await withConnections(async (post) => {
    outcomes.push(await post(`https://events.example.test:${port}`));
    outcomes.push(await post(`https://other.example.test:${port}`));
  }, { caCerts, resolve });
  await withConnections(async (post) => {
    outcomes.push(await post(`https://events.example.test:${port}`));
  }, { resolve });
  await closeServer(server);

  const unsafe = { kind: "not_sent", reason: "No secure connection to the platform could be made" };
  assert.equal(outcomes[0]!.kind, "responded");
  assert.deepEqual(outcomes.slice(1), [unsafe, unsafe]);
});
