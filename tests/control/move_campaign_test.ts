import assert from "node:assert/strict";
import type postgres from "postgres";
import {
  continueStopping,
  moveCampaign,
} from "../../supabase/functions/_shared/db/campaigns/campaign_control.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withTestDatabase } from "../setup/database/database.ts";
import {
  acceptAll,
  assertConserved,
  claim,
  enqueue,
  fillBucket,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import { heldOf, pause, resume } from "./campaign.ts";

const HOUR = 3600;
const BY = { actor: "cli" } as const;

function ask(
  { http }: TestServices,
  { key }: SendingCompany,
  [method, path]: [method: string, path: string],
  body?: JsonObject,
) {
  return http.request(method, `/manage/companies/mine/campaigns/${path}`, body, {
    query: { access_key: key.key },
  });
}

/** When what waits of a campaign is due and expires, in the order of the ids. */
async function timesOf(sql: postgres.Sql, campaignId: string): Promise<[due: string, ttlS: number][]> {
  const rows = await sql`
    select coalesce(held_run_at, run_at) as due,
      extract(epoch from expires_at - coalesce(held_run_at, run_at))::int as ttl
    from outbound.queue where campaign_id = ${campaignId} order by id`;
  return rows.map(({ due, ttl }) => [due.toISOString(), ttl]);
}

Deno.test("POST …/campaigns/{campaign_id}/move gives what waits another time, and writes one audit row", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company, { count: 3, dueInS: HOUR, ttlS: 600 });
    const body = { datetime_sending: "2099-01-31T09:00:00", timezone: "Europe/Madrid" };

    const moved = await ask(t, company, ["POST", `${campaignId}/move`], body);
    const again = await ask(t, company, ["POST", `${campaignId}/move`], body);

    const expected = { campaign_id: campaignId, status: "scheduled", in_flight: 0 };
    const scheduled_time = "2099-01-31T08:00:00Z";
    assert.deepEqual([moved.status, moved.body], [200, { ...expected, changed: 3, scheduled_time }]);
    assert.deepEqual([again.status, again.body], [200, { ...expected, changed: 0, scheduled_time }]);
    const due = "2099-01-31T08:00:00.000Z";
    assert.deepEqual(await timesOf(t.sql, campaignId), [[due, 600], [due, 600], [due, 600]]);
    const shown = (await ask(t, company, ["GET", campaignId])).body;
    assert.deepEqual([shown.scheduled_time, shown.timezone, shown.pending], [
      scheduled_time,
      "Europe/Madrid",
      3,
    ]);
    const audit = await t.sql`
      select actor, after from outbound.audit_log where action = 'campaign.moved' and subject = ${campaignId}`;
    assert.equal(audit.length, 1);
    assert.deepEqual(audit[0]!.after, { scheduled_time: due, timezone: "Europe/Madrid" });
    await assertConserved(t.sql);
  }));

Deno.test("a campaign whose new time comes while it is moved leaves at once", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 2, dueInS: 24 * HOUR });
    const ids = { companyId: company.id, campaignId };

    const to = new Date(Date.now() - 1000);

    const moved = await moveCampaign(sql, ids, { to, timezone: null }, BY);
    await fillBucket(sql, company.sender.id);

    assert.deepEqual([moved.outcome, moved.changed, moved.scheduled_time], ["begun", 2, to]);
    assert.equal((await claim(sql, { limit: 10 })).length, 2);
  }));

Deno.test("a paused campaign is moved while it is held, and stays held", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await enqueue(t.sql, company, { count: 3, dueInS: HOUR });
    await pause(t.sql, company.id, campaignId);

    const { body } = await ask(t, company, ["POST", `${campaignId}/move`], {
      datetime_sending: "2099-01-31T09:00:00",
    });

    assert.deepEqual([body.status, body.changed], ["paused", 3]);
    assert.equal(await heldOf(t.sql, campaignId), 3);
    await resume(t.sql, company.id, campaignId);
    const due = await timesOf(t.sql, campaignId);
    assert.deepEqual(new Set(due.map(([at]) => at)), new Set(["2099-01-31T09:00:00.000Z"]));
    assert.equal(await heldOf(t.sql, campaignId), 0);
  }));

