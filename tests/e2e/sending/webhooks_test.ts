import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { assertRefused } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";

/** Posts bytes as the platform would, signed with `secret`. */
async function deliver({ http }: Api, rawBody: string, secret: string = TEST_ENV.WHATSAPP_APP_SECRET) {
  const signature = `sha256=${createHmac("sha256", secret).update(rawBody).digest("hex")}`;
  const headers = { "content-type": "application/json", "x-hub-signature-256": signature };
  return await http.post("/webhooks/whatsapp", undefined, { rawBody, headers });
}

/** The platform's envelope around one change; `time` in Unix seconds. */
function envelope(wabaId: string, field: string, value: unknown, time?: number): string {
  return JSON.stringify({
    object: "whatsapp_business_account",
    entry: [{ id: wabaId, changes: [{ field, value }], ...(time !== undefined && { time }) }],
  });
}

Deno.test("GET /webhooks/whatsapp returns the challenge to a caller that knows the verify token", () =>
  withApi(async ({ http }) => {
    const query = {
      "hub.mode": "subscribe",
      "hub.verify_token": TEST_ENV.WHATSAPP_VERIFY_TOKEN,
      "hub.challenge": "115",
    };
    const response = await http.get<string>("/webhooks/whatsapp", { query });
    assert.deepEqual([response.status, response.body], [200, "115"]);

    const wrong: Record<string, string>[] = [
      ...[{ "hub.verify_token": "wrong" }, { "hub.verify_token": "" }, { "hub.mode": "unsubscribe" }],
    ];
    for (const change of wrong) {
      const refused = await http.get("/webhooks/whatsapp", { query: { ...query, ...change } });
      assertRefused(refused, { status: 403, error: "forbidden" });
    }
    assertRefused(await http.get("/webhooks/whatsapp"), { status: 403, error: "forbidden" });
  }));

Deno.test("POST /webhooks/whatsapp refuses what is not signed with the app's secret", () =>
  withApi(async (api) => {
    const { http } = api;
    const rawBody = envelope("1", "messages", { statuses: [] });
    const unauthorized = { status: 401, error: "unauthorized" };
    assertRefused(await deliver(api, rawBody, "another secret"), unauthorized);
    for (const signature of ["", "sha256=", "sha256=zz", "sha1=00", "a".repeat(5000)]) {
      const headers = { "x-hub-signature-256": signature };
      assertRefused(
        await http.post("/webhooks/whatsapp", undefined, { rawBody, headers }),
        unauthorized,
        signature,
      );
    }
    assertRefused(await http.post("/webhooks/whatsapp", undefined, { rawBody }), unauthorized);
    assert.equal((await deliver(api, rawBody)).status, 200);
  }));

/** Signed, and yet nothing that the platform should send. */
const ODD = [
  "null",
  "1",
  "[]",
  "{}",
  '"x"',
  '{"entry":1}',
  '{"entry":[null,1,{}]}',
  '{"object":"x","entry":[]}',
]
  .concat('{"entry":[{"id":null,"changes":"x"}]}', '{"entry":[{"id":"1","changes":[null,{"field":1}]}]}')
  .concat(
    [
      null,
      1,
      "x",
      [],
      {},
      { statuses: 1 },
      { statuses: [null, 1, "x", {}] },
      { statuses: [{ id: 1, status: 2 }] },
      {
        statuses: [{ id: "wamid.x", status: "delivered", timestamp: "x", biz_opaque_callback_data: "\0" }],
      },
      { statuses: [{ id: "wamid.\0", status: "sent", timestamp: "1", recipient_id: "\ud800" }] },
      {
        statuses: [{ id: "wamid.y", status: "sent", timestamp: "9".repeat(30) }],
      },
      { statuses: [{ id: "w".repeat(100_000), status: "read", timestamp: "1700000000" }] },
    ]
      .map((value) => envelope("1", "messages", value)),
  )
  .concat(
    [null, {}, { event: 1 }, { event: "APPROVED", message_template_id: {}, message_template_name: "\0" }]
      .map((value) => envelope("1", "message_template_status_update", value)),
  );

