import assert from "node:assert/strict";
import { createRefusedKeys } from "../../supabase/functions/_shared/access/refused_keys.ts";
import type { JsonObject, TestAnswer, TestRequestOptions } from "../setup/http/http.ts";
import { type Mcp, withMcp } from "./with_mcp.ts";

const CONSOLE = "https://console.acme.test";

function post(
  { http, company }: Mcp,
  body: unknown,
  { headers, ...options }: TestRequestOptions = {},
): Promise<TestAnswer<JsonObject>> {
  const authorization = `Bearer ${company.key.key}`;
  return http.post("/mcp", body, { ...options, headers: { authorization, ...headers } });
}

const request = (method: string, params?: JsonObject) => ({ jsonrpc: "2.0", id: 1, method, params });

Deno.test("the server introduces itself, without a session", () =>
  withMcp(async (t) => {
    const { server, capabilities, instructions, pong } = await t.connect(t.company.key.key);

    assert.equal(server.name, "outbound");
    assert.deepEqual(capabilities, { tools: {} });
    assert.match(instructions, /never instructions/);
    assert.deepEqual(pong, {});
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    };
    const answer = await post(t, request("initialize", params));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("mcp-session-id"), null);
    assert.match(answer.headers.get("content-type")!, /^application\/json/);
    assert.match(answer.headers.get("ratelimit")!, /requests/);
    const accepted = await post(t, { jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual([accepted.status, accepted.body], [202, null]);
  }));

Deno.test("a message that is none gets a fault of JSON-RPC", () =>
  withMcp(async (t) => {
    const json = { "content-type": "application/json" };
    const faults: [string, number][] = [
      ["", -32700],
      ["{", -32700],
      ["nonsense", -32700],
      ["[]", -32600],
      [JSON.stringify([request("ping"), request("ping")]), -32600],
      ["1", -32600],
      ["null", -32600],
      ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32700],
      ["{}", -32700],
      [`{"jsonrpc":"2.0","id":1,"method":"ping","params":${"[".repeat(20)}${"]".repeat(20)}}`, -32600],
    ];
    for (const [rawBody, code] of faults) {
      const { status, body } = await post(t, undefined, { rawBody, headers: json });
      assert.deepEqual([status, body.id, body.error.code], [400, null, code], rawBody);
    }
    const plain = await post(t, undefined, { rawBody: "{}", headers: { "content-type": "text/plain" } });
    assert.deepEqual([plain.status, plain.body.error.code], [400, -32600]);
    const version = { "mcp-protocol-version": "1999-01-01" };
    assert.equal((await post(t, request("tools/list"), { headers: version })).status, 400);
  }));

Deno.test("an unknown method, an unknown tool and a tool that is not there get errors of JSON-RPC", () =>
  withMcp(async (t) => {
    const codeOf = async (method: string, params?: JsonObject) =>
      (await post(t, request(method, params))).body.error.code;

    assert.equal(await codeOf("resources/list"), -32601);
    assert.equal(await codeOf("constructor"), -32601);
    assert.equal(await codeOf("tools/call", { name: "drop_tables" }), -32602);
    assert.equal(await codeOf("tools/call", { name: "toString" }), -32602);
    const { body } = await post(t, request("tools/call", { name: "cancel_campaign" }));
    assert.deepEqual([body.error.code, /write=1/.test(body.error.message)], [-32602, true]);
  }));

Deno.test("wrong arguments are a tool's result, with the field", () =>
  withMcp(async (t) => {
    const { use } = await t.connect(t.company.key.key);
    const wrong: [string, JsonObject, string][] = [
      ["get_campaign", {}, "campaign_id"],
      ["get_campaign", { campaign_id: "'; drop table" }, "campaign_id"],
      ["get_campaign", { campaign_id: null }, "campaign_id"],
      ["list_campaigns", { chanel: "voice" }, "chanel"],
      ["list_campaigns", { limit: "10" }, "limit"],
      ["list_campaigns", { after: "x" }, "after"],
      ["list_senders", { company_id: 1 }, "company_id"],
      ["find_recipient", { number: "+34 600" }, "number"],
      ["find_recipient", {}, "number"],
      ["get_delivery", { event_id: "evt_1" }, "event_id"],
      ["list_conversations", { after: "1-x" }, "after"],
    ];
    for (const [tool, args, field] of wrong) {
      const { isError, body } = await use(tool, args);
      const seen = [isError, body.error, body.details?.field];
      assert.deepEqual(seen, [true, "validation_failed", field], `${tool} ${JSON.stringify(body)}`);
      assert.match(body.request_id, /^req_/);
    }
  }));

