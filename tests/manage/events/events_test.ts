import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import { insertSender } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { enqueue, insertSendingCompany, type SendingCompany } from "../../setup/fixtures/queue.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { followCompany } from "./follow_company.ts";
import { type Manage, withManage } from "../with_manage.ts";

/** The company of the members, made able to send. */
async function withSender(t: Manage): Promise<string> {
  return (await insertSender(t.sql, t.company.id)).id;
}

async function receiveMessage(t: Manage, senderId: string, text: string): Promise<string> {
  const id = crypto.randomUUID();
  await t.sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
    values (${t.company.id}, ${id}, ${senderId}, 'in', '34600111222', 'text', ${text}, 'received', now())`;
  return id;
}

const typesIn = (events: JsonObject[]) => new Set(events.map(({ type }) => type));

Deno.test("GET …/events lists what changed since the last one: every kind of change", () =>
  withManage(async (t) => {
    const company: SendingCompany = await insertSendingCompany(t.sql);
    const { owner } = t.members;
    await t
      .sql`insert into outbound.company_members (company_id, user_id) values (${company.id}, ${owner.userId})`;
    const poll = async (after?: string) =>
      (await owner.ask("GET", `/companies/${company.id}/events`, undefined, after ? { after } : {})).body;
    const { campaignId } = await enqueue(t.sql, company, { count: 2 });
    const { template } = company;
    const voice = await enqueueCall(t, company);
    const widget = await insertWidget(t.sql, company.id);
    const first = await poll();
    assert.deepEqual([first.events, first.reset], [[], false]);

    await t.sql`update outbound.campaigns set replied = 1 where id = ${campaignId}`;
    await t
      .sql`update outbound.templates set status = 'disabled', updated_at = now() where id = ${template.id}`;
    await t.sql`update outbound.senders set quality = 'RED' where company_id = ${company.id}`;
    await t.sql`
      insert into outbound.calls (company_id, notification_id, outcome, started_at)
      values (${company.id}, ${voice}, 'no_answer', now())`;
    await t.sql`
      insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, status, at)
      select company_id, gen_random_uuid(), id, 'in', '34600111222', 'text', 'received', now() from outbound.senders
      where company_id = ${company.id} and channel = 'whatsapp' limit 1`;
    await t.sql`
      insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, room)
      values (${company.id}, gen_random_uuid(), ${widget.id}, gen_random_uuid(), 'conv', 'room')`;
    await t.sql`
      insert into outbound.outgoing_events (company_id, id, type, payload) values (${company.id}, 'evt_1', 'x', '{}')`;
    await t.sql`
      insert into outbound.webhook_deliveries (company_id, event_id, status, finished_at)
      values (${company.id}, 'evt_1', 'failed', now())`;
    await t.sql`
      insert into outbound.campaign_uploads (company_id, id, created_by, plan)
      values (${company.id}, gen_random_uuid(), 'cli', '{"fields": {"campaign_name": "A file"}}')`;
    const second = await poll(first.next);
    const third = await poll(second.next);

    assert.deepEqual(
      typesIn(second.events),
      new Set([
        "campaign",
        "upload",
        "sender",
        "template",
        "call",
        "conversation",
        "message",
        "handoff",
        "delivery",
      ]),
    );
    const campaign = second.events.find(({ type }: JsonObject) => type === "campaign").data;
    assert.deepEqual([campaign.campaign_id, campaign.replied, campaign.status], [campaignId, 1, "sending"]);
    // Transactions of other databases may hold the cursor back, so the same may come again.
    assert.equal(third.reset, false);
    assert.ok(third.events.length <= second.events.length);
  }));

/** Inserts a call that was accepted; returns its id. */
async function enqueueCall(t: Manage, company: SendingCompany): Promise<string> {
  const { ids: [first] } = await enqueue(t.sql, company, { count: 1 });
  await t.sql`update outbound.queue set voice = true where id = ${first!}`;
  await t.sql`update outbound.notification_facts set voice = true where id = ${first!}`;
  return first!;
}

Deno.test("an event stream begins with ready, sends changes with an id, and misses nothing after a reconnect", () =>
  withManage(async (t) => {
    const sender = await withSender(t);
    const first = await followCompany(t, t.members.viewer);
    await eventually(() => assert.deepEqual(first.events.map(({ event }) => event), ["ready"]));
    await receiveMessage(t, sender, "one");
    await eventually(() => assert.ok(first.events.some(({ data }) => data.text === "one")));
    const last = first.lastId()!;
    await first.leave();
    await receiveMessage(t, sender, "two");

    const second = await followCompany(t, t.members.viewer, { "last-event-id": last });

    await eventually(() => assert.ok(second.events.some(({ data }) => data.text === "two")));
    assert.equal(first.headers.get("content-type"), "text/event-stream");
    assert.ok(!second.events.some(({ event }) => event === "reset"));
    await second.leave();
  }));

Deno.test("what a transaction wrote that commits late is not missed, and what others wrote comes once", () =>
  withManage(async (t) => {
    const sender = await withSender(t);
    const stream = await followCompany(t, t.members.viewer);
    await eventually(() => assert.equal(stream.events.length, 1));
    await t.sql.begin(async (slow) => {
      await slow`
        insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
        values (${t.company.id}, gen_random_uuid(), ${sender}, 'in', '34600111333', 'text', 'late', 'received', now())`;
      await receiveMessage(t, sender, "early");
      await eventually(() => assert.ok(stream.events.some(({ data }) => data.text === "early")));
    });

    await eventually(() => assert.ok(stream.events.some(({ data }) => data.text === "late")));
    const texts = stream.events.flatMap(({ data }) => data.text ?? []);
    assert.deepEqual(texts, ["early", "late"]);
    await stream.leave();
  }));

Deno.test("a member who is removed loses the stream within seconds", () =>
  withManage(async (t) => {
    const stream = await followCompany(t, t.members.viewer);
    await eventually(() => assert.equal(stream.events.length, 1));

    await t.sql`delete from outbound.company_members where user_id = ${t.members.viewer.userId}`;

    await stream.ended;
  }));

Deno.test("GET …/events refuses ids that are none, and says when a cursor is out of reach", () =>
  withManage(async (t) => {
    const { body: { next } } = await t.read("/events");
    const [timeline, xid] = next.split("-");
    for (
      const id of [
        "x",
        "1",
        xid,
        "-1-2",
        `${next}-3`,
        "1'--",
        "9".repeat(40),
        `${timeline}-${"9".repeat(19)}`,
      ]
    ) {
      const { status, body } = await t.read("/events", { after: id });
      assert.deepEqual([status, body.details?.expected_format], [400, "the id of an event, or `next`"], id);
      const stream = await followCompany(t, t.members.viewer, { "last-event-id": id });
      assert.equal(stream.status, 400, id);
      await stream.leave();
    }
    for (const id of [`${timeline}-${"9".repeat(18)}`, `${"0".repeat(16)}-${xid}`, `${"0".repeat(16)}-0`]) {
      const { body } = await t.read("/events", { after: id });
      assert.equal(body.reset, true, id);
      assert.equal((await t.read("/events", { after: body.next })).body.reset, false, id);
    }
  }));

Deno.test("GET …/events reports a reply whose state changes long after it was written", () =>
  withManage(async (t) => {
    const id = await receiveMessage(t, await withSender(t), "an hour ago");
    await t.sql`
      update outbound.contact_messages set direction = 'out', status = 'sent', created_at = now() - interval '1 hour'
      where id = ${id}`;
    const { body: { next } } = await t.read("/events");

    await t.sql`update outbound.contact_messages set status = 'failed' where id = ${id}`;

    const { body } = await t.read("/events", { after: next });
    assert.deepEqual(
      body.events.filter(({ type }: JsonObject) => type === "message").map(({ data }: JsonObject) =>
        data.status
      ),
      ["failed"],
    );
  }));

Deno.test("GET …/events reports a call that the service ends long after it began", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { owner } = t.members;
    await t
      .sql`insert into outbound.company_members (company_id, user_id) values (${company.id}, ${owner.userId})`;
    const poll = async (after = "") =>
      (await owner.ask("GET", `/companies/${company.id}/events`, undefined, { after })).body;
    const call = await enqueueCall(t, company);
    await t.sql`delete from outbound.queue where id = ${call}`;
    await t.sql`
      update outbound.notification_facts set status = 'sent', sent_at = now() - interval '1 day', attempt = 1, fence = 1,
        claimed_at = now() where id = ${call}`;
    await t.sql`
      update outbound.campaigns set pending = 0, sent = 1, completed_at = now() where company_id = ${company.id}`;
    await t.sql`
      insert into outbound.calls (company_id, notification_id, started_at)
      values (${company.id}, ${call}, now() - interval '1 day')`;
    const { next } = await poll();

    await t.sql`select outbound.fail_endless_calls(10, interval '1 hour')`;

    const { events } = await poll(next);
    const calls = events.filter(({ type }: JsonObject) => type === "call");
    assert.deepEqual(calls.map(({ data }: JsonObject) => data.status), ["failed"]);
  }));

/** Finished campaigns of one message each, as many requests make them. */
async function insertSmallCampaigns(t: Manage, company: SendingCompany, count: number): Promise<void> {
  await t.sql`
    insert into outbound.campaigns (company_id, id, api_key_id, channel, name, notification_type, sender_id, template_id,
      total, pending, sent, completed_at)
    select ${company.id}, gen_random_uuid(), ${company.key.id}, 'whatsapp', 'Small', 'utility', ${company.sender.id},
      ${company.template.id}, 1, 0, 1, now()
    from generate_series(1, ${count})`;
}

/** A cursor behind what is committed by now. Transactions of other databases may hold cursors back for seconds. */
async function cursorAfterNow(t: Manage, poll: () => Promise<JsonObject>): Promise<string> {
  const [now] = await t.sql<{ xid: string }[]>`select pg_snapshot_xmax(pg_current_snapshot())::text as xid`;
  return await eventually(async () => {
    const { next } = await poll();
    assert.ok(BigInt(next.split("-")[1]) >= BigInt(now!.xid));
    return next;
  });
}

for (const [small, expected] of [[1900, "sent"], [2400, "a reset"]] as const) {
  Deno.test(`the counters of a campaign that changes beside ${small} new ones are ${expected}`, () =>
    withManage(async (t) => {
      const company = await insertSendingCompany(t.sql);
      const { owner } = t.members;
      await t.sql`
        insert into outbound.company_members (company_id, user_id) values (${company.id}, ${owner.userId})`;
      const poll = async (after = "") =>
        (await owner.ask("GET", `/companies/${company.id}/events`, undefined, { after })).body;
      const { campaignId } = await enqueue(t.sql, company, { count: 3 });
      await insertSmallCampaigns(t, company, small);
      const next = await cursorAfterNow(t, poll);

      await t.sql`update outbound.campaigns set replied = 1 where id = ${campaignId}`;

      const { events, reset } = await poll(next);
      const isSent = events.some(({ data }: JsonObject) => data.campaign_id === campaignId);
      assert.deepEqual({ isSent, reset }, { isSent: expected === "sent", reset: expected === "a reset" });
    }));
}

Deno.test("who was away while too much changed reads the lists anew, and those who stayed do not", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { owner, viewer } = t.members;
    await t.sql`
      insert into outbound.company_members (company_id, user_id)
      values (${company.id}, ${owner.userId}), (${company.id}, ${viewer.userId})`;
    const path = `/companies/${company.id}/events`;
    const { body: { next } } = await owner.ask("GET", path);
    await insertSmallCampaigns(t, company, 300);
    const cursor = await cursorAfterNow(t, async () => (await viewer.ask("GET", path)).body);
    const stayed = await followCompany({ app: t.app, company }, viewer, { "last-event-id": cursor });
    await eventually(() => assert.equal(stayed.events.length, 1));

    assert.equal((await owner.ask("GET", path, undefined, { after: next })).body.reset, true);

    await t.sql`update outbound.senders set quality = 'RED' where company_id = ${company.id}`;
    await eventually(() => assert.ok(stayed.events.some(({ event }) => event === "sender")));
    assert.ok(!stayed.events.some(({ event }) => event === "reset"));
    await stayed.leave();
  }));

Deno.test("counters that move leave the index of what changed alone", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company);
    const mark = async () => {
      const [row] = await t.sql`
        select changed_xid as mark, pg_snapshot_xmax(pg_current_snapshot())::text::bigint - changed_xid as age
        from outbound.campaigns where id = ${campaignId}`;
      return row!;
    };
    const { mark: before } = await mark();

    await t.sql`update outbound.campaigns set replied = 1 where id = ${campaignId}`;
    assert.equal((await mark()).mark, before);

    // Long ago, or in the numbers of the database that it was restored from.
    for (const other of [1, 10n ** 15n]) {
      await t.sql`alter table outbound.campaigns disable trigger campaigns_report`;
      await t.sql`update outbound.campaigns set changed_xid = ${String(other)} where id = ${campaignId}`;
      await t.sql`alter table outbound.campaigns enable trigger campaigns_report`;
      await t.sql`update outbound.campaigns set replied = 2 where id = ${campaignId}`;
      const { age } = await mark();
      assert.ok(age >= 0 && age <= 1000, `${age}`);
    }
  }));
