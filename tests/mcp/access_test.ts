import assert from "node:assert/strict";
import { KEY_PERMISSIONS } from "../../supabase/functions/_shared/access/permissions.ts";
import { createExpiringCache } from "../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import { insertCompany, insertKey, insertMember } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { seedCompany, type Seeded } from "./seed_company.ts";
import { type Mcp, type ToolAnswer, withMcp } from "./with_mcp.ts";

/** Every tool that names something, with arguments that name a seeded company's. */
function namingCalls(seeded: Seeded): Record<string, JsonObject> {
  const { campaign_id, template_id, event_id, notification_id, conversation_id } = seeded;
  return {
    get_campaign: { campaign_id },
    get_template: { template_id },
    get_delivery: { event_id },
    get_call: { notification_id },
    list_messages: { conversation_id },
    pause_campaign: { campaign_id },
    resume_campaign: { campaign_id },
    cancel_campaign: { campaign_id },
    replay_delivery: { event_id },
  };
}

/** A message that `send_test` sends. */
function messageOf({ company }: Mcp): JsonObject {
  return {
    contact: { number: "34600111222", name: "Ana" },
    recipient_id: company.sender.number,
    name_template: company.template.name,
    language_template: "en",
    notification_type: "utility",
    components_push: { body_text_0: "{{name}}", body_text_1: "A-1001" },
  };
}

const refusalOf = ({ isError, body }: ToolAnswer) => [isError, body.error, body.message];

Deno.test("what another company has is not found by any tool, and stays as it is", () =>
  withMcp(async (t) => {
    const seeded = await seedCompany(t);
    const other = await insertCompany(t.sql);
    const key = await insertKey(t.sql, other.id);
    await insertMember(t.sql, other.id, t.stranger.userId, "owner");
    const before = await t
      .sql`select * from outbound.campaigns where company_id = ${t.company.id} order by id`;
    const agents = [
      await t.connect(key.key, { write: "1" }),
      await t.connect(t.stranger.token, { write: "1", company_id: other.id }),
    ];
    for (const { use } of agents) {
      for (const [tool, args] of Object.entries(namingCalls(seeded))) {
        const { isError, body } = await use(tool, args);
        assert.deepEqual([isError, body.error], [true, "not_found"], tool);
      }
      const found = await use("find_recipient", { number: seeded.number });
      assert.deepEqual([found.isError, found.body.notifications], [false, []]);
      for (const list of ["campaigns", "templates", "senders", "deliveries", "calls", "conversations"]) {
        assert.deepEqual((await use(`list_${list}`)).body[list], [], list);
      }
      const filtered = await use("list_calls", { campaign_id: seeded.campaign_id });
      assert.deepEqual(filtered.body.calls, []);
      const sent = await use("send_test", { ...messageOf(t), dry_run: true });
      assert.equal(sent.isError, true);
    }
    const after = await t
      .sql`select * from outbound.campaigns where company_id = ${t.company.id} order by id`;
    assert.deepEqual(after, before);
  }));

Deno.test("with API access off, an agent of a key or a member reads and stops, and begins nothing", () =>
  withMcp(async (t) => {
    const seeded = await seedCompany(t);
    await t.sql`update outbound.companies set api_access = false where id = ${t.company.id}`;
    const off = [true, "forbidden", "API access is switched off for this company"];
    for (const token of [t.company.key.key, t.members.owner.token]) {
      const { use } = await t.connect(token, { write: "1", company_id: t.company.id });
      for (const [tool, args] of Object.entries({ ...namingCalls(seeded), send_test: messageOf(t) })) {
        const answer = await use(tool, args);
        const isRefused = ["resume_campaign", "replay_delivery", "send_test"].includes(tool);
        assert.equal(JSON.stringify(refusalOf(answer)) === JSON.stringify(off), isRefused, tool);
      }
    }
  }));

Deno.test("a company that is not one's own is not found, whether the URL or an argument names it", () =>
  withMcp(async (t) => {
    const elsewhere = { company_id: (await insertCompany(t.sql)).id };
    const own = { company_id: t.company.id };
    const notFound = [true, "not_found", "Company not found"];
    const { token } = t.members.owner;

    assert.deepEqual(refusalOf(await (await t.connect(token)).use("list_senders", elsewhere)), notFound);
    assert.deepEqual(refusalOf(await (await t.connect(token, elsewhere)).use("list_senders")), notFound);
    assert.deepEqual(refusalOf(await (await t.connect(token, elsewhere)).use("list_senders", own)), notFound);
    const { key } = t.company.key;
    assert.deepEqual(refusalOf(await (await t.connect(key)).use("list_senders", elsewhere)), notFound);
    assert.deepEqual(refusalOf(await (await t.connect(key, elsewhere)).use("list_senders")), notFound);
    assert.equal((await (await t.connect(key, own)).use("list_senders", own)).isError, false);
    assert.equal((await (await t.connect(token)).use("list_senders", own)).isError, false);
  }));

Deno.test("the company in the URL limits an agent to it", () =>
  withMcp(async (t) => {
    const second = await insertCompany(t.sql);
    await insertMember(t.sql, second.id, t.members.owner.userId, "owner");
    const { use } = await t.connect(t.members.owner.token, { company_id: t.company.id });

    assert.deepEqual(refusalOf(await use("list_senders", { company_id: second.id })), [
      true,
      "not_found",
      "Company not found",
    ]);
  }));

