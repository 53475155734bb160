import assert from "node:assert/strict";
import { signWebhook } from "../../local/sandbox/webhooks/webhook_sender.ts";
import { signVoiceWebhook } from "../../local/sandbox/voice/voice_webhook_sender.ts";
import { voiceBody } from "../e2e/with_voice_api.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import { claim, enqueue, finish, insertSendingCompany, messageId } from "../setup/fixtures/queue.ts";
import { insertAgent, insertMember, insertVoiceSender } from "../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { VOICE_WEBHOOK_SECRET } from "../setup/stack/sandbox.ts";
import { TEST_ENV } from "../setup/stack/services.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";
import { type CountedService, withCountedService } from "./with_counted_service.ts";

/** The path of all that belongs to the company of an access key. */
const MINE = "/manage/companies/mine";

/** Round trips of one request to a warm process, with what it starts after its answer; every statement is prepared. */
const TRIPS = {
  "POST /notify": 1,
  "POST /notify, 100 contacts": 1,
  "POST /notify, a new Idempotency-Key": 1,
  "POST /notify, an Idempotency-Key once more": 1,
  "POST /notify, 100 contacts for a campaign": 1,
  "POST /notify, for a campaign, a new Idempotency-Key": 1,
  "POST /notify/voice": 1,
  "GET /notify/status": 1,
  "GET …/campaigns/{campaign_id}/recipients": 3,
  "POST …/campaigns/{campaign_id}/pause": 4,
  "POST …/campaigns/{campaign_id}/resume": 4,
  "POST …/campaigns/{campaign_id}/cancel": 4,
  "GET /notify/templates": 1,
  "GET /notify/template/components": 1,
  "GET …/contacts/suppressions": 2,
  "POST …/contacts/suppressions": 2,
  "DELETE …/contacts/suppressions": 2,
  "GET …/contacts/consents": 2,
  "POST …/contacts/consents": 3,
  "GET …/contacts/export": 8,
  "POST …/contacts/erase": 3,
  "POST /webhooks/whatsapp, 1 status": 1,
  "POST /webhooks/whatsapp, 100 statuses": 1,
  "POST /webhooks/voice": 2,
  "POST /auth": 2,
  "POST /api_keys": 2,
  // One per second, however many ask.
  "GET /health": 0,
  "GET /widget": 1,
  "POST /widget/conversations": 3,
  "POST /widget/conversations/…/messages, visitor": 3,
  "POST /widget/conversations/…/messages, operator": 3,
  "GET /widget/conversations/…/messages, visitor": 2,
  "POST /widget/conversations/…/typing": 3,
  "GET /voice-widget": 1,
};

type Calls = Partial<Record<keyof typeof TRIPS, () => Promise<TestAnswer<JsonObject>>>>;

/** Inserts a company that may send messages and make calls, with what its requests name. */
async function insertCaller({ direct }: CountedService) {
  const company = await insertSendingCompany(direct, { key: { rate_limit: 100_000 } });
  const voiceSender = await insertVoiceSender(direct, company.id);
  const agent = await insertAgent(direct, company.id);
  const template = { ...company.template, language: "en", company_id: company.id, waba_id: "" };
  return { ...company, template, voiceSender, agent, query: { access_key: company.key.key } };
}

type Caller = Awaited<ReturnType<typeof insertCaller>>;

async function notifying({ http }: CountedService, caller: Caller): Promise<Calls> {
  const { query } = caller;
  const { body: { inquiry_set_id: campaign_id } } = await http.post("/notify", notifyBody(caller), { query });
  const add = (changes: JsonObject, headers: Record<string, string> = {}) =>
    http.post("/notify", notifyBody(caller, changes), {
      query: { ...query, campaign_id, more: "true" },
      headers,
    });
  const notify = (changes: JsonObject, headers: Record<string, string> = {}) =>
    http.post("/notify", notifyBody(caller, changes), { query, headers });
  const contacts = Array.from(
    { length: 100 },
    (_, index) => ({ number: `346001112${index + 10}`, name: "A" }),
  );
  return {
    "POST /notify": () => notify({}),
    "POST /notify, 100 contacts": () => notify({ contact: undefined, contacts }),
    "POST /notify, a new Idempotency-Key": () => notify({}, { "idempotency-key": crypto.randomUUID() }),
    "POST /notify, an Idempotency-Key once more": () => notify({}, { "idempotency-key": "once-more" }),
    "POST /notify, 100 contacts for a campaign": () => add({ contact: undefined, contacts }),
    "POST /notify, for a campaign, a new Idempotency-Key": () =>
      add({}, { "idempotency-key": crypto.randomUUID() }),
    "POST /notify/voice": () => http.post("/notify/voice", voiceBody(caller), { query }),
  };
}

