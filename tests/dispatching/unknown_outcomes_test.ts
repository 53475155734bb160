import assert from "node:assert/strict";
import { startSandbox } from "../../local/sandbox/start.ts";
import { readReference } from "../../supabase/functions/_shared/dispatching/reference.ts";
import { statesOf, statusesOf, tickNow } from "../setup/fixtures/queue.ts";
import { eventually } from "../setup/eventually.ts";
import { ORDER_COMPONENTS } from "../setup/fixtures/fixtures.ts";
import { TEST_ENV } from "../setup/stack/services.ts";
import type { SandboxTemplate } from "../../local/sandbox/options.ts";
import { eventuallyAll, numberOf, withDispatching } from "./with_dispatching.ts";

const QUICKLY = { OUTBOUND_SEND_TIMEOUT_S: "1" };

Deno.test("a message the platform took without a response is settled by its events, not by sending again", () =>
  withDispatching(async (t) => {
    const faults = ["hang", "drop", "invalid_json", { http: 500, body: "<html>oops", accepted: true }];
    for (const [index, fault] of faults.entries()) {
      await t.sandbox.addFault({ match: { to: numberOf(index) }, fault });
    }
    await t.sandbox.configure({ webhooks: false });
    const queued = await t.enqueue(faults.length);
    await t.dispatch();
    const unknown = await statusesOf(t.sql, queued.ids);
    const statuses = (await t.sandbox.messages()).map(({ id, biz_opaque_callback_data }) => ({
      id,
      status: "delivered",
      timestamp: String(Math.floor(Date.now() / 1000)),
      recipient_id: "",
      biz_opaque_callback_data,
    }));

    await postWebhook(t.url, statuses);
    await eventuallyAll(t, queued, "delivered");

    assert.deepEqual(unknown, faults.map(() => "unconfirmed"));
    await t.later(200);
    await tickNow(t.sql);
    await t.dispatch();
    assert.deepEqual([...(await t.taken()).values()], [1, 1, 1, 1]);
  }, QUICKLY));

Deno.test("a message that the platform never spoke of again is sent once more after the window", () =>
  withDispatching(async (t) => {
    await t.sandbox.addFault({ match: { to: numberOf(0) }, fault: { drop_before: true }, times: 1 });
    await t.sandbox.addFault({
      match: { to: numberOf(1) },
      fault: { http: 502, body: "Bad gateway" },
      times: 1,
    });
    const queued = await t.enqueue(2);
    await t.dispatch();
    const unknown = await statusesOf(t.sql, queued.ids);
    await t.later(119);
    await tickNow(t.sql);
    const waiting = await statusesOf(t.sql, queued.ids);
    await t.later(2);
    await tickNow(t.sql);

    await t.dispatch();

    await eventuallyAll(t, queued, "read");
    assert.deepEqual([unknown, waiting], [["unconfirmed", "unconfirmed"], ["unconfirmed", "unconfirmed"]]);
    assert.deepEqual([...(await t.taken()).values()], [1, 1]);
    const references = (await t.sandbox.messages()).map((message) => message.biz_opaque_callback_data);
    assert.deepEqual(references.map((text) => readReference(text)?.fence), [2, 2]);
  }));

Deno.test("a company that would rather not risk a second message gets none", () =>
  withDispatching(async (t) => {
    await t.sql`update outbound.companies set on_unknown = 'hold'`;
    await t.sandbox.addFault({ fault: { hang: true, lose: true } });
    const queued = await t.enqueue(1);
    await t.dispatch();
    await t.later(121);
    await tickNow(t.sql);

    await t.dispatch();

    const [state] = await statesOf(t.sql, queued.ids);
    assert.deepEqual([state?.status, state?.error_code], ["failed", "outcome_unknown"]);
    assert.deepEqual([...(await t.taken()).values()], [1]);
  }, QUICKLY));

Deno.test("a late event about the first attempt calls the second one off", () =>
  withDispatching(async (t) => {
    await t.sandbox.addFault({ fault: "drop", times: 1 });
    await t.sandbox.configure({ webhooks: false });
    const queued = await t.enqueue(1);
    await t.dispatch();
    await t.later(121);
    await tickNow(t.sql);
    assert.deepEqual(await statusesOf(t.sql, queued.ids), ["queued"]);
    const [message] = await t.sandbox.messages();

    await postWebhook(t.url, [{
      id: message!.id,
      status: "sent",
      timestamp: "1790000000",
      biz_opaque_callback_data: message!.biz_opaque_callback_data,
    }]);
    await eventuallyAll(t, queued, "sent");
    await t.dispatch();

    assert.deepEqual([...(await t.taken()).values()], [1]);
  }));

Deno.test("a platform that is down costs no attempts; when it is back, everything goes out", async () => {
  const port = freePort();
  await withDispatching(async (t) => {
    const queued = await t.enqueue(100);
    await t.dispatch();
    const states = await statesOf(t.sql, queued.ids);
    const [pace] = await t
      .sql`select failures, blocked_until > now() as is_blocked from outbound.sender_rate_state`;
    assert.ok(states.every(({ status, attempt }) => status === "queued" && attempt === 0));
    assert.deepEqual([pace?.failures >= 5, pace?.is_blocked], [true, true]);

    const { waba_id, token, platform_id, number } = t.sender;
    const { name, language } = t.template;
    const components = ORDER_COMPONENTS as unknown as SandboxTemplate["components"];
    const platform = await startSandbox({
      port,
      webhookUrl: null,
      appSecret: TEST_ENV.WHATSAPP_APP_SECRET,
      accounts: [{
        wabaId: waba_id!,
        token,
        numbers: [{ phoneNumberId: platform_id, displayNumber: number, verifiedName: "T", ratePerSecond: 0 }],
        templates: [{ name, language, category: "UTILITY", status: "APPROVED", components }],
      }],
    });
    try {
      await t.later(3);
      await t.running(() => eventuallyAll(t, queued, "sent", 20_000));
    } finally {
      await platform.close();
    }
    const [after] = await t.sql`select failures, blocked_until from outbound.sender_rate_state`;
    assert.deepEqual(after, { failures: 0, blocked_until: null });
  }, { WHATSAPP_API_URL: `http://127.0.0.1:${port}` });
});

Deno.test("events that wait are applied by the next dispatcher", () =>
  withDispatching(async (t) => {
    const queued = await t.enqueue(1);
    await t.sandbox.configure({ webhooks: false });
    await t.dispatch();
    const [message] = await t.sandbox.messages();
    await t.sql`select outbound.store_platform_events(${
      t.sql.json([{
        dedupe_key: "x",
        channel: "whatsapp",
        waba_id: t.sender.waba_id,
        platform_message_id: message!.id,
        status: "read",
        occurred_at: new Date().toISOString(),
      }])
    })`;

    await t.services.applyEvents();

    await eventually(async () => assert.deepEqual(await statusesOf(t.sql, queued.ids), ["read"]));
  }));

async function postWebhook(url: string, statuses: Record<string, unknown>[]): Promise<void> {
  const { signWebhook } = await import("../../local/sandbox/webhooks/webhook_sender.ts");
  const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "1" }, statuses };
  const body = new TextEncoder().encode(
    JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: "1", changes: [{ field: "messages", value }] }],
    }),
  );
  const headers = { "x-hub-signature-256": signWebhook(TEST_ENV.WHATSAPP_APP_SECRET, body) };
  const answer = await fetch(`${url}/functions/v1/webhooks/whatsapp`, { method: "POST", body, headers });
  await answer.body?.cancel();
  assert.equal(answer.status, 200);
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  listener.close();
  return listener.addr.port;
}
