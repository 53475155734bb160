import assert from "node:assert/strict";
import { tickWithoutProbe } from "../../setup/fixtures/queue.ts";
import type postgres from "postgres";
import { Webhook } from "standardwebhooks";
import { webhookSecretOf } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { claimDeliveries } from "../../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { createDeliveries } from "../../../supabase/functions/_shared/events_out/deliveries.ts";
import type { Sender } from "../../../supabase/functions/_shared/sending/sender.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { type EventReceiver, withReceiver } from "../../setup/http/receiver.ts";
import { type TestServices, withServices } from "../../setup/stack/services.ts";
import { withStack } from "../../setup/stack/stack.ts";
import { insertEvents, insertWebhook, readDeliveries, readEvents } from "../../setup/fixtures/webhooks.ts";

const LOCAL = { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } };

interface Endpoint extends TestServices, EventReceiver {
  companyId: string;
  secret: string;
  /** Delivers all that is due, with a worker of its own. */
  deliver(): Promise<void>;
}

/** Calls `use` with a company and its webhook, whose server responds as `respond` does. */
function withEndpoint(
  use: (t: Endpoint) => Promise<void>,
  respond?: Parameters<typeof withReceiver>[1],
): Promise<void> {
  return withReceiver((receiver) =>
    withServices(async (t) => {
      const { id: companyId } = await insertCompany(t.sql);
      const { secret } = await insertWebhook(t.sql, companyId, { url: receiver.url });
      await use({ ...t, ...receiver, companyId, secret, deliver: () => deliverAll(t) });
    }, LOCAL), respond);
}

function start({ services }: TestServices): Sender {
  const deliveries = createDeliveries(services, { signal: new AbortController().signal });
  deliveries.run();
  return deliveries;
}

function deliverAll(t: TestServices): Promise<void> {
  return start(t).stop("idle");
}

async function makeDue(sql: postgres.Sql, companyId: string): Promise<void> {
  await sql`update outbound.webhook_deliveries set run_at = now(), deferred = false
    where company_id = ${companyId} and status = 'pending'`;
}

Deno.test("a delivery names its span to the endpoint, where it is traced", () =>
  withEndpoint(async (t) => {
    const span = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7", traceFlags: 1 };
    await insertEvents(t.sql, t.companyId, 1);
    await t.deliver();
    t.services.tracing = { ...t.services.tracing, current: () => span };
    await insertEvents(t.sql, t.companyId, 1);
    await t.deliver();

    assert.deepEqual(t.received.map(({ headers }) => headers.get("traceparent")), [
      null,
      `00-${span.traceId}-${span.spanId}-01`,
    ]);
  }));

Deno.test("a delivery is the stored payload to the letter, signed, with the event's id", () =>
  withEndpoint(async ({ sql, companyId, secret, received, deliver }) => {
    const [id] = await insertEvents(sql, companyId, 1);

    await deliver();

    const [{ headers, text }, ...more] = received as [EventReceiver["received"][0]];
    const [event] = await sql`select payload::text from outbound.outgoing_events where id = ${id!}`;
    assert.deepEqual(more, []);
    assert.equal(text, event?.payload);
    assert.equal(headers.get("webhook-id"), id);
    assert.equal(headers.get("content-type"), "application/json");
    assert.ok(new Webhook(secret).verify(text, Object.fromEntries(headers)));
    const [delivery] = await readDeliveries(sql, companyId);
    const { status, response_status, response_body, error } = delivery!;
    assert.deepEqual([status, response_status, response_body, error], ["succeeded", 200, "ok", null]);
  }));

Deno.test("during a rotation both secrets verify, and after it only the new one", () =>
  withEndpoint(async ({ sql, services, companyId, secret, received, deliver }) => {
    const next = "whsec_bmV4dC1zZWNyZXQtb2YtdGhpcnR5LXR3by1ieXRlcy4=";
    await sql`update outbound.webhooks set old_secret_sealed = secret_sealed,
      secret_sealed = ${await services.sealer.seal(
      next,
      webhookSecretOf(companyId),
    )}, old_secret_until = now() + interval '1 hour'`;
    await insertEvents(sql, companyId, 1);
    await deliver();
    await sql`update outbound.webhooks set old_secret_until = now()`;
    await insertEvents(sql, companyId, 1);
    await deliver();

    const [during, after] = received;
    const verify = (key: string, event = during) => () =>
      new Webhook(key).verify(event!.text, Object.fromEntries(event!.headers));
    for (const check of [verify(secret), verify(next), verify(next, after)]) assert.doesNotThrow(check);
    assert.throws(verify(secret, after));
  }));

