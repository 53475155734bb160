import assert from "node:assert/strict";
import { signWebhook } from "../../local/sandbox/webhooks/webhook_sender.ts";
import { writeReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { insertCompany, insertSender, insertTemplate } from "../setup/fixtures/fixtures.ts";
import { BASE_PATH, type JsonObject, type TestAnswer } from "../setup/http/http.ts";
import { refuseEvents } from "./refuse_events.ts";
import { eventually } from "../setup/eventually.ts";
import { TEST_ENV, type TestServices, withServices } from "../setup/stack/services.ts";
import {
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  messageId,
  statusesOf,
} from "../setup/fixtures/queue.ts";

const PATH = "/webhooks/whatsapp";
/** The platform's ids of the sender that events are about. */
const SENDER = { platform_id: "200", waba_id: "100" };

function statusesBody(statuses: JsonObject[]): JsonObject {
  const value = {
    messaging_product: "whatsapp",
    metadata: { phone_number_id: SENDER.platform_id },
    statuses,
  };
  return {
    object: "whatsapp_business_account",
    entry: [{ id: SENDER.waba_id, changes: [{ field: "messages", value }] }],
  };
}

function status(id: string, overrides: JsonObject = {}): JsonObject {
  return { id, status: "delivered", timestamp: "1790000000", recipient_id: "34600111222", ...overrides };
}

async function post(
  { http }: TestServices,
  body: JsonObject | string,
  { secret = TEST_ENV.WHATSAPP_APP_SECRET, signature }: { secret?: string; signature?: string } = {},
): Promise<TestAnswer<JsonObject>> {
  const rawBody = typeof body === "string" ? body : JSON.stringify(body);
  const signed = signature ?? signWebhook(secret, new TextEncoder().encode(rawBody));
  const headers = { "content-type": "application/json", ...(signed && { "x-hub-signature-256": signed }) };
  return await http.post(PATH, undefined, { rawBody, headers });
}

async function storedEvents({ sql }: TestServices): Promise<JsonObject[]> {
  return [...await sql`select * from outbound.platform_events order by id`];
}

Deno.test("POST /webhooks/whatsapp stores and applies what the platform reports", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql, { sender: SENDER });
    const { ids } = await enqueue(t.sql, company, { count: 2 });
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    const reference = writeReference({ companyId: company.id, notificationId: ids[0]!, fence: 1 });

    const response = await post(
      t,
      statusesBody([
        status("wamid.not_written_down", { biz_opaque_callback_data: reference }),
        status(messageId(ids[1]!), { status: "failed", errors: [{ code: 131026, title: "Undeliverable" }] }),
      ]),
    );

    assert.deepEqual([response.status, response.body], [200, { success: true }]);
    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, ids), ["delivered", "failed"]));
  }));

Deno.test("POST /webhooks/whatsapp refuses what the platform did not sign, and stores nothing", () =>
  withServices(async (t) => {
    const body = JSON.stringify(statusesBody([status("wamid.A")]));
    const bytes = new TextEncoder().encode(body);
    const good = signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, bytes);

    const responses = [
      await post(t, body, { secret: "another-secret" }),
      await post(t, body, { signature: "" }),
      await post(t, body, { signature: good.slice(0, -1) }),
      await post(t, body, { signature: good.replace("sha256=", "sha1=") }),
      await post(t, body, { signature: `sha256=${"0".repeat(64)}` }),
      await post(t, body, { signature: "sha256=zz" }),
      await post(t, `${body} `, { signature: good }),
    ];

    assert.deepEqual(responses.map((response) => response.status), responses.map(() => 401));
    assert.ok(responses.every((response) => response.body.error === "unauthorized"));
    assert.deepEqual(await storedEvents(t), []);
  }));

