import assert from "node:assert/strict";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertEvents, insertWebhook } from "../setup/fixtures/webhooks.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

/** A webhook with events one minute apart, the oldest first. */
async function withEvents(t: Manage, count: number): Promise<string[]> {
  await insertWebhook(t.sql, t.company.id);
  const ids = (await insertEvents(t.sql, t.company.id, count)).sort();
  for (const [index, id] of ids.entries()) {
    await t.sql`update outbound.outgoing_events
      set created_at = now() - make_interval(mins => ${count - index}) where id = ${id}`;
  }
  return ids;
}

/** Ends the pending attempt of an event; with `again` another one is due. */
async function finish(
  t: Manage,
  eventId: string,
  status: "succeeded" | "failed",
  again = false,
): Promise<void> {
  await t.sql`
    update outbound.webhook_deliveries set status = ${status}, finished_at = now(), duration_ms = 13,
      response_status = ${status === "failed" ? 503 : 204}, response_body = 'busy',
      error = ${status === "failed" ? "The endpoint responded with 503" : null}
    where event_id = ${eventId} and status = 'pending'`;
  if (!again) return;
  await t.sql`
    insert into outbound.webhook_deliveries (company_id, event_id, attempt, attempt_since_replay, run_at)
    select company_id, event_id, max(attempt) + 1, 2, now() + interval '5 minutes'
    from outbound.webhook_deliveries where event_id = ${eventId} group by company_id, event_id`;
}

Deno.test("GET …/deliveries lists one row per event, page by page, newest first, filtered by the latest attempt", () =>
  withManage(async (t) => {
    const [done, failed, waiting, fresh] = await withEvents(t, 4) as [string, string, string, string];
    await finish(t, done, "succeeded");
    await finish(t, failed, "failed");
    await finish(t, waiting, "failed", true);
    await insertEvents(t.sql, (await insertCompany(t.sql)).id, 1);
    const ids = async (query: Record<string, string>) =>
      (await t.read("/deliveries", query)).body.deliveries.map((row: JsonObject) => row.event_id);

    const first = (await t.read("/deliveries", { limit: "3" })).body;

    assert.deepEqual(first.deliveries.map((row: JsonObject) => row.event_id), [fresh, waiting, failed]);
    assert.deepEqual(await ids({ limit: "3", after: first.next }), [done]);
    const [, retried] = first.deliveries;
    assert.deepEqual([retried.status, retried.attempts, retried.response_status], ["pending", 1, 503]);
    assert.ok(Date.parse(retried.next_try_at) > Date.now());
    assert.deepEqual([first.deliveries[0].attempts, first.deliveries[0].last_try_at], [0, null]);
    assert.deepEqual(await ids({ status: "failed" }), [failed]);
    assert.deepEqual(await ids({ status: "pending" }), [fresh, waiting]);
    assert.deepEqual(await ids({ status: "succeeded", type: "notification.sent" }), [done]);
    assert.deepEqual(await ids({ type: "message.received" }), []);
    assert.deepEqual(await ids({ since: new Date(Date.now() - 150_000).toISOString() }), [fresh, waiting]);
  }));

Deno.test("GET …/deliveries reads a part of a long history per page, and says where to read on", () =>
  withManage(async (t) => {
    await insertWebhook(t.sql, t.company.id);
    const [oldest] = await insertEvents(t.sql, t.company.id, 1);
    await t.sql`update outbound.outgoing_events set created_at = now() - interval '1 day'`;
    await finish(t, oldest!, "failed");
    await insertEvents(t.sql, t.company.id, 5000);

    const first = (await t.read("/deliveries", { status: "failed" })).body;
    const second = (await t.read("/deliveries", { status: "failed", after: first.next })).body;

    assert.deepEqual([first.deliveries.length, second.deliveries.length], [0, 1]);
    assert.deepEqual([second.deliveries[0].event_id, second.next], [oldest, null]);
  }));

Deno.test("GET …/deliveries/{event_id} shows the body to the letter and every attempt", () =>
  withManage(async (t) => {
    const [id] = await withEvents(t, 1) as [string];
    await finish(t, id, "failed", true);

    const { body } = await t.read(`/deliveries/${id}`);

    assert.deepEqual(JSON.parse(body.body), { type: "notification.sent", data: 1 });
    assert.deepEqual(
      body.tries.map((
        { attempt, status, response_status, response_body, error }: JsonObject,
      ) => [attempt, status, response_status, response_body, error]),
      [[2, "pending", null, null, null], [1, "failed", 503, "busy", "The endpoint responded with 503"]],
    );
    const [foreign] = await insertEvents(t.sql, (await insertCompany(t.sql)).id, 1);
    assert.equal((await t.read(`/deliveries/${foreign}`)).status, 404);
  }));

Deno.test("one event is replayed, or those that failed since a time, each with an audit row", () =>
  withManage(async (t) => {
    const [old, recent, done] = await withEvents(t, 3) as [string, string, string];
    await finish(t, old, "failed");
    await finish(t, recent, "failed");
    await finish(t, done, "succeeded");
    const since = new Date(Date.now() - 150_000).toISOString();

    const bulk = (await t.act("/webhooks/replay", { since })).body;
    const one = (await t.act(`/deliveries/${done}/replay`)).body;
    const nothing = (await t.act("/webhooks/replay", { since: new Date().toISOString() })).body;

    assert.deepEqual([bulk.replayed, one.replayed, nothing.replayed], [1, 1, 0]);
    const pending = (await t.read("/deliveries", { status: "pending" })).body.deliveries;
    assert.deepEqual(pending.map((row: JsonObject) => row.event_id), [done, recent]);
    const audit = (await auditOf(t)).map(({ action, subject, after }) => [action, subject, after.replayed]);
    assert.deepEqual(audit, [["delivery.replayed", done, 1], ["delivery.replayed", null, 1]]);
  }));

Deno.test("a replay is refused without a webhook, while it is off, and for events of others", () =>
  withManage(async (t) => {
    const since = { since: "2026-12-01T09:00:00Z" };
    assert.equal((await t.act("/webhooks/replay", since)).status, 404);
    const [own] = await withEvents(t, 1);
    const [foreign] = await insertEvents(t.sql, (await insertCompany(t.sql)).id, 1);
    assert.equal((await t.act(`/deliveries/${foreign}/replay`)).status, 404);
    for (const body of [{}, { since: "yesterday" }, { since: "2026-12-01T09:00:00" }]) {
      assert.equal((await t.act("/webhooks/replay", body)).status, 400);
    }
    await t.act("/webhooks/off");

    for (const path of ["/webhooks/replay", `/deliveries/${own}/replay`]) {
      const { status, body } = await t.act(path, since);
      assert.deepEqual([status, body.error], [409, "webhook_off"]);
    }
  }));

Deno.test("GET …/deliveries refuses filters of the wrong form", () =>
  withManage(async (t) => {
    for (
      const query of [{ status: "lost" }, { type: "x" }, { after: crypto.randomUUID() }, { since: "today" }]
    ) {
      const [field] = Object.keys(query);
      const { status, body } = await t.read("/deliveries", query as unknown as Record<string, string>);
      assert.deepEqual([status, body.details.field], [400, field]);
    }
  }));
