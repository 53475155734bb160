import assert from "node:assert/strict";
import type postgres from "postgres";
import { Webhook } from "standardwebhooks";
import { createDeliveries } from "../../../supabase/functions/_shared/events_out/deliveries.ts";
import type { Sender } from "../../../supabase/functions/_shared/sending/sender.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertCompany, insertSender } from "../../setup/fixtures/fixtures.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { tickWithoutProbe } from "../../setup/fixtures/queue.ts";
import {
  insertFurtherWebhook,
  insertWebhook,
  readEvents,
  writeEvent,
} from "../../setup/fixtures/webhooks.ts";
import { type EventReceiver, withReceiver } from "../../setup/http/receiver.ts";
import { type TestServices, withServices } from "../../setup/stack/services.ts";
import { withStack } from "../../setup/stack/stack.ts";

const LOCAL = { env: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" } };

interface TwoEndpoints extends TestServices {
  companyId: string;
  own: EventReceiver;
  further: EventReceiver & { id: string };
  /** Delivers all that is due. */
  deliver(): Promise<void>;
}

/** Calls `use` with a company that has its own webhook and one more, whose server responds as `respond` does. */
function withTwoEndpoints(
  use: (t: TwoEndpoints) => Promise<void>,
  respond?: Parameters<typeof withReceiver>[1],
): Promise<void> {
  return withReceiver((own) =>
    withReceiver((further) =>
      withServices(async (t) => {
        const { id: companyId } = await insertCompany(t.sql);
        await insertWebhook(t.sql, companyId, { url: own.url });
        const { id } = await insertFurtherWebhook(t.sql, companyId, { url: further.url });
        await use({
          ...t,
          companyId,
          own,
          further: { ...further, id },
          deliver: () => start(t).stop("idle"),
        });
      }, LOCAL), respond)
  );
}

function start({ services }: TestServices): Sender {
  const deliveries = createDeliveries(services, { signal: new AbortController().signal });
  deliveries.run();
  return deliveries;
}

/** Every attempt at an endpoint: the latest last. */
async function statusesAt(
  sql: postgres.Sql,
  companyId: string,
  endpointId: string | null,
): Promise<string[]> {
  const rows = await sql<{ status: string }[]>`
    select status from outbound.webhook_deliveries
    where company_id = ${companyId} and endpoint_id = coalesce(${endpointId}::uuid, '00000000-0000-0000-0000-000000000000')
    order by event_id, attempt`;
  return rows.map(({ status }) => status);
}

Deno.test("an event of a message is written once, and reaches each endpoint that wants its type, channel and sender", () =>
  withReceiver((all) =>
    withReceiver((fitting) =>
      withReceiver((others) =>
        withStack(async ({ http, sql, company, key, sender, template, dispatch }) => {
          await insertWebhook(sql, company.id, { url: all.url });
          const { secret } = await insertFurtherWebhook(sql, company.id, {
            url: fitting.url,
            event_types: ["notification.sent"],
            channels: ["whatsapp"],
            sender_ids: [sender.id],
          });
          const another = await insertSender(sql, company.id);
          await insertFurtherWebhook(sql, company.id, { url: others.url, sender_ids: [another.id] });
          await insertFurtherWebhook(sql, company.id, { url: others.url, channels: ["voice"] });
          await insertFurtherWebhook(sql, company.id, { url: others.url, is_active: false });
          await insertFurtherWebhook(sql, (await insertCompany(sql)).id, { url: others.url });

          await http.post("/notify", {
            contact: { number: "15551234567", name: "Asha" },
            language_template: template.language,
            name_template: template.name,
            recipient_id: sender.number,
            notification_type: "utility",
            campaign_name: "Order",
            components_push: { body_text_0: "{{name}}", body_text_1: "A-17" },
          }, { query: { access_key: key.key } });
          await eventually(async () => {
            await dispatch();
            assert.equal(all.received.length, 4);
          });

          const [event] = fitting.received;
          assert.equal(fitting.received.length, 1);
          const { type } = new Webhook(secret).verify(event!.text, Object.fromEntries(event!.headers)) as {
            type: string;
          };
          assert.equal(type, "notification.sent");
          assert.deepEqual(others.received, []);
          const written = await readEvents(sql, company.id);
          assert.equal(written.length, 4);
          const id = written.find((each) => each.type === type)!.id;
          assert.equal(event!.headers.get("webhook-id"), id);
          assert.ok(all.received.some(({ headers }) => headers.get("webhook-id") === id));
        }, LOCAL)
      )
    )
  ));

Deno.test("an event that names no sender passes no filter of senders, and an opt-out of any channel passes each of channels", () =>
  withTwoEndpoints(async ({ sql, companyId, further, own, deliver }) => {
    await sql`update outbound.webhooks set sender_ids = array[gen_random_uuid()]`;
    await sql`update outbound.webhook_endpoints set channels = '{voice}'`;

    await writeEvent(sql, companyId, "contact.opted_out", { channel: "any" });
    await writeEvent(sql, companyId, "contact.opted_out", { channel: "whatsapp" });
    await writeEvent(sql, companyId, "handoff.ended");
    await deliver();

    assert.equal(own.received.length, 0);
    assert.deepEqual(further.received.map(({ text }) => JSON.parse(text).data), [{ channel: "any" }]);
  }));

Deno.test("an endpoint that hangs holds up no other of its company, and all of them together get sixteen requests", () => {
  const released = Promise.withResolvers<Response>();
  return withTwoEndpoints(async (t) => {
    for (let index = 0; index < 40; index++) await writeEvent(t.sql, t.companyId);
    const deliveries = start(t);

    await eventually(() => assert.equal(t.own.received.length, 40));

    assert.equal(t.further.received.length, 8);
    released.resolve(new Response());
    await deliveries.stop("now");
  }, async () => (await released.promise).clone());
});

Deno.test("410 stops one endpoint only, and the others get what it misses", () =>
  withTwoEndpoints(async ({ sql, companyId, own, further, deliver }) => {
    await writeEvent(sql, companyId);
    await deliver();
    await writeEvent(sql, companyId);
    await deliver();

    assert.deepEqual([own.received.length, further.received.length], [2, 1]);
    const [row] = await sql`select is_active, stopped_reason from outbound.webhook_endpoints`;
    assert.equal(row!.is_active, false);
    assert.match(row!.stopped_reason, /410/);
    assert.deepEqual((await sql`select is_active from outbound.webhooks`)[0]!.is_active, true);
  }, () => new Response("", { status: 410 })));

Deno.test("failures count for the endpoint that fails, and its hours show them", () =>
  withTwoEndpoints(async ({ sql, companyId, deliver }) => {
    for (let count = 0; count < 3; count++) {
      await writeEvent(sql, companyId);
      await deliver();
    }

    assert.equal((await sql`select failures from outbound.webhooks`)[0]!.failures, 0);
    assert.equal((await sql`select failures from outbound.webhook_endpoints`)[0]!.failures, 3);
    const history = await sql`
      select sum(succeeded)::int as succeeded, sum(failed)::int as failed from outbound.webhook_history
      group by endpoint_id order by 1`;
    assert.deepEqual(history.map((row) => [row.succeeded, row.failed]), [[0, 3], [3, 0]]);
  }, () => new Response("", { status: 500 })));

Deno.test("when all endpoints of an event fail at once, each gets its next attempt", () =>
  withServices(async (t) => {
    const { sql } = t;
    const { id: companyId } = await insertCompany(sql);
    await insertWebhook(sql, companyId);
    const ids: (string | null)[] = [null];
    for (let count = 0; count < 4; count++) ids.push((await insertFurtherWebhook(sql, companyId)).id);
    for (let count = 0; count < 5; count++) await writeEvent(sql, companyId);

    // Nothing listens at their URLs.
    await Promise.all([start(t).stop("idle"), start(t).stop("idle")]);

    for (const id of ids) {
      const statuses = await statusesAt(sql, companyId, id);
      assert.equal(statuses.filter((status) => status === "pending").length, 5, `${id}: ${statuses}`);
    }
  }, LOCAL));

Deno.test("an attempt that fails while another endpoint's delivery of the event is replayed gets its next one", () =>
  withPostgresDatabase(async ({ sql }) => {
    const { id: companyId } = await insertCompany(sql);
    await insertWebhook(sql, companyId);
    const { id } = await insertFurtherWebhook(sql, companyId);
    await writeEvent(sql, companyId);
    await sql`update outbound.webhook_deliveries set status = 'failed', finished_at = now() where endpoint_id = ${id}`;
    const [claimed] = await sql`select * from outbound.claim_deliveries('w', 1, 1, interval '1 minute')`;
    const { event_id, attempt } = claimed!;
    const result = {
      company_id: companyId,
      event_id,
      attempt,
      outcome: "failed",
      duration_ms: 1,
      retry_in_s: 5,
    };

    const replaying = await sql.reserve();
    await replaying`begin`;
    await replaying`select outbound.replay_endpoint(${companyId}, ${id}, ${event_id}, null)`;
    const finished = sql`select outbound.finish_deliveries('w', ${sql.json([result])})`.execute();
    await eventually(async () => {
      const [{ waiting } = { waiting: 0 }] = await sql<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`;
      assert.equal(waiting, 1);
    });
    await replaying`commit`;
    replaying.release();
    await finished;

    assert.deepEqual(await statusesAt(sql, companyId, null), ["failed", "pending"]);
    assert.deepEqual(await statusesAt(sql, companyId, id), ["failed", "pending"]);
  }));

Deno.test("what a lost worker held for a further endpoint is delivered when its lease ends", () =>
  withTwoEndpoints(async ({ sql, companyId, further, deliver }) => {
    await writeEvent(sql, companyId);
    await sql`select outbound.claim_deliveries('lost', 10, 10, interval '1 minute')`;
    await deliver();
    assert.equal(further.received.length, 0);

    await sql`update outbound.webhook_deliveries set run_at = now() where worker = 'lost'`;
    await tickWithoutProbe(sql);
    await deliver();

    assert.equal(further.received.length, 1);
  }));
