import assert from "node:assert/strict";
import type { ExchangeOptions } from "../../../supabase/functions/_shared/gateways/http1/exchange.ts";
import {
  type EndpointResponse,
  postToEndpoint,
} from "../../../supabase/functions/_shared/gateways/post_to_endpoint.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import { closedPort, withHttpServer, withRawServer } from "./local_server.ts";
import { tlsFiles } from "./tls_files.ts";

const REQUEST = { headers: { "content-type": "application/json", "webhook-id": "evt_1" }, body: '{"ñ":1}' };

function post(url: string, options: Partial<ExchangeOptions> = {}): Promise<EndpointResponse> {
  return postToEndpoint(url, REQUEST, { timeoutMs: 5000, allowPrivate: true, ...options });
}

/** Calls `use` with a server that responds to every request with these bytes, and then closes by default. */
function withResponse(
  response: string,
  use: (url: string) => Promise<void>,
  { close = true }: { close?: boolean } = {},
): Promise<void> {
  return withRawServer(async (connection) => {
    await connection.write(new TextEncoder().encode(response));
    if (close) connection.close();
  }, use);
}

Deno.test("postToEndpoint() sends the request once, with path, query, headers and body", async () => {
  const seen: unknown[] = [];
  await withHttpServer(async (request) => {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    seen.push([
      method,
      pathname + search,
      headers.get("webhook-id"),
      headers.get("host"),
      await request.text(),
    ]);
    return new Response("thanks", { status: 202 });
  }, async (url) => {
    const answer = await post(`${url}/events/in?a=%20b#part`);

    assert.deepEqual(answer, { kind: "responded", status: 202, body: "thanks" });
    assert.deepEqual(seen, [["POST", "/events/in?a=%20b", "evt_1", new URL(url).host, REQUEST.body]]);
  });
});

Deno.test("postToEndpoint() does not follow a redirect", async () => {
  let requests = 0;
  await withHttpServer((request) => {
    requests++;
    return Response.redirect(new URL("/elsewhere", request.url), 307);
  }, async (url) => {
    const answer = await post(url);

    assert.deepEqual([answer.kind === "responded" && answer.status, requests], [307, 1]);
  });
});

Deno.test("postToEndpoint() keeps one kilobyte of a body that never ends", async () => {
  const endless = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(65536).fill(97)),
    });
  await withHttpServer(() => new Response(endless()), async (url) => {
    assert.deepEqual(await post(url), { kind: "responded", status: 200, body: "a".repeat(1024) });
  });
});

