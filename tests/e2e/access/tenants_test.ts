import assert from "node:assert/strict";
import { READ_TOOLS, WRITE_TOOLS } from "../../../supabase/functions/mcp/tools/all_tools.ts";
import { newSessionToken } from "../../../supabase/functions/_shared/widgets/session_token.ts";
import {
  insertAgent,
  insertMember,
  insertVoiceSender,
  TEST_SECRETS_KEY,
} from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { createTemplate } from "../templates/create_template.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { openChat } from "../widgets/open_chat.ts";
import { withVoicePlatforms } from "../voice_platforms.ts";
import { type Api, type Tenant, withApi } from "../with_api.ts";

/** Every tenant-owned table; a request of another company must leave its rows alone. */
const TABLES = [
  "companies",
  "company_members",
  "api_keys",
  "senders",
  "templates",
  "voice_agents",
  "campaigns",
  "resends",
  "notifications",
]
  .concat("usage", "idempotency_keys", "delivery_attempts", "platform_events", "template_submissions")
  .concat("widgets", "publishable_keys", "conversations", "conversation_messages")
  .concat("knowledge_documents", "handoffs", "voice_feedback")
  .concat("suppressions", "consents", "user_ids", "contact_messages", "contact_rules", "erased_contacts")
  .concat("marketing_cooldowns", "marketing_sends", "audit_log", "campaign_drafts", "test_recipients")
  .concat("contact_threads", "conversation_notes", "canned_replies", "media_files");

/** All rows of a company, as one text to compare; without what is written a moment after a request. */
async function rowsOf({ sql }: Api, companyId: string): Promise<string> {
  const tables = await Promise.all(TABLES.map((table) => {
    const column = sql(table === "companies" ? "id" : "company_id");
    return sql`select to_jsonb(t) - 'last_used_address' as row from ${
      sql(`outbound.${table}`)
    } as t where ${column} = ${companyId} order by 1`;
  }));
  return JSON.stringify(tables);
}