Deno.test("a campaign that has started, is over or still takes contacts is not moved", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const at = { datetime_sending: "2099-01-31T09:00:00" };
    const sending = await enqueue(t.sql, company, { count: 2 });
    await claim(t.sql, { limit: 1 });
    const cancelled = await enqueue(t.sql, company, { dueInS: HOUR });
    await ask(t, company, ["POST", `${cancelled.campaignId}/cancel`]);
    const open = requestOf(company, { dueInS: HOUR });
    await acceptAll(t.sql, [{ ...open, campaign: { ...open.campaign, more: true } }]);

    const refused: [string, string][] = [
      [sending.campaignId, "sending"],
      [cancelled.campaignId, "cancelled"],
      [open.campaign.id, "scheduled"],
    ];
    for (const [campaignId, status] of refused) {
      const answer = await ask(t, company, ["POST", `${campaignId}/move`], at);
      assert.deepEqual([answer.status, answer.body.error, answer.body.details], [
        409,
        "campaign_not_scheduled",
        { status },
      ]);
    }
    for (const body of [{}, { datetime_sending: "2001-01-01T00:00:00" }, { ...at, timezone: "Mars" }]) {
      const answer = await ask(t, company, ["POST", `${open.campaign.id}/move`], body);
      assert.deepEqual([answer.status, answer.body.error], [400, "validation_failed"]);
    }
  }));

/** A campaign at its recipients' time of day, spread over a quarter of an hour. */
async function enqueueTimed(sql: postgres.Sql, company: SendingCompany): Promise<string> {
  const request = requestOf(company, { count: 4, ttlS: 600 });
  const first = Date.parse("2099-01-31T00:00:00Z");
  await acceptAll(sql, [{
    ...request,
    campaign: {
      ...request.campaign,
      scheduled_time: new Date(first).toISOString(),
      timezone: "Europe/Madrid",
      timing: { recipient_time: "09:00", day: "2099-01-31" },
    },
    notifications: request.notifications.map((notification, index) => ({
      ...notification,
      run_at: new Date(first + index * 8 * HOUR * 1000),
    })),
  }]);
  return request.campaign.id;
}

Deno.test("a campaign at its recipients' time of day is moved by days, and each keeps its hour", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const campaignId = await enqueueTimed(sql, company);
    const before = await timesOf(sql, campaignId);
    const to = new Date("2099-02-03T15:00:00Z");

    await moveCampaign(sql, { companyId: company.id, campaignId }, { to, timezone: "Europe/Madrid" }, BY);

    const moved = before.map(([at, ttl]) => [new Date(Date.parse(at) + 72 * HOUR * 1000).toISOString(), ttl]);
    assert.deepEqual(await timesOf(sql, campaignId), moved);
    const [row] = await sql`
      select g.scheduled_time, b.timing from outbound.campaigns as g
      join outbound.bulk_campaigns as b on b.campaign_id = g.id where g.id = ${campaignId}`;
    assert.equal(row!.scheduled_time.toISOString(), "2099-02-03T00:00:00.000Z");
    assert.deepEqual(row!.timing, { recipient_time: "09:00", day: "2099-02-03" });
  }));

Deno.test("a move goes step by step, nothing leaves meanwhile, and a dispatcher ends one whose process died", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId } = await enqueue(sql, company, { count: 25, dueInS: HOUR });
    const to = "2099-01-31T09:00:00.000Z";
    await sql`
      select * from outbound.move_campaign(${company.id}, ${campaignId}, ${to}::timestamptz, null, 'cli', null)`;
    const steps = () => sql`select * from outbound.move_notifications(${company.id}, ${campaignId}, 10)`;
    const [step] = await steps();
    // As if the time that it had were there.
    await sql`
      update outbound.queue set run_at = now() where campaign_id = ${campaignId} and run_at < '2099-01-01'`;
    await fillBucket(sql, company.sender.id);

    const during = await claim(sql, { limit: 100 });
    const busy = await sql`
      select outcome from outbound.move_campaign(${company.id}, ${campaignId}, now() + interval '1 day', null, 'cli', null)`;
    await sql`
      update outbound.campaigns set stopping_at = now() - interval '1 minute' where id = ${campaignId}`;
    await continueStopping(sql);

    assert.deepEqual([step!.moved, step!.is_over, during.length, busy[0]!.outcome], [10, false, 0, "moving"]);
    const due = await timesOf(sql, campaignId);
    assert.equal(due.filter(([at]) => at === to).length, 10, "each is moved once");
    assert.ok(due.every(([at]) => at > "2098"));
    const [row] = await sql`
      select stopping_at, exists (select from outbound.campaign_moves) as is_moving from outbound.campaigns
      where id = ${campaignId}`;
    assert.deepEqual([row!.stopping_at, row!.is_moving], [null, false]);
    const [over] = await steps();
    assert.deepEqual([over!.moved, over!.is_over], [0, true]);
    await assertConserved(sql);
  }));