for (const secret of ["that of another app", ""]) {
  Deno.test(`POST /webhooks/whatsapp records that it refused an event of ours while its secret is '${secret}'`, () =>
    withServices(async (t) => {
      const company = await insertSendingCompany(t.sql);
      const { ids } = await enqueue(t.sql, company);
      const reference = writeReference({ companyId: company.id, notificationId: ids[0]!, fence: 1 });

      const response = await post(
        t,
        statusesBody([status("wamid.A", { biz_opaque_callback_data: reference })]),
        {
          secret: "the platform's",
        },
      );

      assert.equal(response.status, 401);
      await eventually(async () => {
        const rows = await t
          .sql`select company_id, waba_id, refused_at > event_at as refused from outbound.account_signals`;
        assert.deepEqual([...rows], [{
          company_id: company.id,
          waba_id: company.sender.waba_id,
          refused: true,
        }]);
      });
    }, { env: { WHATSAPP_APP_SECRET: secret } }));
}

Deno.test("POST /webhooks/whatsapp confirms a probe, once it was signed with our secret", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await enqueue(t.sql, company);
    await finish(t.sql, await claim(t.sql), { outcome: "unknown" });
    const [begun] = await t.sql`select outbound.begin_webhook_probe('0 s') as nonce`;
    const probe = { object: "outbound_probe", nonce: begun!.nonce };
    const cameBack = async () =>
      (await t.sql`
      select returned_at = begun_at as came_back from outbound.webhook_probe`)[0]!.came_back;

    const forged = await post(t, probe, { secret: "a stranger's" });
    const afterForged = await cameBack();
    const other = await post(t, { ...probe, nonce: crypto.randomUUID() });
    const afterOther = await cameBack();
    const signed = await post(t, probe);

    assert.deepEqual([forged.status, other.status, signed.status], [401, 200, 200]);
    assert.deepEqual([afterForged, afterOther, await cameBack()], [false, false, true]);
  }));

Deno.test("POST /webhooks/whatsapp refuses everything while no secret is set", () =>
  withServices(async (t) => {
    const response = await post(t, statusesBody([status("wamid.A")]), { secret: "x" });

    assert.equal(response.status, 401);
  }, { env: { WHATSAPP_APP_SECRET: "" } }));

Deno.test("POST /webhooks/whatsapp refuses signed nonsense and passes over what it does not know", () =>
  withServices(async (t) => {
    const broken = await post(t, "{");
    const unknown = [
      await post(t, "[]"),
      await post(t, "null"),
      await post(t, { object: "page", entry: [{ id: "1", changes: [{ field: "feed", value: {} }] }] }),
      await post(t, statusesBody([status("wamid.A", { status: "warning" }), { status: 7 }, status("")])),
    ];

    assert.equal(broken.status, 400);
    assert.deepEqual(unknown.map((response) => response.status), [200, 200, 200, 200]);
    assert.deepEqual(await storedEvents(t), []);
  }));

Deno.test("POST /webhooks/whatsapp keeps what it knows of an event with unknown and broken fields", () =>
  withServices(async (t) => {
    await insertSendingCompany(t.sql, { sender: SENDER });

    const response = await post(t, {
      new_field: 1,
      ...statusesBody([
        status("wamid.A", { timestamp: "never", recipient_id: "", recipient_user_id: "US.1", pricing: 7 }),
        status("wamid.\u0000B"),
        status("wamid.C", { biz_opaque_callback_data: "another service's" }),
        status("wamid.D", { biz_opaque_callback_data: "\ud800" }),
      ]),
    });

    assert.equal(response.status, 200);
    const events = await storedEvents(t);
    assert.deepEqual(events.map((event) => [event.platform_message_id, event.notification_id]), [
      ["wamid.A", null],
      ["wamid.D", null],
    ]);
  }));

