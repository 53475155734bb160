import assert from "node:assert/strict";
import { Hono } from "hono";
import type { AppContext, AppEnv } from "../../supabase/functions/_shared/http/app/context.ts";
import { clientAddress } from "../../supabase/functions/_shared/http/app/request_context.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { findBinary } from "../setup/find_binary.ts";
import { MAX_REQUESTS, withNginx } from "./with_nginx.ts";

/** Where files of contacts go. */
const CONTACTS = "/functions/v1/manage/companies/a/uploads/b/contacts";
const MEDIA = "/functions/v1/manage/companies/a/media";

/** A service behind nginx that records its requests. */
interface Behind {
  port: number;
  url: string;
  /** Requests that reached the service. */
  seen: string[];
  /** Returns the log of nginx so far. */
  logs(): Promise<string>;
  /** Lets the event streams that are open go on with a second event, and end. */
  release(): void;
}

/** Calls `fn` with the documented nginx in front of a service; without nginx the test is skipped. */
async function behindNginx(
  test: string,
  fn: (behind: Behind) => Promise<void>,
  options: { isImpatient?: boolean } = {},
): Promise<void> {
  const binary = await findBinary("nginx");
  if (binary === undefined) return skipped(`nginx: ${test}`, "no nginx found");
  const seen: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const app = createService(released);
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request, info) => {
    seen.push(`${request.method} ${new URL(request.url).pathname}`);
    return app.fetch(request, info);
  });
  try {
    await withNginx(
      binary,
      `http://127.0.0.1:${server.addr.port}`,
      (port, logs) => fn({ port, url: `http://127.0.0.1:${port}`, seen, logs, release }),
      options,
    );
  } finally {
    release();
    await closeServer(server);
  }
}

function createService(released: Promise<void>) {
  const services = { env: { OUTBOUND_TRUSTED_PROXIES: 1 } } as Services;
  const app = new Hono<AppEnv>();
  app.use((c, next) => (c.set("services", services), next()));
  app.get("/address", (c) => c.json({ address: clientAddress(c as AppContext), host: c.req.header("Host") }));
  app.post("/bytes", async (c) => c.body(await c.req.arrayBuffer()));
  app.put(CONTACTS, async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }));
  app.post(MEDIA, async (c) => c.json({ bytes: (await c.req.arrayBuffer()).byteLength }));
  app.get("/events", (c) => {
    const write = (text: string) => new TextEncoder().encode(`data: ${text}\n\n`);
    const body = new ReadableStream({
      async start(controller) {
        controller.enqueue(write("first"));
        await released;
        controller.enqueue(write("second"));
        controller.close();
      },
    });
    return c.body(body, 200, { "Content-Type": "text/event-stream", "X-Accel-Buffering": "no" });
  });
  return app;
}

/** Sends `text` on a connection of its own, then nothing more; returns what came until the other side closed it. */
async function sendAndWait(port: number, text: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await connection.write(new TextEncoder().encode(text));
    let received = "";
    const buffer = new Uint8Array(4096);
    for (let size; (size = await connection.read(buffer).catch(() => null)) !== null;) {
      received += new TextDecoder().decode(buffer.subarray(0, size));
    }
    return received;
  } finally {
    connection.close();
  }
}

Deno.test("nginx: silent connections, half-sent heads and bodies that stop are closed and do not reach the service", () =>
  behindNginx("slow clients", async ({ port, seen }) => {
    const halves = [
      "",
      "POST /bytes HTTP/1.1\r\nHost: api.example.com\r\n",
      "POST /bytes HTTP/1.1\r\nHost: api.example.com\r\nContent-Length: 1000\r\n\r\nonly this",
      "POST /bytes HTTP/1.1\r\nHost: api.example.com\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
    ];

    const received = await Promise.all(halves.map((text) => sendAndWait(port, text)));

    for (const text of received) assert.match(text, /^$|^HTTP\/1\.1 408 /);
    assert.deepEqual(seen, []);
  }, { isImpatient: true }));