Deno.test("an endpoint that fails is sent the same event eight times, then no more", () =>
  withEndpoint(async ({ sql, companyId, received, deliver }) => {
    const [id] = await insertEvents(sql, companyId, 1);
    const waits: number[] = [];

    for (let turn = 1; turn <= 9; turn++) {
      await deliver();
      const next = (await readDeliveries(sql, companyId)).find(({ status }) => status === "pending");
      if (next) waits.push(next.in_s);
      await makeDue(sql, companyId);
    }

    const schedule = [5, 300, 1800, 7200, 18_000, 21_600, 36_000];
    assert.deepEqual(received.map(({ headers }) => headers.get("webhook-id")), Array(8).fill(id));
    assert.equal(waits.length, 7);
    waits.forEach((wait, place) => {
      const base = schedule[place]!;
      assert.ok(wait > base * 0.9 - 3 && wait <= base * 1.1, `${wait} s instead of ${base}`);
    });
    const attempts = await readDeliveries(sql, companyId);
    assert.deepEqual(
      attempts.map((
        { attempt, status, response_status, response_body },
      ) => [attempt, status, response_status, response_body]),
      attempts.map((_, place) => [place + 1, "failed", 500, "no"]),
    );
    assert.equal(attempts[0]!.error, "The endpoint responded with HTTP 500");
  }, () => new Response("no", { status: 500 })));

Deno.test("what failed is delivered with the same id once the endpoint is back", () =>
  withEndpoint(async ({ sql, companyId, received, deliver }) => {
    await insertEvents(sql, companyId, 1);

    await deliver();
    await makeDue(sql, companyId);
    await deliver();

    const ids = received.map(({ headers }) => headers.get("webhook-id"));
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
    assert.deepEqual((await readDeliveries(sql, companyId)).map(({ status }) => status), [
      "failed",
      "succeeded",
    ]);
    const [webhook] = await sql`select failures from outbound.webhooks where company_id = ${companyId}`;
    assert.equal(webhook?.failures, 0);
  }, (_, count) => new Response(null, { status: count === 1 ? 503 : 204 })));

Deno.test("a redirect is a failure and is not followed", () =>
  withReceiver((elsewhere) =>
    withEndpoint(async ({ sql, companyId, deliver }) => {
      await insertEvents(sql, companyId, 1);

      await deliver();

      const [delivery] = await readDeliveries(sql, companyId);
      assert.equal(delivery?.error, "The endpoint responded with HTTP 302; redirects are not followed");
      assert.deepEqual(elsewhere.received, []);
    }, () => Response.redirect(elsewhere.url))
  ));

Deno.test("410 stops the webhook: pending deliveries fail, and no more events are sent", () =>
  withEndpoint(async ({ sql, companyId, received, deliver }) => {
    await insertEvents(sql, companyId, 50);

    await deliver();

    const [webhook] = await sql`select is_active, stopped_reason from outbound.webhooks`;
    assert.deepEqual([webhook?.is_active, webhook?.stopped_reason], [
      false,
      "The endpoint answered 410: it wants no more events",
    ]);
    assert.ok(received.length <= 32, `${received.length} requests`);
    const states = (await readDeliveries(sql, companyId)).map(({ status }) => status);
    assert.deepEqual(states, Array(50).fill("failed"));
  }, () => new Response(null, { status: 410 })));

Deno.test("bytes that are no text, and more of them than are kept, do no harm", () =>
  withEndpoint(async ({ sql, companyId, deliver }) => {
    await insertEvents(sql, companyId, 1);

    await deliver();

    const [delivery] = await readDeliveries(sql, companyId);
    assert.deepEqual([delivery?.status, delivery?.response_body], ["succeeded", "\ufffd".repeat(1024)]);
  }, () => new Response(new Uint8Array(100_000))));