Deno.test("POST /webhooks/whatsapp takes a thousand updates in one call, and the same call again", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql, { sender: SENDER });
    const { ids } = await enqueue(t.sql, company, { count: 500 });
    await finish(t.sql, await claim(t.sql, { limit: 500 }), { outcome: "sent" });
    const body = statusesBody(ids.flatMap((id) => [
      status(messageId(id), { status: "read" }),
      status(messageId(id)),
    ]));

    const responses = [await post(t, body), await post(t, body)];

    assert.deepEqual(responses.map((response) => response.status), [200, 200]);
    await eventually(async () => {
      await t.services.applyEvents(); // as a dispatcher does all the time
      const [row] = await t.sql`select delivered, read from outbound.campaigns`;
      assert.deepEqual(row, { delivered: 500, read: 500 });
      assert.deepEqual(await storedEvents(t), [], "applied both times");
    });
  }));

Deno.test("POST /webhooks/whatsapp takes no more than the platform ever sends", () =>
  withServices(async (t) => {
    const response = await post(t, { object: "x".repeat(4 * 1024 * 1024), entry: [] });

    assert.equal(response.status, 413);
  }));

Deno.test("POST /webhooks/whatsapp does not say 200 when it could not store", () =>
  withServices(async (t) => {
    await insertSendingCompany(t.sql, { sender: SENDER });
    await t.sql`alter table outbound.platform_events rename to elsewhere`;
    const failed = await post(t, statusesBody([status("wamid.A")]));
    await t.sql`alter table outbound.elsewhere rename to platform_events`;
    const again = await post(t, statusesBody([status("wamid.A")]));

    assert.deepEqual([failed.status >= 500, again.status], [true, 200]);
    assert.equal((await storedEvents(t)).length, 1);
  }));

Deno.test("POST /webhooks/whatsapp responds with 500 while the database takes nothing, so that the event comes again", () =>
  withServices(async (t) => {
    await insertSendingCompany(t.sql, { sender: SENDER });
    const stop = await refuseEvents(t.sql, "25006");
    const { status: code, body, headers } = await post(t, statusesBody([status("wamid.A")]));
    await stop();
    const again = await post(t, statusesBody([status("wamid.A")]));

    assert.deepEqual([code, body.error, body.retry_after, headers.get("retry-after")], [
      500,
      "internal_error",
      5,
      "5",
    ]);
    assert.equal(again.status, 200);
  }));

Deno.test("POST /webhooks/whatsapp moves templates to the state they have at the platform", () =>
  withServices(async (t) => {
    const sender = await insertSender(t.sql, (await insertCompany(t.sql)).id);
    const template = await insertTemplate(t.sql, sender, { language: "en_US" });
    const change = {
      field: "message_template_status_update",
      value: {
        event: "PAUSED",
        message_template_id: 1234500067890,
        message_template_name: template.name,
        message_template_language: "en-US",
        reason: null,
      },
    };
    const body = {
      object: "whatsapp_business_account",
      entry: [{ id: sender.waba_id, time: 1790000000, changes: [change] }],
    };

    const response = await post(t, body);

    assert.equal(response.status, 200);
    await eventually(async () => {
      const [row] = await t.sql`select status from outbound.templates where id = ${template.id}`;
      assert.equal(row?.status, "disabled");
    });
  }));

Deno.test("POST /webhooks/whatsapp takes quality, category and changed parts of a template, and each once", () =>
  withServices(async (t) => {
    const sender = await insertSender(t.sql, (await insertCompany(t.sql)).id);
    const template = await insertTemplate(t.sql, sender, { category: "UTILITY" });
    const about = { message_template_name: template.name, message_template_language: "en" };
    const changes = [
      { previous_quality_score: "GREEN", new_quality_score: "YELLOW" },
      { previous_category: "UTILITY", new_category: "MARKETING" },
      { message_template_element: "Other words" },
    ].map((value) => ({ field: "any", value: { ...about, ...value } }));
    const body = {
      object: "whatsapp_business_account",
      entry: [{ id: sender.waba_id, time: 1790000000, changes }],
    };

    const responses = [await post(t, body), await post(t, body)];

    assert.deepEqual(responses.map(({ status }) => status), [200, 200]);
    const [row] = await t.sql`
      select t.category, t.quality, t.status, s.template_sync_requested,
        (select count(*)::int from outbound.template_events) as events
      from outbound.templates as t join outbound.senders as s using (company_id)`;
    assert.deepEqual(row, {
      ...{ category: "MARKETING", quality: "YELLOW", status: "approved" },
      ...{ template_sync_requested: true, events: 3 },
    });
  }));