Deno.test("postToEndpoint() reads responses of any framing, and skips interim ones", async () => {
  const cases: [response: string, body: string][] = [
    ["HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok and more", "ok"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=y\r\no\r\n1\r\nk\r\n0\r\n\r\n", "ok"],
    ["HTTP/1.1 200\r\n\r\nuntil the end", "until the end"],
    ["HTTP/1.0 200 OK\r\n\r\n", ""],
    [
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\nok",
      "ok",
    ],
    ["HTTP/1.1 200 OK\r\n\r\na\0b\xff", "a\ufffdbÿ"],
    ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk at all", ""],
  ];
  for (const [bytes, body] of cases) {
    await withResponse(bytes, async (url) => {
      assert.deepEqual(await post(url), { kind: "responded", status: 200, body }, bytes);
    });
  }
});

Deno.test("postToEndpoint() knows the end of a body on a connection that stays open", async () => {
  for (
    const framing of ["content-length: 2\r\n\r\nok", "transfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"]
  ) {
    await withResponse(`HTTP/1.1 200 OK\r\n${framing}`, async (url) => {
      const started = performance.now();

      assert.deepEqual(await post(url), { kind: "responded", status: 200, body: "ok" });
      assert.ok(performance.now() - started < 900, "waited for a body that was complete");
    }, { close: false });
  }
});

Deno.test("postToEndpoint() counts the status when the body does not come", async () => {
  await withResponse("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", async (url) => {
    assert.deepEqual(await post(url, { timeoutMs: 60_000 }), { kind: "responded", status: 200, body: "" });
  }, { close: false });
});

Deno.test("postToEndpoint() fails when the time is over", async () => {
  await withRawServer(() => {}, async (url) => {
    const reason = "The endpoint did not respond within 0.1 seconds";

    assert.deepEqual(await post(url, { timeoutMs: 100 }), { kind: "failed", reason });
  });
  const never = () => new Promise<string[]>(() => {});
  const { kind } = await post("http://example.test/", { timeoutMs: 50, resolve: never });
  assert.equal(kind, "failed");
});

Deno.test("postToEndpoint() says why there was no response", async () => {
  const cases: [response: string, reason: RegExp][] = [
    ["", /closed the connection without a response/],
    ["HTTP/1.1 200 OK\r\ncontent-", /closed the connection without a response/],
    ["SSH-2.0-OpenSSH_9.2\r\n\r\n", /is not HTTP/],
    ["HTTP/2 200\r\n\r\n", /is not HTTP/],
    [`HTTP/1.1 200 OK\r\nx: ${"y".repeat(40_000)}`, /head of the endpoint's response is too long/],
  ];
  for (const [bytes, reason] of cases) {
    await withResponse(bytes, async (url) => {
      const answer = await post(url);
      assert.match(answer.kind === "failed" ? answer.reason : "responded", reason);
    });
  }
});

Deno.test("postToEndpoint() distinguishes a port without a listener from a name without an address", async () => {
  const closed = await post(`http://127.0.0.1:${closedPort()}/`);
  const unknown = await post("http://no-such-host.invalid/");

  assert.deepEqual(closed, { kind: "failed", reason: "No connection to the endpoint could be made" });
  assert.deepEqual(unknown, { kind: "failed", reason: "The endpoint's host name could not be resolved" });
});

Deno.test("postToEndpoint() connects to nothing when a name's addresses are private", async () => {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...await tlsFiles() });
  try {
    const { port } = listener.addr;
    const names: [url: string, resolve: string[] | undefined][] = [
      [`https://localhost:${port}/`, undefined],
      [`https://localhost.:${port}/`, undefined],
      [`https://events.example.test:${port}/`, ["127.0.0.1"]],
      [`https://events.example.test:${port}/`, ["::1", "10.0.0.1", "::ffff:127.0.0.1", "0.0.0.0"]],
    ];
    for (const [url, addresses] of names) {
      const resolve = addresses && { resolve: () => Promise.resolve(addresses) };
      const { reason } = await post(url, { allowPrivate: false, ...resolve }) as { reason: string };
      assert.match(reason, /not a public one|could not be resolved/, url);
    }
    for (const url of [`http://127.0.0.1:${port}/`, `https://127.0.0.1:${port}/`, `https://[::1]:${port}/`]) {
      const { reason } = await post(url, { allowPrivate: false }) as { reason: string };
      assert.match(reason, /^The endpoint's URL is refused: /, url);
    }
  } finally {
    listener.close();
  }
});

Deno.test("postToEndpoint() asks for the name once and connects to the address it checked", async () => {
  let asked = 0;
  await withHttpServer((request) => new Response(request.headers.get("host")), async (url) => {
    const { port } = new URL(url);
    const answer = await post(`http://events.example.test:${port}/`, {
      resolve: (host) => {
        assert.equal(host, "events.example.test");
        return Promise.resolve(++asked === 1 ? ["127.0.0.1"] : ["192.0.2.1"]);
      },
    });

    assert.deepEqual(answer, { kind: "responded", status: 200, body: `events.example.test:${port}` });
    assert.equal(asked, 1);
  });
});

Deno.test("postToEndpoint() tries the next address when one takes no connection", async () => {
  await withHttpServer(() => new Response("here"), async (url) => {
    const answer = await post(`http://events.example.test:${new URL(url).port}/`, {
      resolve: () => Promise.resolve(["127.0.0.2", "127.0.0.1"]),
    });

    assert.deepEqual(answer, { kind: "responded", status: 200, body: "here" });
  });
});

Deno.test("postToEndpoint() speaks TLS and insists on a certificate of the URL's host", async () => {
  const { cert, key, caCerts } = await tlsFiles();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, cert, key, onListen() {} },
    async (request) => new Response(await request.text()),
  );
  const resolve = () => Promise.resolve(["127.0.0.1"]);
  try {
    const { port } = server.addr;
    const own = await post(`https://events.example.test:${port}/`, { resolve, caCerts });
    const other = await post(`https://other.example.test:${port}/`, { resolve, caCerts });
    const untrusted = await post(`https://events.example.test:${port}/`, { resolve });

    assert.deepEqual(own, { kind: "responded", status: 200, body: REQUEST.body });
    for (const answer of [other, untrusted]) {
      const reason = answer.kind === "failed" ? answer.reason : "responded";
      assert.match(reason, /^No secure connection to the endpoint could be made: .*certificate/);
    }
  } finally {
    await closeServer(server);
  }
});

Deno.test("postToEndpoint() says in its own words that an endpoint does not speak TLS", async () => {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response());
  try {
    const url = `https://events.example.test:${server.addr.port}/`;

    const answer = await post(url, { resolve: () => Promise.resolve(["127.0.0.1"]) });

    assert.equal(answer.kind === "failed" && answer.reason, "The endpoint does not speak TLS on this port");
  } finally {
    await closeServer(server);
  }
});
