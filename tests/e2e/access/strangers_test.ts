import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { signWebhook } from "../../../local/sandbox/webhooks/webhook_sender.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { assertRefused } from "../assert_refused.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { newAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";
import { MAX_REFUSALS } from "../../../supabase/functions/_shared/access/presented_keys.ts";
import { type Api, withApi } from "../with_api.ts";

const JSON_TYPE = { "content-type": "application/json" };

/** `GET /notify/templates` with any key, as the proxy in front of the service passes it on. */
function askWith({ http }: Api, access_key: string, address: string) {
  return http.get("/notify/templates", {
    query: { access_key, phone_number: "34600111222" },
    headers: { "x-forwarded-for": address },
  });
}

/** Opens a connection, sends the head of a request and some of its body, and returns what is responded meanwhile. */
async function sendHalf(
  { url }: Api,
  { path, headers, start = "" }: { path: string; headers: Record<string, string>; start?: string },
): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(url).port) });
  try {
    const head = Object.entries({ Host: "x", ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
      .join("");
    const text = `POST /functions/v1${path} HTTP/1.1\r\n${head}\r\n${start}`;
    await connection.write(new TextEncoder().encode(text));
    const buffer = new Uint8Array(4096);
    const size = await connection.read(buffer);
    return new TextDecoder().decode(buffer.subarray(0, size ?? 0));
  } finally {
    connection.close();
  }
}

Deno.test("an unknown key is refused before a large body arrives, a known one waits for it", () =>
  withApi(async (api) => {
    const large = { ...JSON_TYPE, "Content-Length": "1000000" };
    const chunked = { ...JSON_TYPE, "Transfer-Encoding": "chunked" };
    for (const headers of [large, chunked]) {
      assert.match(await sendHalf(api, { path: "/notify?access_key=nonsense", headers }), /^HTTP\/1.1 401 /);
      assert.match(await sendHalf(api, { path: "/notify", headers }), /^HTTP\/1.1 401 /);
    }
    const padded = JSON.stringify(notifyBody(api)) + " ".repeat(100_000);
    const response = await api.http.post("/notify", undefined, {
      query: { access_key: api.key.key },
      headers: JSON_TYPE,
      rawBody: padded,
    });
    assert.equal(response.status, 200);
  }));

Deno.test("a parameter named like a property of every object changes no refusal", () =>
  withApi(async ({ http, logs }) => {
    for (const name of ["constructor", "toString", "__proto__"]) {
      const query = { access_key: "nonsense", [name]: "" };
      const statuses = [
        await http.post("/notify", {}, { query }),
        await http.post("/notify/voice", {}, { query }),
        await http.get("/notify/status", { query: { ...query, campaign_id: "x" } }),
        await http.get("/notify/templates", { query }),
        await http.get("/manage/companies/mine/campaigns", { query }),
        await http.post("/auth", {}, { query: { grant_type: "password", [name]: "" } }),
      ].map(({ status }) => status);

      assert.deepEqual(statuses, [401, 401, 404, 401, 401, 400], name);
    }
    assert.deepEqual(logs.filter((line) => line.includes("TypeError")), []);
  }));

Deno.test("a webhook without a signature of the right form is refused before its body arrives", () =>
  withApi(async (api) => {
    const declared = { ...JSON_TYPE, "Content-Length": "4000000" };
    const now = Math.floor(Date.now() / 1000);
    const refused = [
      ["/webhooks/whatsapp", {}],
      ["/webhooks/whatsapp", { "X-Hub-Signature-256": "sha256=abc" }],
      ["/webhooks/voice", {}],
      ["/webhooks/voice", { "ElevenLabs-Signature": `t=${now},v0=abc` }],
      ["/webhooks/voice", { "ElevenLabs-Signature": `t=${now - 3600},v0=${"0".repeat(64)}` }],
    ] as const;
    for (const [path, signature] of refused) {
      const response = await sendHalf(api, { path, headers: { ...declared, ...signature } });
      assert.match(response, /^HTTP\/1.1 401 /, `${path} ${JSON.stringify(signature)}`);
    }
  }));

Deno.test("an address that presents too many unknown keys waits; good keys and other addresses do not", () =>
  withApi(async (api) => {
    const guesses = Array.from({ length: MAX_REFUSALS }, (_, index) => `guess-${index}`);
    await askWith(api, api.key.key, "203.0.113.7");
    for (const guess of guesses) assert.equal((await askWith(api, guess, "203.0.113.7")).status, 401);

    const refused = await askWith(api, "one-more", "203.0.113.7:4711");
    assertRefused(refused, { status: 429, error: "rate_limit_exceeded" });
    assert.equal(refused.body.details.limit, MAX_REFUSALS);
    assert.ok(
      refused.body.retry_after > 0 && refused.body.retry_after <= 60,
      String(refused.body.retry_after),
    );
    const { key: neverUsed } = await api.addTenant().then((tenant) => tenant.key);
    const first = await askWith(api, neverUsed, "203.0.113.7");
    assert.deepEqual([first.status, first.body.retry_after], [429, 1]);
    await eventually(async () => {
      assert.equal((await askWith(api, neverUsed, "203.0.113.7")).status, 200);
    }, 10_000);
    assert.equal((await askWith(api, api.key.key, "203.0.113.7")).status, 200);
    assert.equal((await askWith(api, "one-more", "203.0.113.8")).status, 401);
  }, { env: { OUTBOUND_TRUSTED_PROXIES: "1" } }));

Deno.test("a right signature from an address lifts no limit on its keys, and its signatures pass on", () =>
  withApi(async (api) => {
    const body = JSON.stringify({ object: "whatsapp_business_account", entry: [] });
    const headers = {
      ...JSON_TYPE,
      "x-forwarded-for": "203.0.113.7",
      "x-hub-signature-256": signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, new TextEncoder().encode(body)),
    };
    const report = () => api.http.post("/webhooks/whatsapp", undefined, { headers, rawBody: body });
    assert.equal((await report()).status, 200);
    for (let index = 0; index < MAX_REFUSALS; index++) await askWith(api, `guess-${index}`, "203.0.113.7");

    assert.equal((await askWith(api, "one-more", "203.0.113.7")).status, 429);
    assert.equal((await report()).status, 200);
  }, { env: { OUTBOUND_TRUSTED_PROXIES: "1" } }));