Deno.test("POST /webhooks/whatsapp takes or refuses odd events, and never fails over one", () =>
  withApi(async (api) => {
    await assertNothingStored(api.sql, async () => {
      for (const body of ODD) {
        const { status } = await deliver(api, body);
        assert.ok([200, 400].includes(status), `${status}: ${body.slice(0, 200)}`);
      }
      assertRefused(await deliver(api, "{"), { status: 400, error: "validation_failed" });
      assertRefused(await deliver(api, " ".repeat(4 * 1024 * 1024 + 1)), {
        status: 413,
        error: "payload_too_large",
      });
    });
  }));

Deno.test("POST /webhooks/whatsapp applies an event once however often it comes, and never backwards", () =>
  withApi(async (api) => {
    await api.sandbox.configure({ webhooks: false });
    const { body: { inquiry_set_id } } = await api.notify();
    await api.dispatch();
    const [{ id, biz_opaque_callback_data }] = await api.sandbox.messages() as [JsonObject];
    const report = async (status: string) => {
      const event = {
        id,
        status,
        timestamp: "1900000000",
        recipient_id: "34600111222",
        biz_opaque_callback_data,
      };
      assert.equal(
        (await deliver(api, envelope(api.sender.waba_id!, "messages", { statuses: [event] }))).status,
        200,
      );
    };
    for (const status of ["read", "read", "delivered", "sent", "delivered"]) await report(status);

    await eventually(async () => {
      const { sent, delivered, read, failed } = await api.status(inquiry_set_id);
      assert.deepEqual([sent, delivered, read, failed], [1, 1, 1, 0]);
      const waiting = await api.sql`select 1 from outbound.platform_events where applied_at is null`;
      assert.equal(waiting.length, 0);
    });
  }));

Deno.test("POST /webhooks/whatsapp moves a template of the account named, and of no other", () =>
  withApi(async (api) => {
    const other = await api.addTenant();
    const event = {
      ...{ event: "PAUSED", message_template_id: 1, message_template_name: api.template.name },
      ...{ message_template_language: "en", reason: "NONE" },
    };
    await deliver(api, envelope(other.sender.waba_id!, "message_template_status_update", event));
    assert.equal((await api.notify()).status, 200);
    await deliver(api, envelope(api.sender.waba_id!, "message_template_status_update", event));

    const refused = await api.notify();
    assertRefused(refused, { status: 422, error: "template_not_approved" });
    assert.equal(refused.body.details.current_status, "disabled");
  }));

Deno.test("a rejection that is reported after a message was refused for it is listed in the platform's words", () =>
  withApi(async (api) => {
    await api.sandbox.configure({ webhooks: false });
    const template = (await api.sandbox.templates()).find(({ name }) => name === api.template.name)!;
    const listed = async () => {
      const query = { access_key: api.key.key, phone_number: api.sender.number };
      const { body } = await api.http.get<JsonObject[]>("/notify/templates", { query });
      return body.find(({ name }) => name === api.template.name)!;
    };
    await api.sandbox.setTemplate(template.id, "REJECTED", "ABUSIVE_CONTENT");
    const rejectedAt = Math.floor(Date.now() / 1000);
    await api.notify();
    await api.dispatch();
    assert.equal((await listed()).status, "DISABLED");

    const event = {
      ...{ event: "REJECTED", message_template_id: template.id, message_template_name: template.name },
      ...{ message_template_language: template.language, reason: "ABUSIVE_CONTENT" },
    };
    const field = "message_template_status_update";
    await deliver(api, envelope(api.sender.waba_id!, field, event, rejectedAt));

    await eventually(async () => {
      const { status, rejected_reason } = await listed();
      assert.deepEqual([status, rejected_reason], ["REJECTED", "ABUSIVE_CONTENT"]);
    });
  }));
