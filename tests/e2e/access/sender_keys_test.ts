import assert from "node:assert/strict";
import { ROUTE_ACCESS } from "../../../supabase/functions/manage/route_access.ts";
import {
  insertAgent,
  insertKey,
  insertSender,
  insertTemplate,
  insertVoiceSender,
} from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { assertRefused } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";
import { keyOperations } from "./key_operations.ts";

const MINE = "/manage/companies/mine";
const UNLIMITED = { rate_limit: 100_000 };

/** A company with the senders A, its tenant's, and B, each with a campaign, and a key for each of them. */
async function withTwoSenders(
  fn: (api: Api, two: { a: Side; b: Side }) => Promise<void>,
): Promise<void> {
  await withApi(async (api) => {
    const { sql, company } = api;
    await sql`update outbound.api_keys set rate_limit = 100000 where id = ${api.key.id}`;
    const sender = await insertSender(sql, company.id);
    const template = await insertTemplate(sql, { company_id: company.id, waba_id: sender.waba_id });
    const a = await sideOf(api, "a", api);
    await fn(api, { a, b: await sideOf(api, "b", { sender, template }) });
  });
}

type Side = Awaited<ReturnType<typeof sideOf>>;

async function sideOf(api: Api, name: string, { sender, template }: Pick<Api, "sender" | "template">) {
  const { sql, company } = api;
  const { key } = await insertKey(sql, company.id, { ...UNLIMITED, name, sender_ids: [sender.id] });
  const body = notifyBody({ sender, template }, { campaign_name: `Of ${name}` });
  const { body: sent } = await api.notify(body);
  const campaign: string = sent.inquiry_set_id;
  const [message] = await sql`select id from outbound.notifications where campaign_id = ${campaign}`;
  return { sender, template, key, body, campaign, message: message!.id as string };
}

/** Requests that a key of a sender may make about it; each is about the given side. */
const OPEN: Record<string, (api: Api, key: string, side: Side) => Promise<TestAnswer<JsonObject>>> = {
  "POST /notify": ({ http }, key, { body }) => http.post("/notify", body, { query: { access_key: key } }),
  "POST /notify, dry run": ({ http }, key, { body }) =>
    http.post("/notify", body, { query: { access_key: key, dry_run: "true" } }),
  "POST /notify, bulk": ({ http }, key, { body: { contact, ...body } }) =>
    http.post("/notify", { ...body, contacts: [contact] }, { query: { access_key: key } }),
  "GET /notify/status": ({ http }, key, { campaign }) =>
    http.get("/notify/status", { query: { access_key: key, campaign_id: campaign } }),
  "GET /notify/templates": ({ http }, key, { sender }) =>
    http.get("/notify/templates", { query: { access_key: key, phone_number: sender.number } }),
  "GET /notify/template/components": ({ http }, key, { template }) =>
    http.get("/notify/template/components", { query: { access_key: key, template: template.id } }),
  ...Object.fromEntries(
    Object.entries(ROUTE_ACCESS).filter(([, access]) => "checksSender" in access).map(([name]) => [
      name,
      ({ http }, key, side) => {
        const [method, path] = name.split(" ") as [string, string];
        const target = path.replace("{campaign_id}", side.campaign).replace("{notification_id}", side.message)
          .replace("{sender_id}", side.sender.id);
        return http.request(method, `${MINE}${target}`, BODIES[name] ?? (method === "GET" ? undefined : {}), {
          query: { access_key: key },
          headers: method === "PUT" ? { "if-match": "*" } : {},
        });
      },
    ]),
  ),
};

const BODIES: Record<string, JsonObject> = {
  "POST /campaigns/{campaign_id}/move": { datetime_sending: "2999-01-01T00:00:00" },
  "PUT /senders/{sender_id}/rate": { rate_per_second: 1 },
};

Deno.test("a key of a sender opens everything about it, and nothing about another of its company", () =>
  withTwoSenders(async (api, { a, b }) => {
    for (const [name, ask] of Object.entries(OPEN)) {
      const isNotFound = /status|components/.test(name);
      await assertNothingStored(api.sql, async () => {
        const { status, body } = await ask(api, a.key, b);
        assert.equal(status, isNotFound ? 404 : 403, `${name}: ${JSON.stringify(body)}`);
        assert.ok(!JSON.stringify(body).includes(b.sender.number), name);
        if (!isNotFound) assert.equal(body.message, "This access key may not use this sender", name);
      });
      const { status, body } = await ask(api, b.key, b);
      assert.ok(![401, 403, 404].includes(status), `${name}: ${status} ${JSON.stringify(body)}`);
    }
  }));