/** A company with something of everything, and every id, number and name it goes by. */
async function addVictim(api: Api): Promise<{ tenant: Tenant; names: Record<string, string> }> {
  const tenant = await api.addTenant();
  const { company, key, sender, template } = tenant;
  const headers = { "idempotency-key": "victims-key" };
  const body = notifyBody(tenant, {
    campaign_name: "Secret campaign",
    metadata: { note: "Secret metadata" },
    contact: { number: "34611111111", name: "Vic" },
  });
  const { body: { inquiry_set_id } } = await api.http.post("/notify", body, {
    query: { access_key: key.key },
    headers,
  });
  const { user_id } = await insertMember(api.sql, company.id);
  const voiceSender = await insertVoiceSender(api.sql, company.id);
  const agent = await insertAgent(api.sql, company.id);
  const [row] = await api.sql`
    select n.id, t.platform_template_id as template from outbound.notifications as n, outbound.templates as t
    where n.company_id = ${company.id} and t.id = ${template.id}`;
  const query = { access_key: key.key };
  const person = { number: "34611111111", channel: "voice", category: "marketing" };
  await api.http.post("/manage/companies/mine/contacts/suppressions", { suppressions: [person] }, { query });
  const evidence = { status: "granted", method: "paper", detail: "A secret form" };
  const consents = [{ ...person, ...evidence, channel: "any", consented_at: "2026-01-01T00:00:00Z" }];
  await api.http.post("/manage/companies/mine/contacts/consents", { consents }, { query });
  await api.http.post("/manage/companies/mine/contacts/erase", { number: "34633333333" }, { query });
  await api.sql`select outbound.link_user_id(${company.id}, 'ES.9000Victim', '34611111111', null, now())`;
  const [suppression] = await api.sql`select id from outbound.suppressions where company_id = ${company.id}`;
  const [consent] = await api.sql`select id from outbound.consents where company_id = ${company.id}`;
  await api.sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
    values (${company.id}, gen_random_uuid(), ${sender.id}, 'in', '34611111111', 'text', 'A secret reply', 'received',
      now())`;
  const [thread] = await api.sql`select id from outbound.contact_threads where company_id = ${company.id}`;
  const [note] = await api.sql`
    insert into outbound.conversation_notes (company_id, id, conversation_id, actor, text)
    values (${company.id}, gen_random_uuid(), ${thread!.id}, 'cli', 'A secret note') returning id`;
  const [canned] = await api.sql`
    insert into outbound.canned_replies (company_id, id, shortcut, text, created_by)
    values (${company.id}, gen_random_uuid(), 'secret', 'A secret text', 'cli') returning id`;
  const [media] = await api.sql`
    insert into outbound.media_files (company_id, id, kind, content_type, bytes, sha256, file_name, created_by)
    values (${company.id}, gen_random_uuid(), 'image', 'image/png', 1, repeat('0', 64), 'secret.png', 'cli')
    returning id`;
  const chat = await openChat({ ...api, ...tenant });
  const message = await chat.say("A secret of the visitor's");
  const voice = await insertWidget(api.sql, company.id, { kind: "voice" });
  const handoff = crypto.randomUUID();
  await api.sql`
    select outbound.request_handoff(${company.id}, ${handoff}, ${voice.id}, gen_random_uuid(), 'conv_victim', null,
      null, 'room')`;
  const draft = { name: "Secret draft", plan: { channel: "whatsapp", campaign_name: "Secret plan" } };
  const drafted = await api.http.post("/manage/companies/mine/campaigns/drafts", draft, { query });
  await api.sql`
    insert into outbound.test_recipients (company_id, number, name) values (${company.id}, '34644444444', 'Secret')`;
  const names = {
    draft: drafted.body.draft_id,
    ...{ company: company.id, companyName: company.name, keyId: key.id, user: user_id },
    ...{
      senderId: sender.id,
      number: sender.number,
      phoneNumberId: sender.platform_id,
      account: sender.waba_id!,
    },
    ...{ voiceSenderId: voiceSender.id, voiceNumber: voiceSender.number, callerId: voiceSender.platform_id },
    ...{ agentId: agent.id, platformAgent: agent.platform_agent_id },
    ...{ templateId: template.id, templateName: template.name, platformTemplate: row!.template },
    ...{
      campaign: inquiry_set_id,
      notification: row!.id,
      contact: "34611111111",
      idempotencyKey: "victims-key",
    },
    ...{ chatWidget: chat.widget.id, voiceWidget: voice.id, conversation: chat.id, visitor: chat.userId },
    ...{ suppression: suppression!.id, consent: consent!.id, userId: "ES.9000Victim", erased: "34633333333" },
    ...{ message: message.body.message.id, handoff, voiceConversation: "conv_victim" },
    ...{ thread: thread!.id, note: note!.id, canned: canned!.id, media: media!.id },
  };
  return { tenant, names };
}

type Slot = (api: Api, name: string) => Promise<TestAnswer<JsonObject>>;

/** A call of the company's own, changed as given; it makes the sender and the agent it needs. */
const call = (change: (name: string) => JsonObject): Slot => async (api, name) => {
  const { http, key, sql, company } = api;
  const [agent] =
    await sql`select platform_agent_id as id from outbound.voice_agents where company_id = ${company.id}`;
  const agent_id = agent?.id ?? (await insertAgent(sql, company.id)).id;
  const [sender] = await sql`
    select number from outbound.senders where company_id = ${company.id} and channel = 'voice'`;
  const recipient_id = sender?.number ?? (await insertVoiceSender(sql, company.id)).number;
  const contact = { number: "34622222222" };
  const body = { contact, agent_id, recipient_id, notification_type: "marketing", campaign_name: "Calls" };
  return await http.post("/notify/voice", { ...body, ...change(name) }, { query: { access_key: key.key } });
};

const get = (path: string, parameter: string): Slot => ({ http, key }, name) =>
  http.get(path, { query: { access_key: key.key, [parameter]: name } });

/** Requests about widgets, with the company's own key or the token of a session of its own. */
const widget = (path: string, parameter: string): Slot => async ({ http, key, sql, company }, name) => {
  const { id } = await insertWidget(sql, company.id, { kind: path.startsWith("/voice") ? "voice" : "chat" });
  const query = {
    access_key: key.key,
    customer_id: key.key,
    widget_id: id,
    id_widget: id,
    [parameter]: name,
  };
  return await http.get(path, { query });
};

const session = (method: string, path: string, parameter: string): Slot => async (api, name) => {
  const { id } = await insertWidget(api.sql, api.company.id, { kind: "voice" });
  const made = {
    companyId: api.company.id,
    widgetId: id,
    agentId: "agent_test",
    sessionId: id,
    now: new Date(),
  };
  const { token } = await newSessionToken(TEST_SECRETS_KEY, made);
  const headers = { authorization: `Bearer ${token}` };
  if (method === "GET") return await api.http.get(path, { headers, query: { [parameter]: name } });
  const body = { query: "secret", conversation_id: "conv_mine", rating: 5, [parameter]: name };
  return await api.http.post(path, body, {
    headers,
    query: { id_widget: parameter === "id_widget" ? name : id },
  });
};

const conversation = (method: string, route: string): Slot => async ({ http, key }, name) => {
  const path = `/widget/conversations/${encodeURIComponent(name)}/${route}`;
  const body = { client_message_id: crypto.randomUUID(), text: "Mine", is_typing: true };
  const query = { access_key: key.key };
  return method === "GET" ? await http.get(path, { query }) : await http.post(path, body, { query });
};

const contacts =
  (method: string, path: string, body: (name: string) => unknown): Slot => ({ http, key }, name) =>
    http.request(method, `/manage/companies/mine/contacts/${path}`, body(name), {
      query: { access_key: key.key },
    });

const TEST_MESSAGE = {
  recipient_id: "34600000000",
  name_template: "unknown",
  language_template: "en",
  notification_type: "utility",
  idempotency_key: "mine",
};

const LIFT = { channel: "any", category: "all", method: "paper", consented_at: "2026-11-01T00:00:00Z" };
const CONSENT = { channel: "any", status: "granted", method: "paper", consented_at: "2026-11-01T00:00:00Z" };

/** A tool of an agent, with the company's own key. */
const tool =
  (name: string, argument: string, more: JsonObject = {}): Slot => async ({ http, key }, value) => {
    const params = { name, arguments: { ...more, [argument]: value } };
    const headers = { authorization: `Bearer ${key.key}` };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    return await http.post("/mcp", message, { headers, query: { write: "1" } });
  };

/** Every argument of every tool for agents, by the schemas that check them. */
const TOOL_SLOTS: Record<string, Slot> = Object.fromEntries(
  [...READ_TOOLS, ...WRITE_TOOLS].flatMap(({ name, input }) =>
    [...Object.keys(input.shape), "company_id"].map((argument) => {
      const more = name === "send_test" ? { ...TEST_MESSAGE, contact: { number: "34622222222" } } : {};
      return [`${name} ${argument}`, tool(name, argument, more)];
    })
  ),
);

const NEW_MESSAGE = {
  recipient_id: "34600000000",
  name_template: "unknown",
  language_template: "en",
  notification_type: "utility",
};

/** The inbox and the files, with the company's own key: `METHOD path parameter`, with `*` for the name in a path. */
const INBOX_SLOTS: Record<string, Slot> = Object.fromEntries(
  ([
    ["GET", "conversations/*"],
    ["GET", "conversations/*/messages"],
    ["GET", "conversations/*/notes"],
    ["POST", "conversations/*/notes", () => ({ text: "Mine" })],
    ["PUT", "conversations/*/labels", () => ({ labels: ["mine"] })],
    ["POST", "conversations/*/reply", () => ({ text: "Mine" })],
    ["GET", "conversations?label=*"],
    ["GET", "conversations/search?q=*"],
    [
      "POST",
      "conversations",
      (name) => ({ ...NEW_MESSAGE, contact: { number: "34622222222" }, recipient_id: name }),
    ],
    ["PUT", "canned_replies/*", () => ({ shortcut: "mine", text: "Mine" })],
    ["DELETE", "canned_replies/*"],
    ["GET", "canned_replies?after=*"],
    ["GET", "media/*"],
    ["GET", "media/*/content"],
    ["POST", "media/*/link"],
    ["DELETE", "media/*"],
    ["GET", "media?after=*"],
    [
      "POST",
      "contacts/replies",
      (media_id) => ({ number: "34611111111", media: { type: "image", media_id } }),
    ],
  ] as [string, string, ((name: string) => unknown)?][]).map(([method, route, body]) => {
    const slot: Slot = ({ http, key }, name) => {
      const [path, search] = route.replace("*", encodeURIComponent(name)).split("?");
      const query = { ...Object.fromEntries(new URLSearchParams(search)), access_key: key.key };
      return http.request(method, `/manage/companies/mine/${path}`, body?.(name), { query });
    };
    return [`${method} ${route}`, slot];
  }),
);

/** Every route about one campaign. */
const CAMPAIGN_SLOTS: Record<string, Slot> = Object.fromEntries(
  [
    "GET ",
    "GET /recipients",
    "GET /failures",
    "GET /pricing",
    "POST /pause",
    "POST /cancel",
    "POST /resend",
    "POST /copy",
    "POST /edit",
  ]
    .map((route) => {
      const [method, path] = route.split(" ") as [string, string];
      const slot: Slot = ({ http, key }, name) =>
        http.request(
          method,
          `/manage/companies/mine/campaigns/${encodeURIComponent(name)}${path}`,
          undefined,
          {
            query: { access_key: key.key },
          },
        );
      return [`${method} campaign_id${path}`, slot];
    }),
);

/** Every parameter and field of every route where a client names something. */
const SLOTS: Record<string, Slot> = {
  ...TOOL_SLOTS,
  ...INBOX_SLOTS,
  "notify header_image": ({ notify }, name) => notify({ components_push: { header_image: `media:${name}` } }),
  "status campaign_id": get("/notify/status", "campaign_id"),
  ...CAMPAIGN_SLOTS,
  "move campaign_id": ({ http, key }, name) =>
    http.post(
      `/manage/companies/mine/campaigns/${encodeURIComponent(name)}/move`,
      { datetime_sending: "2099-01-31T09:00:00" },
      { query: { access_key: key.key } },
    ),
  "draft_id": ({ http, key }, name) =>
    http.get(`/manage/companies/mine/campaigns/drafts/${encodeURIComponent(name)}`, {
      query: { access_key: key.key },
    }),
  "draft test": ({ http, key }, name) =>
    http.post(`/manage/companies/mine/campaigns/drafts/${encodeURIComponent(name)}/test`, {}, {
      query: { access_key: key.key },
    }),
  "notifications number": get("/manage/companies/mine/contacts/notifications", "number"),
  "notifications user_id": get("/manage/companies/mine/contacts/notifications", "user_id"),
  "notifications campaign_id": ({ http, key }, name) =>
    http.get("/manage/companies/mine/contacts/notifications", {
      query: { access_key: key.key, campaign_id: name, number: "34611111111" },
    }),
  "notifications after": ({ http, key }, name) =>
    http.get("/manage/companies/mine/contacts/notifications", {
      query: { access_key: key.key, number: "34611111111", after: name },
    }),
  "company_id": ({ http, key }, name) =>
    http.get(`/manage/companies/${encodeURIComponent(name)}/campaigns`, { query: { access_key: key.key } }),
  "resend codes": async ({ http, key, notify }, name) => {
    const { body } = await notify();
    const path = `/manage/companies/mine/campaigns/${body.inquiry_set_id}/resend`;
    return await http.post(path, { codes: [name], campaign_name: name }, { query: { access_key: key.key } });
  },
  "notify metadata": ({ notify }, name) => notify({ metadata: { name } }),
  "templates phone_number": get("/notify/templates", "phone_number"),
  "components template": get("/notify/template/components", "template"),
  "components language": ({ http, key, template }, name) =>
    http.get("/notify/template/components", {
      query: { access_key: key.key, template: template.name, language: name },
    }),
  "notify recipient_id": ({ notify }, name) => notify({ recipient_id: name }),
  "notify recipient_id, bulk": ({ notify }, name) =>
    notify({ recipient_id: name, contact: undefined, contacts: [{ number: "34622222222", name: "Me" }] }),
  "notify name_template": ({ notify }, name) => notify({ name_template: name }),
  "notify campaign_name": ({ notify }, name) => notify({ campaign_name: name }),
  "notify name_event": ({ notify }, name) => notify({ name_event: name }),
  "notify reference": ({ notify }, name) =>
    notify({ components_push: { body_text_0: "x", body_text_1: `{{${name}}}` } }),
  "notify Idempotency-Key": ({ notify }, name) =>
    notify({}, { headers: { "idempotency-key": name.replaceAll(" ", "") } }),
  "voice agent_id": call((name) => ({ agent_id: name })),
  "voice recipient_id": call((name) => ({ recipient_id: name })),
  "voice reference": call((name) => ({ note: `{{${name}}}` })),
  "notify access_key": ({ notify }, name) => notify({}, { query: { access_key: name } }),
  "status access_key": ({ http }, name) =>
    http.get("/notify/status", { query: { access_key: name, campaign_id: name } }),
  "templates access_key": ({ http }, name) =>
    http.get("/notify/templates", { query: { access_key: name, phone_number: "1" } }),
  "components access_key": ({ http }, name) =>
    http.get("/notify/template/components", { query: { access_key: name, template: name } }),
  "suppressions number": get("/manage/companies/mine/contacts/suppressions", "number"),
  "suppressions user_id": get("/manage/companies/mine/contacts/suppressions", "user_id"),
  "suppressions after": get("/manage/companies/mine/contacts/suppressions", "after"),
  "suppressions access_key": ({ http }, name) =>
    http.get("/manage/companies/mine/contacts/suppressions", { query: { access_key: name } }),
  "suppress number": contacts("POST", "suppressions", (number) => ({ suppressions: [{ number }] })),
  "suppress user_id": contacts("POST", "suppressions", (user_id) => ({ suppressions: [{ user_id }] })),
  "suppress detail": contacts("POST", "suppressions", (detail) => ({
    suppressions: [{ number: "34622222222", detail }],
  })),
  "lift number": contacts("DELETE", "suppressions", (number) => ({ number, ...LIFT })),
  "lift user_id": contacts("DELETE", "suppressions", (user_id) => ({ user_id, ...LIFT })),
  "consents number": get("/manage/companies/mine/contacts/consents", "number"),
  "consents user_id": get("/manage/companies/mine/contacts/consents", "user_id"),
  "consents after": get("/manage/companies/mine/contacts/consents", "after"),
  "consent number": contacts("POST", "consents", (number) => ({ consents: [{ number, ...CONSENT }] })),
  "consent user_id": contacts("POST", "consents", (user_id) => ({ consents: [{ user_id, ...CONSENT }] })),
  "export number": get("/manage/companies/mine/contacts/export", "number"),
  "export user_id": get("/manage/companies/mine/contacts/export", "user_id"),
  "erase number": contacts("POST", "erase", (number) => ({ number })),
  "erase user_id": contacts("POST", "erase", (user_id) => ({ user_id })),
  "create company_id": (api, name) => createTemplate(api, { company_id: name }),
  "create waba_id": (api, name) => createTemplate(api, { waba_id: name }),
  "create name_template": (api, name) => createTemplate(api, { name_template: name }),
  "create text": (api, name) =>
    createTemplate(api, {
      name_template: `named_${crypto.randomUUID().slice(0, 8)}`,
      components_template: { BODY: { text: `About ${name}` } },
    }),
  "create Idempotency-Key": (api, name) =>
    createTemplate(api, {}, { headers: { "idempotency-key": name.replaceAll(" ", "") } }),
  "create access_key": (api, name) => createTemplate(api, {}, { query: { access_key: name } }),
  "create token": (api, name) =>
    api.http.post("/admin/chatapp/create/template", {}, {
      headers: { authorization: `Bearer ${name.replaceAll(" ", "")}` },
    }),
  "widget widget_id": widget("/widget", "widget_id"),
  "widget access_key": widget("/widget", "access_key"),
  "web view widget_id": widget("/widgetWebView", "widget_id"),
  "web view customer_id": widget("/widgetWebView", "customer_id"),
  "web view path": ({ http, key }, name) => http.get(`/widgetWebView/${key.key}/${encodeURIComponent(name)}`),
  "voice id_widget": widget("/voice-widget", "id_widget"),
  "session agent": async ({ http, key, sql, company }, name) => {
    const agent_id = name.replaceAll(/[^\w-]/g, "_");
    const { id } = await insertWidget(sql, company.id, { kind: "voice", config: { agent_id } });
    return await http.get("/voice-widget/signed-url", { query: { access_key: key.key, id_widget: id } });
  },
  "session id_widget": widget("/voice-widget/signed-url", "id_widget"),
  "conversations widget_id": ({ http, key }, name) =>
    http.post("/widget/conversations", { user_id: crypto.randomUUID() }, {
      query: { access_key: key.key, widget_id: name },
    }),
  "conversations user_id": async ({ http, key, sql, company }, name) =>
    http.post("/widget/conversations", { user_id: name }, {
      query: { access_key: key.key, widget_id: (await insertWidget(sql, company.id)).id },
    }),
  "conversation messages": conversation("GET", "messages"),
  "conversation events": conversation("GET", "events"),
  "conversation message": conversation("POST", "messages"),
  "conversation typing": conversation("POST", "typing"),
  "search query": session("POST", "/voice-widget/search", "query"),
  "search id_widget": session("POST", "/voice-widget/search", "id_widget"),
  "feedback conversation_id": session("POST", "/voice-widget/feedback", "conversation_id"),
  "handoff conversation_id": session("POST", "/voice-widget/handoff", "conversation_id"),
  "handoff end": session("POST", "/voice-widget/handoff/end", "handoff_id"),
  "handoff join": ({ http, key }, handoff_id) =>
    http.post("/voice-widget/handoff/join", { handoff_id }, { query: { access_key: key.key } }),
  "chat by conversation": session("GET", "/voice-widget/chat-by-conversation", "conversation_id"),
  "api_keys token": ({ http }, name) =>
    http.post("/api_keys", {}, { headers: { authorization: `Bearer ${name.replaceAll(" ", "")}` } }),
};

Deno.test("no id, number or name of another company shows its data or changes it, in any parameter or field of any route", () =>
  withVoicePlatforms(({ env }) =>
    withApi(async (api) => {
      const { tenant, names } = await addVictim(api);
      const before = await rowsOf(api, tenant.company.id);
      const known = [...Object.values(names), tenant.key.key, tenant.sender.token, "Secret campaign"]
        .concat(
          "Secret draft",
          "Secret plan",
          "Secret metadata",
          "A secret of the visitor's",
          "A secret form",
          "A secret reply",
          "A secret note",
          "A secret text",
          "secret.png",
        );

      for (const [slot, request] of Object.entries(SLOTS)) {
        for (const [kind, name] of Object.entries(names)) {
          const { status, body } = await request(api, name);
          const label = `${slot} = ${kind}: ${status} ${JSON.stringify(body)}`;
          const leaked = known.filter((secret) => secret !== name && JSON.stringify(body).includes(secret));
          assert.ok(status < 500, label);
          assert.deepEqual(leaked, [], label);
        }
      }
      assert.equal(await rowsOf(api, tenant.company.id), before);
      const foreign = await api.sql`
      select 1 from outbound.campaigns where sender_id = ${tenant.sender.id} and company_id <> ${tenant.company.id}`;
      assert.equal(foreign.length, 0);
    }, { env })
  ));

Deno.test("another company's data gets the same response as data that does not exist", () =>
  withApi(async (api) => {
    const { names } = await addVictim(api);
    const expected: [slot: string, kinds: string[], status: number, refusal: unknown][] = [
      ["status campaign_id", ["campaign"], 404, "Campaign not found"],
      ...Object.keys(CAMPAIGN_SLOTS).map((slot): [string, string[], number, string] => [
        slot,
        ["campaign"],
        404,
        "not_found",
      ]),
      ["company_id", ["company"], 404, "not_found"],
      ...["GET conversations/*/notes", "POST conversations/*/notes", "PUT conversations/*/labels"]
        .map((
          slot,
        ): [string, string[], number, string] => [slot, ["thread", "conversation"], 404, "not_found"]),
      ["PUT canned_replies/*", ["canned"], 404, "not_found"],
      ["DELETE canned_replies/*", ["canned"], 404, "not_found"],
      ["GET media/*", ["media"], 404, "not_found"],
      ["POST media/*/link", ["media"], 404, "not_found"],
      ["DELETE media/*", ["media"], 404, "not_found"],
      ["components template", ["templateId", "templateName", "platformTemplate"], 404, "template_not_found"],
      ["templates phone_number", ["number"], 200, undefined],
      ["notify recipient_id", ["senderId", "number", "phoneNumberId"], 400, "validation_failed"],
      ["notify name_template", ["templateName"], 404, "template_not_found"],
      ["create company_id", ["company"], 403, "forbidden"],
      ["create waba_id", ["account"], 403, "forbidden"],
      ["voice agent_id", ["agentId", "platformAgent"], 404, "agent_not_found"],
      ["session agent", ["agentId", "platformAgent"], 404, "agent_not_found"],
      [
        "voice recipient_id",
        ["voiceSenderId", "voiceNumber", "callerId", "senderId"],
        400,
        "validation_failed",
      ],
    ];
    for (const [slot, kinds, status, refusal] of expected) {
      for (const kind of kinds) {
        const response = await SLOTS[slot]!(api, names[kind]!);
        assert.equal(response.status, status, `${slot} = ${kind}`);
        assert.equal(response.body.error ?? response.body.message, refusal, `${slot} = ${kind}`);
        if (status === 200) assert.deepEqual(response.body, []);
      }
    }
  }));

Deno.test("a bulk request that labels itself with another company's sender goes out through its own", () =>
  withApi(async (api) => {
    const { tenant } = await addVictim(api);
    const contacts = [{ number: "34622222222", name: "Me" }];
    for (const recipient_id of [tenant.sender.id, tenant.sender.number, tenant.sender.platform_id]) {
      assert.equal((await api.notify({ recipient_id, contact: undefined, contacts })).status, 200);
    }
    const used = await api.sql`
      select distinct sender_id from outbound.notifications where company_id = ${api.company.id}`;

    assert.deepEqual(used.map(({ sender_id }) => sender_id), [api.sender.id]);
  }));

Deno.test("companies with a template of the same name each send their own", () =>
  withApi(async (api) => {
    const other = await api.addTenant();
    await api
      .sql`update outbound.templates set name = 'same', components = '[{"type":"BODY","text":"Other {{1}}"}]'
      where id = ${other.template.id}`;
    await api.sql`update outbound.templates set name = 'same' where id = ${api.template.id}`;
    const names = async ({ key }: Tenant) => {
      const query = { access_key: key.key, template: "same" };
      return (await api.http.get("/notify/template/components", { query })).body.components;
    };

    assert.deepEqual(await names(api), ["body_text_0", "body_text_1"]);
    assert.deepEqual(await names(other), ["body_text_0"]);
    assert.equal((await api.notify({ name_template: "same" })).status, 200);
  }));