Deno.test("an agent of a user who names no company is shown the user's companies", () =>
  withMcp(async (t) => {
    const { use } = await t.connect(t.members.viewer.token);
    const { isError, body } = await use("list_senders");

    assert.deepEqual([isError, body.error, body.details.field], [true, "validation_failed", "company_id"]);
    const named = body.details.companies.map((row: JsonObject) => [row.company_id, row.role]);
    assert.ok(named.some(([id, role]: string[]) => id === t.company.id && role === "viewer"));
  }));

Deno.test("a viewer's agent reads and changes nothing; an operator's may", () =>
  withMcp(async (t) => {
    const seeded = await seedCompany(t);
    const query = { write: "1", company_id: t.company.id };
    const viewer = await t.connect(t.members.viewer.token, query);
    const writes: Record<string, JsonObject> = {
      send_test: { ...messageOf(t), idempotency_key: "a" },
      ...Object.fromEntries(
        Object.entries(namingCalls(seeded)).filter(([tool]) => /^(pause|resume|cancel|replay)_/.test(tool)),
      ),
    };
    for (const [tool, args] of Object.entries(writes)) {
      const { isError, body } = await viewer.use(tool, args);
      assert.deepEqual([isError, body.error, body.details], [true, "forbidden", {
        role: "viewer",
        required: "operator",
      }], tool);
    }
    const [audit] = await t
      .sql`select count(*)::int from outbound.audit_log where company_id = ${t.company.id}`;
    assert.equal(audit!.count, 0);
    const operator = await t.connect(t.members.operator.token, query);
    for (const [tool, args] of Object.entries(writes)) {
      const { isError, body } = await operator.use(tool, args);
      assert.ok(!isError, `${tool}: ${JSON.stringify(body)}`);
    }
  }));

Deno.test("a key needs the permission of a tool, and of a campaign's channel", () =>
  withMcp(async (t) => {
    const seeded = await seedCompany(t);
    const use = async (permissions: string[], tool: string, args: JsonObject = {}) => {
      await t.sql`update outbound.api_keys set permissions = ${permissions} where id = ${t.company.key.id}`;
      const { body } = await (await t.connect(t.company.key.key, { write: "1" })).use(tool, args);
      return body;
    };
    const { notification_id, campaign_id } = seeded;
    const [, voice] = await t.sql`
      select channel, id from outbound.campaigns where company_id = ${t.company.id} order by channel = 'voice'`;

    const single: [tool: string, permission: string, args?: JsonObject][] = [
      ["list_templates", "templates"],
      ["list_senders", "senders"],
      ["list_deliveries", "webhooks"],
      ["list_conversations", "conversations"],
      ["list_calls", "calls"],
      ["get_call", "calls", { notification_id }],
      ["find_recipient", "contacts", { number: seeded.number }],
      ["find_person", "contacts", { number: seeded.number }],
      ["list_contacts", "people"],
    ];
    for (const [tool, permission, args] of single) {
      const others = KEY_PERMISSIONS.filter((each) => each !== permission);
      const refused = await use(others, tool, args);
      assert.deepEqual([refused.error, refused.details], ["forbidden", { permission }], tool);
      assert.equal((await use([permission], tool, args)).error, undefined, tool);
    }
    assert.equal((await use(["contacts"], "list_campaigns")).error, "forbidden");
    const chatOnly = await use(["chatapp_notifications"], "list_campaigns");
    assert.deepEqual(chatOnly.campaigns.map((row: JsonObject) => row.campaign_id), [campaign_id]);
    for (const tool of ["get_campaign", "cancel_campaign"]) {
      const refused = await use(["chatapp_notifications"], tool, { campaign_id: voice!.id });
      assert.equal(refused.error, "forbidden", tool);
    }
    const asked = await use(["chatapp_notifications"], "list_campaigns", { channel: "voice" });
    assert.equal(asked.error, "forbidden");
    assert.equal((await use(["voice_notifications"], "send_test", messageOf(t))).error, "forbidden");
  }));

Deno.test("POST /mcp names in its 401 where agents get access tokens, and shows it to any caller", () =>
  withMcp(async (t) => {
    const message = { jsonrpc: "2.0", id: 1, method: "ping" };
    const refused = [
      await t.http.post("/mcp", message),
      await t.http.post("/mcp", message, { headers: { authorization: "Bearer outbound_unknown" } }),
      await t.http.post("/mcp", message, { headers: { authorization: "Bearer a.b.c" } }),
    ];

    for (const { status, headers } of refused) {
      assert.equal(status, 401);
      const [, url] = /^Bearer resource_metadata="([^"]+)"$/.exec(headers.get("www-authenticate") ?? "")!;
      const { pathname, origin } = new URL(url!);
      assert.equal(pathname, "/functions/v1/mcp/.well-known/oauth-protected-resource");
      const shown = await t.http.get(pathname.slice("/functions/v1".length));
      assert.deepEqual([shown.status, shown.body], [200, {
        resource: `${origin}/functions/v1/mcp`,
        authorization_servers: [`${t.env.SUPABASE_URL}/auth/v1`],
        bearer_methods_supported: ["header"],
      }]);
    }
  }));

Deno.test("an agent is led to the issuer of the tokens, also where the service reaches it at another address", () => {
  const issuer = "https://login.example.com/auth/v1";
  const tokenIssuer = createExpiringCache(() => Promise.resolve(issuer), { ttlMs: 60_000, maxEntries: 1 });
  return withMcp(async (t) => {
    const { body } = await t.http.get("/mcp/.well-known/oauth-protected-resource");

    assert.deepEqual(body.authorization_servers, [issuer]);
    assert.ok(t.env.SUPABASE_URL !== undefined && !issuer.startsWith(t.env.SUPABASE_URL));
  }, { services: { tokenIssuer } });
});
