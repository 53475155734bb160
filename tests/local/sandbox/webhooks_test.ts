import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { signWebhook } from "../../../local/sandbox/webhooks/webhook_sender.ts";
import { userIdOf } from "../../../local/sandbox/people/user_id.ts";
import { eventually } from "../../setup/eventually.ts";
import { APP_SECRET, NUMBER_ID, WABA_ID, withPlatform } from "./with_platform.ts";

Deno.test("signWebhook() agrees with the test vector of the wire contract", () => {
  const body = new TextEncoder().encode('{"object":"whatsapp_business_account","entry":[]}');

  const signature = signWebhook("test-app-secret", body);

  assert.equal(signature, "sha256=c84a394cc475525991e78ff16e430b02e47f953877d2af0ade26956ce6f384dc");
});

Deno.test("webhooks report sent, delivered and read in the platform's envelope", () =>
  withPlatform(async ({ send, hooks }) => {
    const sent = await send({ biz_opaque_callback_data: "ref-1" });
    await eventually(() => assert.equal(hooks.statuses().length, 3));

    const { body } = hooks.received[0]!;
    assert.equal(body.object, "whatsapp_business_account");
    assert.deepEqual(Object.keys(body.entry[0]), ["id", "changes"]);
    assert.equal(body.entry[0].id, WABA_ID);
    const [{ field, value }] = body.entry[0].changes;
    assert.equal(field, "messages");
    assert.equal(value.messaging_product, "whatsapp");
    assert.deepEqual(value.metadata, { display_phone_number: "15550001111", phone_number_id: NUMBER_ID });
    const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "utility" };
    const common = {
      id: sent.body.messages[0].id,
      recipient_id: "573001112233",
      recipient_user_id: userIdOf("573001112233", WABA_ID),
      biz_opaque_callback_data: "ref-1",
    };
    const reported = hooks.statuses().map(({ timestamp, ...status }) => {
      assert.match(timestamp, /^\d{10}$/);
      return status;
    });
    assert.deepEqual(reported, [
      { ...common, status: "sent", pricing },
      { ...common, status: "delivered", pricing },
      { ...common, status: "read" },
    ]);
  }));

Deno.test("webhooks leave the reference out when none was sent", () =>
  withPlatform(async ({ send, hooks }) => {
    await send();

    await eventually(() => assert.equal(hooks.statuses().length, 3));
    assert.equal(hooks.statuses().some((status) => "biz_opaque_callback_data" in status), false);
  }));

Deno.test("webhooks are signed over their raw bytes", () =>
  withPlatform(async ({ send, hooks }) => {
    await send({ biz_opaque_callback_data: "ñ €" });
    await eventually(() => assert.equal(hooks.statuses().length, 3));

    for (const { bytes, signature } of hooks.received) {
      assert.equal(signature, `sha256=${createHmac("sha256", APP_SECRET).update(bytes).digest("hex")}`);
    }
  }));

Deno.test("webhooks carry many statuses in few requests, a thousand at most", () =>
  withPlatform(async ({ send, hooks }) => {
    await Promise.all(Array.from({ length: 800 }, () => send()));

    await eventually(() => assert.equal(hooks.statuses().length, 2400));
    assert.ok(hooks.received.length < 800, `${hooks.received.length} requests`);
    for (const { body } of hooks.received) {
      assert.ok(body.entry[0].changes[0].value.statuses.length <= 1000);
    }
  }));

Deno.test("webhooks without a 200 response are sent again until they get one", () =>
  withPlatform(async ({ send, hooks, control }) => {
    hooks.status = 503;
    const sent = await send();
    await eventually(() => assert.ok(hooks.received.length >= 3));
    assert.equal((await control("GET", "stats")).body.webhooks.sent, 0);

    hooks.status = 200;

    await eventually(async () => {
      const { webhooks } = (await control("GET", "stats")).body;
      assert.deepEqual([webhooks.sent, webhooks.pending], [3, 0]);
    });
    const [message] = (await control("GET", "messages")).body.data;
    assert.equal(message.id, sent.body.messages[0].id);
    assert.ok(message.statuses.every(({ webhook_at }: { webhook_at: string | null }) => webhook_at !== null));
  }));

Deno.test("webhooks count as delivered with 200 alone, not with 204", () =>
  withPlatform(async ({ send, hooks, control }) => {
    hooks.status = 204;
    await send();

    await eventually(() => assert.ok(hooks.received.length >= 2));
    assert.equal((await control("GET", "stats")).body.webhooks.sent, 0);
  }));

Deno.test("settings: with webhooks off statuses are reached and no webhook is sent", () =>
  withPlatform(async ({ send, hooks, control }) => {
    await control("PUT", "settings", { webhooks: false });
    await send();

    await eventually(async () => {
      const [message] = (await control("GET", "messages")).body.data;
      assert.equal(message.statuses.length, 3);
    });
    assert.equal(hooks.received.length, 0);
  }));

Deno.test("settings: later times hold statuses back, in order", () =>
  withPlatform(async ({ send, control, hooks }) => {
    await control("PUT", "settings", { sent_ms: 0, delivered_ms: 80_000, read_ms: 10 });
    await send();

    await eventually(() => assert.equal(hooks.statuses().length, 1));
    const [message] = (await control("GET", "messages")).body.data;
    assert.deepEqual(message.statuses.map(({ status }: { status: string }) => status), ["sent"]);
  }));

const MAGIC = [
  { ending: "0000", statuses: ["failed"], code: 131026 },
  { ending: "0001", statuses: ["failed"], code: 131049 },
  { ending: "0002", statuses: ["sent", "delivered"], code: undefined },
  { ending: "0003", statuses: ["sent", "delivered", "read"], code: undefined },
];

for (const { ending, statuses, code } of MAGIC) {
  Deno.test(`a number ending in ${ending} is accepted and gets ${statuses.join(", ")}`, () =>
    withPlatform(async ({ send, hooks, control }) => {
      const { status } = await send({ to: `+57300111${ending}` });

      assert.equal(status, 200);
      await eventually(() => assert.deepEqual(hooks.statuses().map((each) => each.status), statuses));
      const error = hooks.statuses()[0]!.errors?.[0];
      assert.equal(error?.code, code);
      if (code === undefined) return;
      assert.equal(error.title, error.message);
      assert.ok(error.error_data.details && error.href);
      assert.equal("pricing" in hooks.statuses()[0]!, false);
      const [message] = (await control("GET", "messages")).body.data;
      assert.equal(message.statuses[0].error.code, code);
    }));
}
