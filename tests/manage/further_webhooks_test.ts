import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { EVENT_TYPES } from "../../supabase/functions/_shared/events_out/event_types.ts";
import { webhookEventSchema } from "../../supabase/functions/_shared/http/company/webhook_events.ts";
import { insertCompany, insertSender } from "../setup/fixtures/fixtures.ts";
import { insertEvents, insertFurtherWebhook, insertWebhook, writeEvent } from "../setup/fixtures/webhooks.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withReceiver } from "../setup/http/receiver.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

const PRIVATE = { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } };

function asOwner(t: Manage) {
  return (method: string, path: string, body?: unknown) =>
    t.members.owner.ask(method, `/companies/${t.company.id}/webhooks${path}`, body);
}

const SHOP = { name: "Shop", url: "https://shop.example.com/events?token=s3cret" };

Deno.test("a further webhook is made, changed and removed beside the company's own, and its secret is shown once", () =>
  withManage(async (t) => {
    const ask = asOwner(t);
    const sender = await insertSender(t.sql, t.company.id);

    const { body: made } = await ask("POST", "/further", {
      ...SHOP,
      name: " Shop ",
      channels: ["voice", "voice"],
    });
    const { body: changed } = await ask("PUT", `/further/${made.endpoint_id}`, {
      ...SHOP,
      event_types: ["message.received"],
      sender_ids: [sender.id],
    });
    const { body: rotated } = await ask("POST", `/further/${made.endpoint_id}/rotate`);
    const shown = (await t.read(`/webhooks/further/${made.endpoint_id}`)).body;
    const listed = (await t.read("/webhooks/further")).body;

    assert.match(made.secret, /^whsec_/);
    assert.deepEqual([made.name, made.channels, made.event_types], ["Shop", ["voice"], null]);
    assert.deepEqual([changed.channels, changed.sender_ids], [null, [sender.id]]);
    assert.match(rotated.secret, /^whsec_/);
    assert.notEqual(rotated.secret, made.secret);
    assert.deepEqual([listed.webhooks, listed.next], [[shown], null]);
    assert.deepEqual((await t.read("/webhooks")).body, { webhook: null });
    assert.equal((await t.act(`/webhooks/further/${made.endpoint_id}/off`)).body.is_active, false);
    assert.deepEqual((await ask("DELETE", `/further/${made.endpoint_id}`)).body, { removed: true });
    assert.equal((await ask("DELETE", `/further/${made.endpoint_id}`)).status, 404);
    assert.deepEqual((await t.read("/webhooks/further")).body.webhooks, []);
    const audit = await auditOf(t);
    assert.deepEqual(audit.map(({ action, subject }) => [action, subject]), [
      ["webhook.removed", made.endpoint_id],
      ["webhook.stopped", made.endpoint_id],
      ["webhook.secret_rotated", made.endpoint_id],
      ["webhook.updated", made.endpoint_id],
      ["webhook.created", made.endpoint_id],
    ]);
    assert.doesNotMatch(JSON.stringify([audit, shown, listed, changed]), /whsec_|sealed/);
    assert.doesNotMatch(JSON.stringify(audit), /s3cret/);
  }));

Deno.test("POST and PUT …/webhooks/further refuse what cannot be, and say in which field", () =>
  withManage(async (t) => {
    const ask = asOwner(t);
    const { id } = await insertFurtherWebhook(t.sql, t.company.id);
    const foreign = await insertSender(t.sql, (await insertCompany(t.sql)).id);
    const bad: [field: string, body: JsonObject][] = [
      ["url", { url: "http://shop.example.com/" }],
      ["url", { url: "https://10.0.0.1/" }],
      ["url", { url: "https://[::ffff:127.0.0.1]/" }],
      ["name", { name: " " }],
      ["name", { name: "a\nb" }],
      ["event_types", { event_types: [] }],
      ["channels", { channels: ["mail"] }],
      ["sender_ids[0]", { sender_ids: [foreign.id] }],
      ["secret", { secret: "whsec_mine" }],
    ];

    for (const [field, changes] of bad) {
      for (const [method, path] of [["POST", "/further"], ["PUT", `/further/${id}`]] as const) {
        const { status, body } = await ask(method, path, { ...SHOP, ...changes });
        assert.equal(status, 400, `${method} ${JSON.stringify(changes)}`);
        assert.ok(JSON.stringify(body).includes(field.replace("[0]", "")), JSON.stringify(body));
      }
    }

    assert.equal((await t.read("/webhooks/further")).body.webhooks.length, 1);
  }));

Deno.test("a company has ten further webhooks at most, also when they are made at once", () =>
  withManage(async (t) => {
    const ask = asOwner(t);

    const made = await Promise.all(Array.from({ length: 12 }, () => ask("POST", "/further", SHOP)));

    assert.deepEqual(made.map(({ status }) => status).sort(), [...Array(10).fill(200), 400, 400]);
    assert.match(made.find(({ status }) => status === 400)!.body.message, /at most 10/);
  }));

