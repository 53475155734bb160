import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import type { JsonObject } from "../setup/http/http.ts";
import { withReceiver } from "../setup/http/receiver.ts";
import { insertWebhook } from "../setup/fixtures/webhooks.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

const PRIVATE = { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } };

function setWebhook(t: Manage, body: unknown) {
  return t.members.owner.ask("PUT", `/companies/${t.company.id}/webhooks`, body);
}

Deno.test("PUT …/webhooks returns the secret the first time, and never again", () =>
  withManage(async (t) => {
    assert.deepEqual((await t.read("/webhooks")).body, { webhook: null });
    const url = "https://acme.example.com/events?token=s3cret";

    const first = (await setWebhook(t, { url, event_types: ["message.received", "message.received"] })).body;
    const again = (await setWebhook(t, { url, event_types: ["message.received"] })).body;
    const all = (await setWebhook(t, { url })).body;

    assert.match(first.secret, /^whsec_/);
    assert.deepEqual([first.event_types, again.secret, all.event_types], [["message.received"], null, null]);
    const shown = await t.read("/webhooks");
    assert.deepEqual([shown.body.webhook.url, shown.body.webhook.is_active], [url, true]);
    assert.doesNotMatch(JSON.stringify(shown.body), /whsec_|sealed/);
    const audit = await auditOf(t);
    assert.deepEqual(audit.map(({ action, after }) => [action, after]), [
      ["webhook.updated", { event_types: null }],
      ["webhook.created", {
        url: "https://acme.example.com/events",
        event_types: ["message.received"],
        is_active: true,
      }],
    ]);
    assert.doesNotMatch(JSON.stringify(audit), /s3cret|whsec_/);
  }));

Deno.test("PUT …/webhooks refuses URLs that events may not go to, and unknown events", () =>
  withManage(async (t) => {
    for (
      const url of [
        "acme",
        "http://acme.example/",
        "https://10.0.0.1/",
        "https://[::1]/",
        "https://a:b@c.example/",
      ]
    ) {
      const { status, body } = await setWebhook(t, { url });
      assert.deepEqual([status, body.details.field], [400, "url"], url);
    }
    for (const event_types of [[], ["everything"], "message.received"]) {
      assert.equal((await setWebhook(t, { url: "https://acme.example/", event_types })).status, 400);
    }
    assert.deepEqual((await t.read("/webhooks")).body, { webhook: null });
    assert.deepEqual(await auditOf(t), []);
  }));

Deno.test("the secret is rotated, and the webhook switched off and on, each with an audit row", () =>
  withManage(async (t) => {
    for (const verb of ["rotate", "off", "test"]) {
      const { status } = await t.members.owner.ask("POST", `/companies/${t.company.id}/webhooks/${verb}`);
      assert.equal(status, 404, `${verb}: no webhook yet`);
    }
    const { secret } = await insertWebhook(t.sql, t.company.id, { url: "https://acme.example/" });

    const rotated = (await t.members.owner.ask("POST", `/companies/${t.company.id}/webhooks/rotate`)).body;
    await t.act("/webhooks/off");
    const off = (await t.act("/webhooks/off")).body;
    const stopped = (await t.read("/webhooks")).body.webhook;
    await setWebhook(t, { url: "https://acme.example/" });

    assert.match(rotated.secret, /^whsec_/);
    assert.notEqual(rotated.secret, secret);
    const hours = (Date.parse(rotated.old_secret_until) - Date.now()) / 3_600_000;
    assert.ok(hours > 23.9 && hours < 24.1);
    assert.deepEqual([off.is_active, stopped.is_active], [false, false]);
    assert.deepEqual((await auditOf(t)).map(({ action, after }) => [action, after]), [
      ["webhook.updated", { is_active: true }],
      ["webhook.stopped", { is_active: false }],
      ["webhook.secret_rotated", null],
    ]);
  }));

Deno.test("POST …/webhooks/test sends a signed event now and returns the response, some times per minute", () =>
  withReceiver((receiver) =>
    withManage(async (t) => {
      const { body: { secret } } = await setWebhook(t, {
        url: receiver.url,
        event_types: ["message.failed"],
      });

      const { body } = await t.act("/webhooks/test");

      const [event] = receiver.received;
      const verified = new Webhook(secret).verify(event!.text, Object.fromEntries(event!.headers));
      assert.equal((verified as JsonObject).type, "webhook.test");
      assert.deepEqual([body.ok, body.response_status, body.response_body], [true, 200, "ok"]);
      const { body: { deliveries: [delivery] } } = await t.read("/deliveries", { type: "webhook.test" });
      assert.deepEqual([delivery.event_id, delivery.status], [body.event_id, "succeeded"]);
      const [{ action, subject }] = await auditOf(t) as [JsonObject];
      assert.deepEqual([action, subject], ["webhook.tested", body.event_id]);

      const statuses = [];
      for (let count = 0; count < 30; count++) statuses.push((await t.act("/webhooks/test")).status);
      assert.deepEqual(statuses, [...Array(29).fill(200), 429]);
    }, PRIVATE)
  ));

Deno.test("POST …/webhooks/test is one attempt, and says why it failed", () =>
  withReceiver(({ url }) =>
    withManage(async (t) => {
      await setWebhook(t, { url });

      const { body } = await t.act("/webhooks/test");

      const { ok, response_status, error } = body;
      assert.deepEqual([ok, response_status, error], [false, 500, "The endpoint responded with HTTP 500"]);
      const { body: { tries } } = await t.read(`/deliveries/${body.event_id}`);
      const facts = tries.map(({ status, response_body }: JsonObject) => [status, response_body]);
      assert.deepEqual(facts, [["failed", "broken"]]);
      assert.equal((await t.read("/webhooks")).body.webhook.waiting, 0);
    }, PRIVATE), () => new Response("broken", { status: 500 })));