async function looking({ http, direct }: CountedService, caller: Caller): Promise<Calls> {
  const { campaignId: campaign_id } = await enqueue(direct, caller, { count: 20, dueInS: 3600 });
  const query = { ...caller.query, campaign_id };
  const campaign = `${MINE}/campaigns/${campaign_id}`;
  const control = (what: string) => () =>
    http.post(`${campaign}/${what}`, undefined, { query: caller.query });
  return {
    "GET /notify/status": () => http.get("/notify/status", { query }),
    "GET …/campaigns/{campaign_id}/recipients": () =>
      http.get(`${campaign}/recipients`, { query: caller.query }),
    "POST …/campaigns/{campaign_id}/pause": control("pause"),
    "POST …/campaigns/{campaign_id}/resume": control("resume"),
    "POST …/campaigns/{campaign_id}/cancel": control("cancel"),
    "GET /notify/templates": () =>
      http.get("/notify/templates", { query: { ...caller.query, phone_number: caller.sender.number } }),
    "GET /notify/template/components": () =>
      http.get("/notify/template/components", { query: { ...caller.query, template: caller.template.name } }),
    "GET /health": () => http.get("/health"),
  };
}

function recording({ http, direct }: CountedService, { id, query }: Caller): Calls {
  const number = "34600111299";
  const scope = { number, channel: "any", category: "marketing" };
  const consent = { ...scope, status: "granted", method: "paper", consented_at: "2026-01-01T00:00:00Z" };
  return {
    "GET …/contacts/suppressions": () => http.get(`${MINE}/contacts/suppressions`, { query }),
    "POST …/contacts/suppressions": () =>
      http.post(`${MINE}/contacts/suppressions`, { suppressions: [{ number }] }, { query }),
    "DELETE …/contacts/suppressions": async () => {
      const again = [{ ...scope, source: "api", at: new Date().toISOString() }];
      await direct`select outbound.suppress_contacts(${id}, ${direct.json(again)})`;
      return await http.request("DELETE", `${MINE}/contacts/suppressions`, scope, { query });
    },
    "GET …/contacts/consents": () => http.get(`${MINE}/contacts/consents`, { query }),
    "POST …/contacts/consents": () =>
      http.post(`${MINE}/contacts/consents`, { consents: [consent] }, { query }),
    "GET …/contacts/export": () => http.get(`${MINE}/contacts/export`, { query: { ...query, number } }),
    "POST …/contacts/erase": () => http.post(`${MINE}/contacts/erase`, { number }, { query }),
  };
}

/** Webhook requests, each about notifications that had no event before. */
async function reporting({ http, direct }: CountedService, caller: Caller): Promise<Calls> {
  const { ids } = await enqueue(direct, caller, { count: 2000 });
  await finish(direct, await claim(direct, { limit: 2000 }), { outcome: "sent" });
  const unreported = ids.values();
  const conversations = Array.from({ length: 20 }, (_, index) => `conv_${index}`).values();
  const post = (path: string, body: JsonObject, sign: (bytes: Uint8Array) => Record<string, string>) => {
    const rawBody = JSON.stringify(body);
    const headers = { "content-type": "application/json", ...sign(new TextEncoder().encode(rawBody)) };
    return http.post(path, undefined, { rawBody, headers });
  };
  const whatsapp = (count: number) => {
    const statuses = [...unreported.take(count)].map((id) => ({
      ...{ id: messageId(id), status: "delivered", timestamp: "1790000000", recipient_id: "34600111222" },
    }));
    assert.equal(statuses.length, count);
    const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "200" }, statuses };
    const entry = [{ id: "100", changes: [{ field: "messages", value }] }];
    return post("/webhooks/whatsapp", { object: "whatsapp_business_account", entry }, (bytes) => ({
      "x-hub-signature-256": signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, bytes)!,
    }));
  };
  return {
    "POST /webhooks/whatsapp, 1 status": () => whatsapp(1),
    "POST /webhooks/whatsapp, 100 statuses": () => whatsapp(100),
    "POST /webhooks/voice": () => {
      const at = Math.floor(Date.now() / 1000);
      const data = {
        agent_id: "agent_demo1",
        conversation_id: conversations.next().value,
        failure_reason: "busy",
      };
      const body = { type: "call_initiation_failure", event_timestamp: at, data };
      return post("/webhooks/voice", body, (bytes) => ({
        "elevenlabs-signature": signVoiceWebhook(VOICE_WEBHOOK_SECRET, bytes, at)!,
      }));
    },
  };
}

async function loggingIn(
  { http, direct, createUser, logIn }: CountedService,
  caller: Caller,
): Promise<Calls> {
  const user = await createUser();
  await insertMember(direct, caller.id, user.id);
  const headers = { authorization: `Bearer ${await logIn(user)}` };
  const { email, password } = user;
  return {
    "POST /auth": () => http.post("/auth", { email, password }, { query: { grant_type: "password" } }),
    "POST /api_keys": () => http.post("/api_keys", undefined, { headers }),
  };
}