Deno.test("a further webhook is its company's alone, and only owners change it", () =>
  withManage(async (t) => {
    const { id: otherId } = await insertCompany(t.sql);
    const { id: foreign } = await insertFurtherWebhook(t.sql, otherId);
    const { id } = await insertFurtherWebhook(t.sql, t.company.id);
    const ask = asOwner(t);
    const since = { since: "2026-01-01T00:00:00Z" };

    for (
      const [method, verb, body] of [
        ["GET", ""],
        ["PUT", "", SHOP],
        ["DELETE", ""],
        ["POST", "/rotate"],
        ["POST", "/off"],
        ["POST", "/test"],
        ["POST", "/replay", since],
      ] as const
    ) {
      assert.equal((await ask(method, `/further/${foreign}${verb}`, body)).status, 404, `${method} ${verb}`);
    }
    for (const [method, verb] of [["PUT", ""], ["DELETE", ""], ["POST", "/rotate"]] as const) {
      const path = `/companies/${t.company.id}/webhooks/further/${id}${verb}`;
      assert.equal((await t.members.operator.ask(method, path, SHOP)).status, 403, `${method} ${verb}`);
    }
    assert.deepEqual((await t.read("/deliveries", { endpoint_id: foreign })).body.deliveries, []);
    assert.deepEqual((await t.read("/webhooks/history", { endpoint_id: foreign })).body.hours, []);
    const [kept] = await t.sql`select is_active from outbound.webhook_endpoints where id = ${foreign}`;
    assert.equal(kept!.is_active, true);
  }));

Deno.test("a test sends any event of the catalogue to one webhook, signed by its secret and marked, and shows what was sent", () =>
  withReceiver((receiver) =>
    withManage(async (t) => {
      const { body: { endpoint_id: id, secret } } = await asOwner(t)("POST", "/further", {
        ...SHOP,
        url: receiver.url,
        event_types: ["campaign.completed"],
      });
      const { body: { events } } = await t.read("/webhooks/events");
      // The event of a test is one more.
      assert.equal(events.length, EVENT_TYPES.length + 1);

      for (const { type, data } of events) {
        const { body } = await t.act(`/webhooks/further/${id}/test`, { type });
        assert.equal(body.ok, true, body.error);
        const { headers, text } = receiver.received.at(-1)!;
        const event = new Webhook(secret).verify(text, Object.fromEntries(headers)) as JsonObject;
        assert.deepEqual(webhookEventSchema.parse(event), event);
        assert.deepEqual([event.type, event.test], [type, type === "webhook.test" ? undefined : true]);
        assert.deepEqual(Object.keys(event.data), Object.keys(data));
        for (const [name, value] of Object.entries(body.request_headers)) {
          assert.equal(headers.get(name), value, name);
        }
        const { body: { tries } } = await t.read(`/deliveries/${body.event_id}`, { endpoint_id: id });
        assert.deepEqual(tries[0].request_headers, body.request_headers);
        assert.equal((await t.read(`/deliveries/${body.event_id}`)).status, 404, "the own webhook got none");
      }
      assert.equal((await t.act(`/webhooks/further/${id}/test`, { type: "everything" })).status, 400);
    }, PRIVATE)
  ));

Deno.test("deliveries and replays are those of the webhook that is named, and of the company's own otherwise", () =>
  withManage(async (t) => {
    await insertWebhook(t.sql, t.company.id);
    const { id } = await insertFurtherWebhook(t.sql, t.company.id);
    await insertEvents(t.sql, t.company.id, 1);
    await writeEvent(t.sql, t.company.id);
    await t.sql`
      update outbound.webhook_deliveries set status = 'failed', finished_at = now()`;
    const listed = async (query: Record<string, string> = {}) =>
      (await t.read("/deliveries", query)).body.deliveries as JsonObject[];
    assert.deepEqual([(await listed()).length, (await listed({ endpoint_id: id })).length], [2, 1]);

    const { body } = await t.act(`/webhooks/further/${id}/replay`, { since: "2026-01-01T00:00:00Z" });

    assert.deepEqual(body, { replayed: 1 });
    const [again] = await listed({ endpoint_id: id });
    assert.deepEqual([again!.status, again!.attempts], ["pending", 1]);
    assert.deepEqual((await listed()).map(({ status }) => status), ["failed", "failed"]);
    const eventId = again!.event_id;
    assert.deepEqual((await t.act(`/deliveries/${eventId}/replay`)).body, { replayed: 1 });
    assert.deepEqual((await listed({ status: "pending" })).map(({ event_id }) => event_id), [eventId]);
    await t.act(`/webhooks/further/${id}/off`);
    const path = `/companies/${t.company.id}/deliveries/${eventId}/replay`;
    const off = await t.members.operator.ask("POST", path, undefined, { endpoint_id: id });
    assert.deepEqual([off.status, off.body.error], [409, "webhook_off"]);
  }));

Deno.test("GET …/webhooks/history shows the share of attempts that succeeded, by hour and endpoint", () =>
  withReceiver((receiver) =>
    withManage(async (t) => {
      await insertWebhook(t.sql, t.company.id, { url: receiver.url });
      const { id } = await insertFurtherWebhook(t.sql, t.company.id, { url: receiver.url });
      for (let count = 0; count < 3; count++) await t.act(`/webhooks/further/${id}/test`);

      const { body: further } = await t.read("/webhooks/history", { endpoint_id: id });
      const { body: own } = await t.read("/webhooks/history");

      assert.equal(further.success_rate, 2 / 3);
      assert.deepEqual(further.hours.map((each: JsonObject) => [each.succeeded, each.failed]), [[2, 1]]);
      assert.deepEqual(own, { success_rate: null, hours: [] });
      const later = { endpoint_id: id, since: new Date(Date.now() + 3_600_000).toISOString() };
      assert.deepEqual((await t.read("/webhooks/history", later)).body.hours, []);
    }, PRIVATE), (_, count) => new Response("ok", { status: count === 1 ? 500 : 200 })));