Deno.test("nginx: a request passes byte for byte, up to 8 MiB", () =>
  behindNginx("bodies", async ({ url, seen }) => {
    const body = crypto.getRandomValues(new Uint8Array(60_000));
    const post = (body: Uint8Array<ArrayBuffer>) => fetch(`${url}/bytes`, { method: "POST", body });

    const passed = new Uint8Array(await (await post(body)).arrayBuffer());
    const largest = await post(new Uint8Array(8 * 1024 * 1024));
    const tooLarge = await post(new Uint8Array(8 * 1024 * 1024 + 1));

    assert.deepEqual(passed, body);
    assert.deepEqual([largest.status, (await largest.arrayBuffer()).byteLength], [200, 8 * 1024 * 1024]);
    assert.equal(tooLarge.status, 413);
    await tooLarge.body?.cancel();
    assert.equal(seen.length, 2);
  }));

Deno.test("nginx: a file of contacts passes up to 64 MiB", () =>
  behindNginx("files", async ({ url, seen }) => {
    const put = (bytes: number) => fetch(`${url}${CONTACTS}`, { method: "PUT", body: new Uint8Array(bytes) });

    const largest = await put(64 * 1024 * 1024);
    const tooLarge = await put(64 * 1024 * 1024 + 1);

    assert.deepEqual([largest.status, await largest.json()], [200, { bytes: 64 * 1024 * 1024 }]);
    assert.equal(tooLarge.status, 413);
    await tooLarge.body?.cancel();
    assert.equal(seen.length, 1);
  }));

Deno.test("nginx: a file to send passes up to 100 MiB", () =>
  behindNginx("media", async ({ url }) => {
    const post = (bytes: number) => fetch(`${url}${MEDIA}`, { method: "POST", body: new Uint8Array(bytes) });

    const largest = await post(100 * 1024 * 1024);
    const tooLarge = await post(100 * 1024 * 1024 + 1);

    assert.deepEqual([largest.status, await largest.json()], [200, { bytes: 100 * 1024 * 1024 }]);
    assert.equal(tooLarge.status, 413);
    await tooLarge.body?.cancel();
  }));

Deno.test("nginx: every response makes browsers use https alone, also a refusal of its own", () =>
  behindNginx("strict transport security", async ({ url }) => {
    for (
      const [path, init] of [["/address", {}], ["/bytes", {
        method: "POST",
        body: new Uint8Array(9 << 20),
      }]] as const
    ) {
      const response = await fetch(`${url}${path}`, init);
      await response.body?.cancel();
      assert.equal(response.headers.get("strict-transport-security"), "max-age=31536000", path);
    }
  }));

Deno.test("nginx: the service sees the client's address, whatever the client says it is", () =>
  behindNginx("addresses", async ({ url }) => {
    const headers = { "X-Forwarded-For": "203.0.113.9, 198.51.100.7" };

    const { address, host } = await (await fetch(`${url}/address`, { headers })).json();

    assert.deepEqual([address, host], ["127.0.0.1", "127.0.0.1"]);
  }));

Deno.test("nginx: events arrive as they are written, and only so many requests of an address at once", () =>
  behindNginx("event streams", async ({ url, release }) => {
    const open = async () =>
      (await fetch(`${url}/events`)).body!.pipeThrough(new TextDecoderStream()).getReader();
    const readers = await Promise.all(Array.from({ length: MAX_REQUESTS }, open));
    for (const reader of readers) assert.equal((await reader.read()).value, "data: first\n\n");

    const oneMore = await fetch(`${url}/address`);
    assert.equal(oneMore.status, 429);
    await oneMore.body?.cancel();

    release();
    for (const reader of readers) {
      assert.equal((await reader.read()).value, "data: second\n\n");
      assert.equal((await reader.read()).done, true);
    }
  }));

Deno.test("nginx: requests are logged without the access keys in their query, refused ones too", () =>
  behindNginx("logs", async ({ url, logs }) => {
    const query = "access_key=outbound_secret";
    await (await fetch(`${url}/address?${query}`)).body?.cancel();
    const large = new Uint8Array(9 * 1024 * 1024);
    const refused = await fetch(`${url}/bytes?${query}`, { method: "POST", body: large });
    await refused.body?.cancel();
    assert.equal(refused.status, 413);

    await eventually(async () => assert.match(await logs(), /"GET \/address [\s\S]*"POST \/bytes /));
    assert.doesNotMatch(await logs(), /outbound_secret/);
  }));