async function chatting({ http, direct }: CountedService, caller: Caller): Promise<Calls> {
  const [chat, voice] = [
    await insertWidget(direct, caller.id),
    await insertWidget(direct, caller.id, { kind: "voice" }),
  ];
  const query = { ...caller.query, widget_id: chat.id };
  const visitor = { "x-forwarded-for": "198.51.100.7" };
  const open = () =>
    http.post("/widget/conversations", { user_id: crypto.randomUUID() }, { query, headers: visitor });
  const { body: { conversation_id, visitor_token } } = await open();
  const path = `/widget/conversations/${conversation_id}`;
  const headers = { ...visitor, authorization: `Bearer ${visitor_token}` };
  const message = () => ({ client_message_id: crypto.randomUUID(), text: "Hello" });
  return {
    "GET /widget": () => http.get("/widget", { query }),
    "POST /widget/conversations": open,
    "POST /widget/conversations/…/messages, visitor": () =>
      http.post(`${path}/messages`, message(), { headers }),
    "POST /widget/conversations/…/messages, operator": () =>
      http.post(`${path}/messages`, message(), { query: caller.query }),
    "GET /widget/conversations/…/messages, visitor": () => http.get(`${path}/messages`, { headers }),
    "POST /widget/conversations/…/typing": () =>
      http.post(`${path}/typing`, { is_typing: true }, { headers }),
    "GET /voice-widget": () => http.get("/voice-widget", { query: { ...caller.query, id_widget: voice.id } }),
  };
}

Deno.test("every request takes the round trips it is known to take, with prepared statements only", () =>
  withCountedService(async (t) => {
    const caller = await insertCaller(t);
    const calls: Calls = {
      ...await notifying(t, caller),
      ...await looking(t, caller),
      ...recording(t, caller),
      ...await reporting(t, caller),
      ...await loggingIn(t, caller),
      ...await chatting(t, caller),
    };

    const found: Record<string, number | string> = {};
    for (const name of Object.keys(TRIPS) as (keyof typeof TRIPS)[]) {
      const { trips, parses } = await t.warmCost(async () => {
        const { status, body } = await calls[name]!();
        assert.ok(status < 300, `${name}: ${status} ${JSON.stringify(body)}`);
      });
      found[name] = parses === 0 ? trips : `${trips}, and ${parses} statements parsed anew each time`;
    }

    assert.deepEqual(found, TRIPS);
  }));

Deno.test("requests to notify that arrive together share round trips", () =>
  withCountedService(async (t) => {
    const caller = await insertCaller(t);
    const together = async () => {
      const responses = await Promise.all(
        Array.from({ length: 32 }, () => t.http.post("/notify", notifyBody(caller), { query: caller.query })),
      );
      assert.ok(responses.every(({ status }) => status === 200));
    };

    const { trips } = await t.warmCost(together);

    assert.ok(trips <= 4, `${trips} round trips`);
  }));

Deno.test("additions to one campaign that arrive together share round trips", () =>
  withCountedService(async (t) => {
    const caller = await insertCaller(t);
    const first = await t.http.post("/notify", notifyBody(caller), { query: caller.query });
    const query = { ...caller.query, campaign_id: first.body.inquiry_set_id };
    const together = async () => {
      const responses = await Promise.all(
        Array.from({ length: 32 }, () => t.http.post("/notify", notifyBody(caller), { query })),
      );
      assert.ok(responses.every(({ status }) => status === 200));
    };

    const { trips } = await t.warmCost(together);

    assert.ok(trips <= 4, `${trips} round trips`);
  }));

/** Keys that the database refuses. */
const REFUSALS: Record<string, { status: number; prepare: string }> = {
  "over its rate": { status: 429, prepare: "update outbound.api_keys set rate_limit = 1" },
  "over its quota": { status: 429, prepare: "update outbound.api_keys set daily_quota = 0" },
  "without the permission": { status: 403, prepare: "update outbound.api_keys set permissions = '{}'" },
  "of a company without API access": {
    status: 403,
    prepare: "update outbound.companies set api_access = false",
  },
  "that is revoked": { status: 401, prepare: "update outbound.api_keys set is_active = false" },
};

Deno.test("a key that was refused a moment ago costs the database nothing", async (test) => {
  for (const [name, { status, prepare }] of Object.entries(REFUSALS)) {
    await test.step(name, () =>
      withCountedService(async (t) => {
        const caller = await insertCaller(t);
        const notify = async () => {
          const response = await t.http.post("/notify", notifyBody(caller), { query: caller.query });
          return response.status;
        };
        assert.equal(await notify(), 200);
        await t.direct.unsafe(prepare);
        // In a minute that does not end during the test.
        await t
          .direct`update outbound.usage set window_start = date_trunc('minute', now()) + interval '1 minute'`;
        assert.equal(await notify(), status);

        const { trips } = await t.cost(async () => {
          for (let request = 0; request < 10; request++) assert.equal(await notify(), status);
        });

        assert.equal(trips, 0);
      }));
  }
});