Deno.test("POST /webhooks/whatsapp does not say 200 when it could not store an event about a template", () =>
  withServices(async (t) => {
    await insertSendingCompany(t.sql, { sender: SENDER });
    const value = { event: "APPROVED", message_template_name: "a", message_template_language: "es" };
    const body = {
      object: "whatsapp_business_account",
      entry: [{ id: SENDER.waba_id, changes: [{ field: "x", value }] }],
    };
    await t.sql`alter table outbound.template_events rename to elsewhere`;
    const failed = await post(t, body);
    await t.sql`alter table outbound.elsewhere rename to template_events`;
    const again = await post(t, body);

    assert.deepEqual([failed.status >= 500, again.status], [true, 200]);
  }));

Deno.test("GET /webhooks/whatsapp returns the challenge to a caller that knows the verify token", () =>
  withServices(async ({ http }) => {
    const query = {
      "hub.mode": "subscribe",
      "hub.verify_token": TEST_ENV.WHATSAPP_VERIFY_TOKEN,
      "hub.challenge": "1158201444",
    };
    const ask = (changes: Record<string, string>) =>
      http.get<unknown>(PATH, { query: { ...query, ...changes } });

    const good = await ask({});
    const refused = [
      await ask({ "hub.verify_token": "wrong" }),
      await ask({ "hub.verify_token": "" }),
      await ask({ "hub.mode": "unsubscribe" }),
      await http.get<unknown>(PATH),
    ];

    assert.deepEqual([good.status, good.body], [200, "1158201444"]);
    assert.match(good.headers.get("content-type") ?? "", /^text\/plain/);
    assert.deepEqual(refused.map((response) => response.status), [403, 403, 403, 403]);
  }));

Deno.test("GET /webhooks/whatsapp refuses every caller while no verify token is set", () =>
  withServices(async ({ app }) => {
    const url = `http://localhost${BASE_PATH}${PATH}?hub.mode=subscribe&hub.verify_token=&hub.challenge=1`;
    const response = await app.fetch(new Request(url));

    assert.equal(response.status, 403);
    await response.body?.cancel();
  }, { env: { WHATSAPP_VERIFY_TOKEN: "" } }));

Deno.test("POST /webhooks/whatsapp stores the price of delivered and read messages, with the recipient's country", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql, { sender: SENDER });
    const { ids: [id], campaignId } = await enqueue(t.sql, company);
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "marketing_lite" };
    const pricesOf = async () =>
      [
        ...await t.sql`
        select country, category, type, billable, messages from outbound.campaign_pricing
        where campaign_id = ${campaignId}`,
      ].map((row) => ({ ...row }));

    for (
      const broken of [{ pricing: 7 }, { pricing: { ...pricing, category: "'; drop" } }, { pricing: {} }]
    ) {
      await post(t, statusesBody([status(messageId(id!), { status: "delivered", ...broken })]));
    }
    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, [id!]), ["delivered"]));
    assert.deepEqual(await pricesOf(), []);
    await post(
      t,
      statusesBody([
        status(messageId(id!), { status: "read", recipient_id: "", recipient_user_id: "MX.1", pricing }),
      ]),
    );

    const counted = [{
      country: "MX",
      category: "marketing_lite",
      type: "regular",
      billable: true,
      messages: 1,
    }];
    await eventually(async () => assert.deepEqual(await pricesOf(), counted));
  }));
