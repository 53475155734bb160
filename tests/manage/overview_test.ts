import assert from "node:assert/strict";
import { enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { insertMember, insertSender } from "../setup/fixtures/fixtures.ts";
import { claim, enqueue, insertSendingCompany } from "../setup/fixtures/queue.ts";
import { insertWebhook } from "../setup/fixtures/webhooks.ts";
import { withManage } from "./with_manage.ts";

Deno.test("GET …/overview counts open campaigns, what waits and for how long, and names senders in trouble", () =>
  withManage(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    await enqueue(t.sql, company, { count: 2 });
    await enqueue(t.sql, company, { count: 3, dueInS: 3600 });
    const stopped = await insertSender(t.sql, company.id, { status: "stopped", stopped_reason: "Locked" });
    await enqueue(t.sql, company, { sender: stopped });
    await t.sql`update outbound.queue set run_at = now() - interval '90 seconds'
      where sender_id = ${company.sender.id} and status = 'queued'`;
    await t
      .sql`update outbound.sender_schedule set queue_cursor = array_fill('-infinity'::timestamptz, array[3])
      where company_id = ${company.id}`;

    const { body } = await t.members.viewer.ask("GET", `/companies/${company.id}/overview`);

    assert.deepEqual(body.campaigns, {
      sending: 1,
      paused: 1,
      scheduled: 1,
      held_by_template: 0,
      more: false,
    });
    assert.deepEqual([body.waiting, body.ongoing_calls, body.accepted_today], [6, 0, 6]);
    assert.ok(body.oldest_wait_s >= 90 && body.oldest_wait_s < 120, String(body.oldest_wait_s));
    assert.deepEqual(body.senders_in_trouble, [{
      sender_id: stopped.id,
      number: stopped.number,
      channel: "whatsapp",
      trouble: "stopped",
      code: null,
      reason: "Locked",
    }]);
  }));

Deno.test("GET …/overview names senders of low quality, and those that have reached the platform's limit", () =>
  withManage(async (t) => {
    const { id: companyId } = t.company;
    const insert = async (quality: string | null, messaging_limit: string) => {
      const sender = await insertSender(t.sql, companyId);
      await t.sql`update outbound.senders set ${t.sql({ quality, messaging_limit })} where id = ${sender.id}`;
      return sender;
    };
    const low = await insert("RED", "TIER_UNLIMITED");
    const full = await insert("RED", "TIER_2K");
    const fine = await insert(null, "TIER_2K");
    const none = "00000000-0000-0000-0000-000000000000";
    for (const [sender, hoursAgo, sent] of [[full, 2, 2000], [fine, 2, 1999], [fine, 30, 500]] as const) {
      await t.sql`insert into outbound.history
        (company_id, hour, campaign_id, template_id, sender_id, channel, area, reason, sent)
        values (${companyId}, date_trunc('hour', now()) - make_interval(hours => ${hoursAgo}), ${none}, ${none},
          ${sender.id}, 'whatsapp', '', '', ${sent})`;
    }

    const { senders_in_trouble } = (await t.read("/overview")).body;

    assert.deepEqual(
      senders_in_trouble.map((
        { sender_id, trouble }: { sender_id: string; trouble: string },
      ) => [sender_id, trouble])
        .sort(),
      [[low.id, "low_quality"], [full.id, "limit_reached"]].sort(),
    );
  }));

Deno.test("GET …/overview counts the calls that are going on, of this company only", () =>
  withManage(async (t) => {
    const company = await insertCallingCompany(t.sql);
    await insertMember(t.sql, company.id, t.members.viewer.userId, "viewer");
    await enqueueCalls(t.sql, company, { count: 2 });
    await claim(t.sql);

    const { body } = await t.members.viewer.ask("GET", `/companies/${company.id}/overview`);

    assert.equal(body.ongoing_calls, 2);
    assert.deepEqual((await t.read("/overview")).body, {
      campaigns: { sending: 0, paused: 0, scheduled: 0, held_by_template: 0, more: false },
      waiting: 0,
      put_off: 0,
      wait: null,
      oldest_wait_s: null,
      senders_in_trouble: [],
      ongoing_calls: 0,
      accepted_today: 0,
      budget: null,
      webhook: null,
    });
  }));

Deno.test("GET …/overview says whether the company's endpoint receives its events", () =>
  withManage(async (t) => {
    const read = async () => (await t.read("/overview")).body.webhook;
    await insertWebhook(t.sql, t.company.id);
    assert.deepEqual(await read(), { state: "working", failures: 0, reason: null });

    await t.sql`update outbound.webhooks set failures = 4 where company_id = ${t.company.id}`;
    assert.deepEqual(await read(), { state: "failing", failures: 4, reason: null });

    await t.sql`update outbound.webhooks set is_active = false, stopped_reason = 'It responds with 410 Gone'
      where company_id = ${t.company.id}`;
    assert.deepEqual(await read(), { state: "stopped", failures: 4, reason: "It responds with 410 Gone" });
  }));