Deno.test("what a dead worker held is delivered when its lease ends, and its late result changes nothing", () =>
  withEndpoint(async ({ sql, companyId, received, deliver }) => {
    const [id] = await insertEvents(sql, companyId, 1);
    await claimDeliveries(sql, { worker: "dead", limit: 10, maxFailing: 10, leaseS: 60 });

    await deliver();
    assert.deepEqual(received, []);
    await makeDue(sql, companyId);
    await tickWithoutProbe(sql);
    await deliver();
    await sql`select outbound.finish_deliveries('dead', ${
      sql.json([{ company_id: companyId, event_id: id!, attempt: 1, outcome: "failed", duration_ms: 1 }])
    })`;

    assert.equal(received.length, 1);
    assert.deepEqual((await readDeliveries(sql, companyId)).map(({ status }) => status), ["succeeded"]);
  }));

Deno.test("an endpoint that hangs holds up no other", () => {
  const released = Promise.withResolvers<Response>();
  return withReceiver((other) =>
    withEndpoint(async (t) => {
      const { sql, companyId, received } = t;
      const { id: otherId } = await insertCompany(sql);
      await insertWebhook(sql, otherId, { url: other.url });
      await insertEvents(sql, companyId, 300);
      const deliveries = start(t);
      await eventually(() => assert.equal(received.length, 16));

      await insertEvents(sql, otherId, 20);
      deliveries.wake();
      await eventually(() => assert.equal(other.received.length, 20), 3000);

      assert.equal(received.length, 16);
      released.resolve(new Response());
      await deliveries.stop("now");
    }, async () => (await released.promise).clone())
  );
});

Deno.test("an endpoint in a private network is not asked unless that is allowed", () =>
  withReceiver(({ url, received }) =>
    withServices(async (t) => {
      const { id } = await insertCompany(t.sql);
      await insertWebhook(t.sql, id, { url });
      await insertEvents(t.sql, id, 1);
      await insertWebhook(t.sql, (await insertCompany(t.sql)).id, {
        url: url.replace(/.*:/, "https://localhost:"),
      });

      await deliverAll(t);

      const [delivery] = await readDeliveries(t.sql, id);
      assert.match(delivery?.error, /URL is refused: It does not begin with https/);
      assert.deepEqual(received, []);
    })
  ));

Deno.test("a secret that cannot be opened fails the delivery and says so", () =>
  withEndpoint(async ({ sql, companyId, received, deliver }) => {
    await sql`update outbound.webhooks set secret_sealed = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'`;
    await insertEvents(sql, companyId, 1);

    await deliver();

    assert.deepEqual(received, []);
    assert.match(
      (await readDeliveries(sql, companyId))[0]?.error,
      /secret cannot be opened: it is not a sealed text/,
    );
  }));

Deno.test("a company receives the events of its message, from the request to its being read", () =>
  withReceiver((receiver) =>
    withStack(async ({ http, sql, company, key, sender, template, dispatch }) => {
      const { secret } = await insertWebhook(sql, company.id, { url: receiver.url });
      await http.post("/notify", {
        contact: { number: "15551234567", name: "Asha" },
        language_template: template.language,
        name_template: template.name,
        recipient_id: sender.number,
        notification_type: "utility",
        campaign_name: "Order",
        name_event: "order_ready",
        components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
      }, { query: { access_key: key.key } });
      await dispatch();
      await eventually(async () => {
        await dispatch();
        const expected = ["campaign.completed", "flow.triggered"]
          .concat(["notification.delivered", "notification.read", "notification.sent"]);
        const verified = receiver.received.map(({ text, headers }) =>
          new Webhook(secret).verify(text, Object.fromEntries(headers)) as { type: string }
        );
        assert.deepEqual(verified.map(({ type }) => type).sort(), expected);
      });
      assert.equal((await readEvents(sql, company.id)).length, 5);
    }, LOCAL)
  ));