Deno.test("only the console's pages may use the tools, and programs", () =>
  withMcp(async (t) => {
    const withOrigin = (origin: string) => post(t, request("tools/list"), { headers: { origin } });

    assert.equal((await withOrigin(CONSOLE)).status, 200);
    for (const origin of ["https://evil.test", "null", "http://localhost:3000", `${CONSOLE}.evil.test`]) {
      const { status, body } = await withOrigin(origin);
      assert.deepEqual([status, body.error], [403, "forbidden"], origin);
    }
  }, { env: { OUTBOUND_CONSOLE_URL: `${CONSOLE}/app/` } }));

Deno.test("a stranger is refused before the body is read", () =>
  withMcp(async (t) => {
    const large = { rawBody: "x".repeat(40_000) };
    const authorizations = [
      "",
      "Bearer",
      "Bearer nonsense",
      "Basic eA==",
      "Bearer outbound_unknown",
      "Bearer pk_x",
    ];
    for (const authorization of authorizations) {
      const { status, body } = await post(t, undefined, { ...large, headers: { authorization } });
      assert.deepEqual([status, body.error], [401, "unauthorized"], authorization);
    }
    const { status } = await t.http.post("/mcp", request("tools/list"));
    assert.equal(status, 401);
  }));

Deno.test("a key in the URL is refused, also a good one", () =>
  withMcp(async (t) => {
    const query = { access_key: t.company.key.key };
    const alone = await t.http.post("/mcp", request("tools/list"), { query });
    const both = await post(t, request("tools/list"), { query });

    assert.deepEqual([alone.status, both.status], [401, 401]);
    assert.match(both.body.message, /URLs end up in logs/);
  }));

Deno.test("a URL that does not fit, and a body that is too large, are refused", () =>
  withMcp(async (t) => {
    for (
      const query of [{ write: "true" }, { write: "" }, { company_id: "acme" }] as Record<string, string>[]
    ) {
      const { status, body } = await post(t, request("tools/list"), { query });
      assert.deepEqual([status, body.error], [400, "validation_failed"], JSON.stringify(query));
    }
    const { status, body } = await post(t, { ...request("ping"), params: { x: "x".repeat(40_000) } });
    assert.deepEqual([status, body.error], [413, "payload_too_large"]);
  }));

Deno.test("GET and DELETE get a 405: there are no streams and no sessions", () =>
  withMcp(async (t) => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const { status, headers } = await t.http.request(method, "/mcp", undefined, {
        headers: { authorization: `Bearer ${t.company.key.key}`, accept: "text/event-stream" },
      });
      assert.deepEqual([status, headers.get("allow")], [405, "POST"], method);
    }
  }));

Deno.test("every message counts against the rate of the key", () =>
  withMcp(async (t) => {
    await t.sql`update outbound.api_keys set rate_limit = 2 where id = ${t.company.key.id}`;
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await post(t, request("ping"))).status);

    assert.deepEqual(statuses, [200, 200, 429]);
  }));

Deno.test("a key that the database refused is refused from memory for a second", () =>
  withMcp(async (t) => {
    const clock = { ms: 0 };
    t.services.refusedKeys = createRefusedKeys(() => clock.ms);
    const limit = (perMinute: number) => t.sql`update outbound.api_keys set rate_limit = ${perMinute}`;
    const ping = async () => await post(t, request("ping"));
    const status = async () => (await ping()).status;

    await limit(1);
    // A refusal in the last seconds of a minute ends too early for the steps below.
    const lasts = ({ status, headers }: Awaited<ReturnType<typeof ping>>) =>
      status === 429 && Number(headers.get("retry-after")) > 5;
    while (!lasts(await ping())) clock.ms += 1000; // else a refusal that does not last would be repeated without end
    await limit(600);
    assert.equal(await status(), 429);
    clock.ms += 1000;
    assert.equal(await status(), 200);
  }));

Deno.test("a fault of the service is a tool's result without its text", () =>
  withMcp(async (t) => {
    await t.sql`alter table outbound.contact_threads rename to gone`;
    const { use } = await t.connect(t.company.key.key);
    const { isError, body } = await use("list_conversations");
    await t.sql`alter table outbound.gone rename to contact_threads`;

    assert.equal(isError, true);
    assert.ok(["service_unavailable", "internal_error"].includes(body.error), body.error);
    assert.doesNotMatch(JSON.stringify(body), /contact_threads|outbound\./);
  }));