Deno.test("a key of a sender opens no other route that takes a key", () =>
  withTwoSenders(async (api, { a }) => {
    const open = new Set(Object.keys(OPEN).map((each) => each.split(",")[0]!).concat("POST /notify/voice"));
    const closed = (await keyOperations(api)).filter(({ name }) => !open.has(name));
    assert.ok(closed.length > 90, `${closed.length} closed routes`);
    for (const { name, path, ask } of closed) {
      const { status, body } = await ask(a.key);
      // MCP reports the refusals of its tools within a response, and widgets know no such key.
      const isRefused = path === "/mcp" || status === 403 || (status === 401 && path.includes("widget"));
      assert.ok(isRefused, `${name}: ${status} ${JSON.stringify(body)}`);
    }
  }));

Deno.test("a tool of an agent with a key of a sender is refused", () =>
  withTwoSenders(async ({ http }, { a, b }) => {
    for (const args of [{ campaign_id: b.campaign }, { campaign_id: a.campaign }]) {
      const call = {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "get_campaign", arguments: args },
      };
      const { body } = await http.post("/mcp", call, {
        headers: { authorization: `Bearer ${a.key}`, accept: "application/json, text/event-stream" },
      });
      assert.match(JSON.stringify(body), /limited to some senders/);
    }
  }));

Deno.test("a request that names no sender of the company goes out by a sender of the key, or is refused", () =>
  withTwoSenders(async (api, { a, b }) => {
    const { contact, ...body } = b.body;
    const { body: sent } = await api.http.post("/notify", {
      ...body,
      recipient_id: "Unknown",
      contacts: [contact],
    }, {
      query: { access_key: b.key },
    });
    const [campaign] = await api
      .sql`select sender_id from outbound.campaigns where id = ${sent.inquiry_set_id}`;
    assert.equal(campaign!.sender_id, b.sender.id);
    const unknown = await api.http.post("/notify", { ...a.body, recipient_id: "34900000000" }, {
      query: { access_key: a.key },
    });
    assertRefused(unknown, { status: 400, error: "validation_failed" });
  }));

Deno.test("POST /notify/voice refuses a caller that the key may not use, named or implied", () =>
  withApi(async (api) => {
    const { sql, company, http, sender } = api;
    const [line, other] = [
      await insertVoiceSender(sql, company.id),
      await insertVoiceSender(sql, company.id),
    ];
    const agent = await insertAgent(sql, company.id);
    const ask = async (senderId: string, recipient_id: string) => {
      const { key } = await insertKey(sql, company.id, { name: "Calls", sender_ids: [senderId] });
      const root = {
        agent_id: agent.platform_agent_id,
        recipient_id,
        notification_type: "marketing",
        campaign_name: "Calls",
      };
      const query = { access_key: key };
      const contact = { number: "34600111222" };
      return [
        await http.post("/notify/voice", { ...root, contact }, { query }),
        await http.post("/notify/voice", { ...root, contacts: [contact] }, { query }),
      ].map(({ status }) => status);
    };
    assert.deepEqual(await ask(line.id, line.number), [200, 200]);
    assert.deepEqual(await ask(line.id, other.number), [403, 403]);
    assert.deepEqual(await ask(sender.id, "Unknown"), [400, 403]);
  }));

Deno.test("a key of a sender adds to no campaign of another, and gets no first response of its", () =>
  withTwoSenders(async (api, { a, b }) => {
    const headers = { "idempotency-key": "order-1" };
    await api.http.post("/notify", b.body, { query: { access_key: b.key }, headers });
    const replay = await api.http.post("/notify", b.body, { query: { access_key: a.key }, headers });
    assert.deepEqual([replay.status, replay.headers.get("idempotent-replayed")], [403, null]);
    const added = await api.http.post("/notify", a.body, {
      query: { access_key: a.key, campaign_id: b.campaign },
    });
    assert.deepEqual([added.status, added.body.message], [404, "Campaign not found"]);
  }));

Deno.test("a key that loses a sender stops sending by it with the very next request", () =>
  withTwoSenders(async (api, { a, b }) => {
    const send = () => api.http.post("/notify", a.body, { query: { access_key: a.key } });
    assert.equal((await send()).status, 200);
    await api.sql`update outbound.api_keys set sender_ids = ${[b.sender.id]} where name = 'a'`;
    assert.equal((await send()).status, 403);
    await api.sql`update outbound.api_keys set sender_ids = ${[a.sender.id]} where name = 'a'`;
    assert.equal((await send()).status, 200);
  }));