Deno.test("all addresses of an IPv6 /64 count as one", () =>
  withApi(async (api) => {
    for (let index = 0; index < MAX_REFUSALS; index++) {
      await askWith(api, `guess-${index}`, `2001:db8:1:2::${index.toString(16)}`);
    }

    assert.equal((await askWith(api, "one-more", "[2001:db8:1:2:ffff::1]:443")).status, 429);
    assert.equal((await askWith(api, "one-more", "2001:db8:1:3::1")).status, 401);
  }, { env: { OUTBOUND_TRUSTED_PROXIES: "1" } }));

Deno.test("the same unknown key is not looked up again within a second", () =>
  withApi(async (api) => {
    const { key, hash } = newAccessKey(api.company.id);
    assert.equal((await askWith(api, key, "203.0.113.9")).status, 401);
    await api.sql`update outbound.api_keys set key_hash = ${hash} where id = ${api.key.id}`;

    assert.equal((await askWith(api, key, "203.0.113.9")).status, 401);
    await eventually(async () => assert.equal((await askWith(api, key, "203.0.113.9")).status, 200));
  }, { env: { OUTBOUND_TRUSTED_PROXIES: "1" } }));

/** Sends a chunked body in the given parts, each in a packet of its own, and returns the status. */
async function sendInParts({ url }: Api, path: string, parts: number[]): Promise<number> {
  const { port } = new URL(url);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(port) });
  connection.setNoDelay(true);
  const write = (text: string) => connection.write(new TextEncoder().encode(text));
  await write(
    `POST /functions/v1${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n` +
      "Transfer-Encoding: chunked\r\n\r\n",
  );
  for (const size of parts) await write(`${size.toString(16)}\r\n${" ".repeat(size)}\r\n`);
  await write("0\r\n\r\n");
  const buffer = new Uint8Array(4096);
  const size = await connection.read(buffer);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(new TextDecoder().decode(buffer.subarray(0, size ?? 0)))?.[1]);
}

Deno.test("a body is read to its end wherever its parts begin and end", () =>
  withApi(async (api) => {
    const path = "/auth?grant_type=password";
    for (const near of [1000, 1024, 4096, 8192, 16_384, 32_767]) {
      for (let size = near - 9; size <= near + 9 && size <= 32_768; size++) {
        assert.equal(await sendInParts(api, path, [size]), 400, `${size}`);
        if (size + 100 > 32_768) continue;
        assert.equal(await sendInParts(api, path, [size, 100]), 400, `${size} and 100`);
      }
    }
    assert.equal(await sendInParts(api, path, Array(400).fill(80)), 400);
    assert.equal(await sendInParts(api, path, Array(412).fill(80)), 413);
  }));

Deno.test("a body in hundreds of tiny parts is refused, and logged as no error", () =>
  withApi(async (api) => {
    const path = `/notify?access_key=${api.key.key}`;
    await api.notify();
    assert.equal(await sendInParts(api, path, Array(300).fill(1)), 400);
    await eventually(() => assert.equal(linesOf(api, "/notify").length, 2));
    assert.deepEqual(api.logs.filter((line) => JSON.parse(line).level === "error"), []);
  }));

Deno.test("small bodies are expected where small bodies are sent", () =>
  withApi(async ({ http }) => {
    const rawBody = JSON.stringify({ email: "a@b.example", password: "x".repeat(33_000) });
    const response = await http.post("/auth", undefined, {
      query: { grant_type: "password" },
      headers: JSON_TYPE,
      rawBody,
    });
    assertRefused(response, { status: 413, error: "payload_too_large", details: { limit_bytes: 32 * 1024 } });
  }));

Deno.test("a body of more than 20,000 values is refused, nested or flat", () =>
  withApi(async (api) => {
    const fields = Object.fromEntries(Array.from({ length: 20_001 }, (_, index) => [`a${index}.b`, 1]));
    for (const query of [{}, { unflatten: "true" }]) {
      const response = await api.http.post("/notify", fields, {
        query: { access_key: api.key.key, ...query },
      });
      assertRefused(response, { status: 400, error: "validation_failed" });
      assert.match(response.body.message, /more than 20000 values/);
    }
  }));

Deno.test("an upload that the client breaks off is not logged as an error", () =>
  withApi(async (api) => {
    await api.notify();
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(api.url).port) });
    const head = `POST /functions/v1/notify?access_key=${api.key.key} HTTP/1.1\r\nHost: x\r\n` +
      "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    await connection.write(new TextEncoder().encode(head));
    connection.close();

    await eventually(() => assert.equal(linesOf(api, "/notify").length, 2));
    assert.deepEqual(api.logs.filter((line) => JSON.parse(line).level === "error"), []);
  }));

function linesOf({ logs }: Api, route: string): string[] {
  return logs.filter((line) => JSON.parse(line).route === route);
}
