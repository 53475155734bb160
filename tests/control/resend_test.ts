import assert from "node:assert/strict";
import { continueResends } from "../../supabase/functions/_shared/db/campaigns/resends.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { type TestServices, withServices } from "../setup/stack/services.ts";
import {
  addMarketingTemplate,
  assertConserved,
  claim,
  countersOf,
  enqueue,
  finish,
  insertSendingCompany,
  report,
  type SendingCompany,
} from "../setup/fixtures/queue.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { consent, setConsentPolicy, suppress } from "../setup/fixtures/contacts.ts";
import { campaignStatus, heldOf } from "./campaign.ts";

const UNKNOWN = "01930000-0000-7000-8000-000000000000";

type Answer = { status: number; body: JsonObject; headers: Headers };

function resend(
  { http }: TestServices,
  company: { key: { key: string } },
  campaignId: string,
  body?: JsonObject,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const query = { access_key: company.key.key };
  return http.post(`/manage/companies/mine/campaigns/${campaignId}/resend`, body, { query, headers });
}

/** A finished campaign whose recipients failed with these codes, in the order of their numbers. */
async function failed(
  { sql }: TestServices,
  company: SendingCompany,
  codes: (string | null)[],
  overrides: Parameters<typeof enqueue>[2] = {},
): Promise<{ campaignId: string; ids: string[] }> {
  const queued = await enqueue(sql, company, { count: codes.length, ...overrides });
  const claimed = await claim(sql, { limit: codes.length });
  for (const notification of claimed) {
    const error_code = codes[queued.ids.indexOf(notification.id)]!;
    await finish(sql, [notification], { outcome: "failed", error_code });
  }
  return queued;
}

Deno.test("POST …/resend makes a campaign of those who failed for a reason that can pass, with what is stored", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, ids } = await failed(t, company, ["131049", "131026", "131056", null]);
    await t.sql`update outbound.notification_facts set metadata = '{"order":"A-1"}' where id = ${ids[0]!}`;

    const { status, body } = await resend(t, company, campaignId);

    assert.equal(status, 200, JSON.stringify(body));
    const { inquiry_set_id, ...rest } = body;
    assert.deepEqual(rest, {
      ...{ message: "Resend queued", resend_of: campaignId },
      ...{ total: 2, processed: 2, failed: 0, errors: [] },
    });
    assert.deepEqual(await countersOf(t.sql, inquiry_set_id), { pending: 2 });
    const made = await t.sql`
      select n.number, n.message, n.metadata, n.status, o.id as old
      from outbound.notifications as n join outbound.notifications as o on o.resent_as = n.id
      where n.campaign_id = ${inquiry_set_id} order by n.id`;
    const old = await t.sql`
      select number, message, metadata from outbound.notifications where id = any (${[ids[0]!, ids[2]!]})
      order by id`;
    assert.deepEqual(made.map(({ old }) => old).sort(), [ids[0], ids[2]].sort());
    assert.deepEqual(made.map(({ number, message, metadata }) => ({ number, message, metadata })), [...old]);
    const [campaigns] = await t.sql`
      select count(distinct (g.name, g.channel, g.notification_type, g.sender_id, g.template_id, g.template_shape,
        g.template_name, g.template_language))::int as kinds
      from outbound.campaigns as g where g.id in (${campaignId}, ${inquiry_set_id})`;
    assert.equal(campaigns!.kinds, 1);
    const [usage] = await t.sql`select notifications from outbound.usage where company_id = ${company.id}`;
    assert.equal(usage!.notifications, 6);
    assert.equal((await claim(t.sql)).length, 2);
    await assertConserved(t.sql);
  }));

Deno.test("a resend of a template that has become marketing waits behind everything else", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await failed(t, company, ["131049"]);
    await addMarketingTemplate(t.sql, company);
    await t.sql`
      update outbound.templates
      set category = case when id = ${company.template.id} then 'MARKETING' else 'UTILITY' end
      where company_id = ${company.id}`;

    const { body } = await resend(t, company, campaignId);
    const utility = await enqueue(t.sql, { ...company, template: company.marketing! }, { type: "utility" });

    const order: string[] = [];
    for (let n = 0; n < 2; n++) {
      order.push(...(await claim(t.sql, { limit: 1 })).map(({ campaign_id }) => campaign_id));
    }
    assert.deepEqual(order, [utility.campaignId, body.inquiry_set_id]);
  }));

Deno.test("POST …/resend resends no notification twice, however often it is repeated, and takes codes by name", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await failed(t, company, ["131049", "131026", null]);

    const responses = await Promise.all(Array.from({ length: 4 }, () => resend(t, company, campaignId)));
    const sum = responses.reduce(
      (total, { status, body }) => total + (status === 200 ? body.processed : 0),
      0,
    );
    assert.equal(sum, 1);
    for (const { status, body } of responses) {
      assert.ok(
        status === 200 || status === 409 && body.error === "resend_in_progress",
        JSON.stringify(body),
      );
    }
    const again = await resend(t, company, campaignId);
    assert.deepEqual([again.status, again.body.message, again.body.inquiry_set_id, again.body.total], [
      200,
      "Nothing to resend",
      null,
      0,
    ]);
    const named = await resend(t, company, campaignId, { codes: ["131026", "unknown", "131049", "131026"] });
    assert.deepEqual([named.body.total, named.body.processed], [2, 2]);
    const [rows] = await t.sql`select count(*)::int as rows from outbound.notifications`;
    assert.equal(rows!.rows, 3 + 1 + 2);
    await assertConserved(t.sql);
  }));

Deno.test("POST …/resend leaves out who may not be written to, and counts them", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const addresses = ["34600000001", "34600000002", "34600000003"]
      .map((number) => ({ number, user_id: null }));
    for (const { number } of addresses.slice(0, 2)) await consent(t.sql, company.id, { number });
    const { campaignId } = await failed(t, company, ["131049", "131049", "131049"], {
      addresses,
      type: "marketing",
    });
    await setConsentPolicy(t.sql, company.id, "require");
    await suppress(t.sql, company.id, { number: "34600000002" });

    const { status, body } = await resend(t, company, campaignId);

    assert.equal(status, 200);
    assert.deepEqual([body.total, body.processed, body.failed], [3, 1, 2]);
    assert.deepEqual(
      body.errors.map(({ code, count }: JsonObject) => [code, count]).sort(),
      [["consent_missing", 1], ["recipient_opted_out", 1]],
    );
    const [campaign] = await t
      .sql`select total, rejected from outbound.campaigns where id = ${body.inquiry_set_id}`;
    assert.deepEqual({ ...campaign }, { total: 1, rejected: 2 });
    const [made] = await t
      .sql`select number from outbound.notifications where campaign_id = ${body.inquiry_set_id}`;
    assert.equal(made!.number, "34600000001");
    await suppress(t.sql, company.id, { number: "34600000003" });
    const none = await resend(t, company, campaignId);
    assert.deepEqual([none.body.message, none.body.inquiry_set_id, none.body.failed], [
      "No recipient may be resent to",
      null,
      2,
    ]);
  }));

Deno.test("POST …/resend takes a name and a time, and gives the first response again under its Idempotency-Key", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await failed(t, company, ["131049"]);
    const request = {
      campaign_name: "Once more",
      datetime_sending: "2099-01-01T10:00:00",
      timezone: "Europe/Madrid",
    };
    const headers = { "idempotency-key": "again" };

    const first = await resend(t, company, campaignId, request, headers);
    const second = await resend(t, company, campaignId, request, headers);
    const other = await resend(t, company, campaignId, { ...request, campaign_name: "Other" }, headers);

    assert.deepEqual([first.status, first.body.scheduled_time, first.body.message], [
      200,
      "2099-01-01T09:00:00Z",
      "Resend scheduled",
    ]);
    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
    assert.deepEqual([other.status, other.body.error], [422, "idempotency_key_reused"]);
    const [campaign] = await t.sql`
      select name, timezone, outbound.campaign_status(g) as status from outbound.campaigns as g
      where id = ${first.body.inquiry_set_id}`;
    assert.deepEqual({ ...campaign }, { name: "Once more", timezone: "Europe/Madrid", status: "scheduled" });
    assert.equal((await claim(t.sql)).length, 0);
    await t.sql`select outbound.cancel_campaign(${company.id}, ${first.body.inquiry_set_id})`;
    assert.deepEqual(await countersOf(t.sql, first.body.inquiry_set_id), { cancelled: 1 });
    await assertConserved(t.sql);
  }));

Deno.test("POST …/resend counts whom it resends as accepted, and a repeated request as nothing", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await failed(t, company, ["131049", "131049", "131026"]);
    const headers = { "idempotency-key": "counted" };

    await resend(t, company, campaignId, {}, headers);
    await resend(t, company, campaignId, {}, headers);
    await resend(t, company, campaignId);

    const accepted = [...t.services.metrics.accepted.series()].map(({ labels, value }) => [...labels, value]);
    assert.deepEqual(accepted, [["whatsapp", 2], ["voice", 0]]);
  }));

Deno.test("POST …/resend refuses what a new campaign would be refused for, and stores nothing", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const other = await insertSendingCompany(t.sql);
    const { campaignId } = await failed(t, company, ["131049", "131049"]);
    const template = (fields: Record<string, unknown>) =>
      t.sql`update outbound.templates set ${t.sql(fields)} where id = ${company.template.id}`;
    const [{ components }] = await t.sql<[{ components: JsonObject }]>`
      select components from outbound.templates where id = ${company.template.id}`;
    const refused = async (status: number, error: string, body?: JsonObject) => {
      const answer = await resend(t, company, campaignId, body);
      assert.deepEqual([answer.status, answer.body.error], [status, error], JSON.stringify(answer.body));
    };

    await template({ status: "disabled" });
    await refused(422, "template_not_approved");
    await template({
      status: "approved",
      components: t.sql.json([{ type: "BODY", text: "Now {{1}} {{2}} {{3}}" }]),
    });
    await refused(422, "variable_mismatch");
    await template({ components: t.sql.json(components) });
    await t
      .sql`update outbound.senders set status = 'stopped', locked = true, stopped_reason = 'Locked'
      where id = ${company.sender.id}`;
    await refused(422, "sender_locked");
    await t.sql`update outbound.senders set status = 'active', locked = false, stopped_reason = null
      where id = ${company.sender.id}`;
    await t.sql`update outbound.api_keys set daily_quota = 3 where id = ${company.key.id}`;
    await refused(429, "quota_exceeded");
    await t.sql`update outbound.api_keys set daily_quota = 1000 where id = ${company.key.id}`;
    for (
      const body of [
        { codes: [] },
        { codes: "131049" },
        { codes: ["x".repeat(65)] },
        { codes: ["\u001b[31m"] },
        { codes: Array(101).fill("1") },
        { code: ["131049"] },
        { datetime_sending: "2020-01-01T00:00:00" },
        { timezone: "Nowhere/Else" },
        { campaign_name: "" },
        { campaign_name: 1 },
        { codes: [{}] },
      ]
    ) await refused(400, "validation_failed", body);
    for (const [key, id] of [[company, UNKNOWN], [other, campaignId], [company, "x"]] as const) {
      const answer = await resend(t, key, id);
      assert.deepEqual([answer.status, answer.body.error], [404, "not_found"]);
    }
    await t
      .sql`update outbound.api_keys set permissions = '{voice_notifications}' where id = ${company.key.id}`;
    assert.equal((await resend(t, company, campaignId)).status, 403);
    await t
      .sql`update outbound.api_keys set permissions = '{chatapp_notifications}' where id = ${company.key.id}`;

    const [stored] = await t.sql`
      select (select count(*)::int from outbound.campaigns) as campaigns, (select count(*)::int from outbound.resends) as resends`;
    assert.deepEqual({ ...stored }, { campaigns: 1, resends: 0 });
    assert.equal((await resend(t, company, campaignId, {})).body.processed, 2);
  }));

Deno.test("POST …/resend places calls again that were not taken, and leaves out an agent that is disabled", () =>
  withServices(async (t) => {
    const company = await insertCallingCompany(t.sql);
    const { campaignId, ids } = await enqueueCalls(t.sql, company, { count: 2 });
    const claimed = await claim(t.sql);
    await finish(t.sql, claimed, { outcome: "sent" });
    for (const notification of claimed) {
      await report(t.sql, [callEventOf(company.id, notification.id, "no_answer")]);
    }
    await t.sql`update outbound.voice_agents set status = 'disabled' where company_id = ${company.id}`;
    const refused = await resend(t, company, campaignId);
    assert.deepEqual([refused.status, refused.body.error], [404, "agent_not_found"]);
    await t.sql`update outbound.voice_agents set status = 'active' where company_id = ${company.id}`;

    const { status, body } = await resend(t, company, campaignId);

    assert.deepEqual([status, body.processed], [200, 2], JSON.stringify(body));
    const made = await t.sql`
      select o.id, n.voice, n.message::text = o.message::text as same from outbound.notifications as n
      join outbound.notifications as o on o.resent_as = n.id where n.campaign_id = ${body.inquiry_set_id}`;
    assert.deepEqual(made.map(({ id }) => id).sort(), [...ids].sort());
    assert.ok(made.every(({ voice, same }) => voice && same));
  }));

Deno.test("a resend whose process died is finished by a dispatcher's chore, and respects a pause in between", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId } = await failed(t, company, Array(5).fill("131049"));
    const id = crypto.randomUUID();
    const [begun] = await t.sql`
      select * from outbound.begin_resend(${company.id}, ${campaignId}, ${id}, ${[
      "131049",
    ]}::text[], null, null, null,
        ${company.key.id}, false, null)`;
    assert.equal(begun!.outcome, "accepted");
    const step = async (count: number) => {
      const ids = Array.from({ length: count }, () => crypto.randomUUID());
      const [row] = await t.sql`
        select outbound.continue_resend(${company.id}, ${id}, ${ids}::uuid[], 3600) as done`;
      return row!.done;
    };
    assert.equal(await step(2), false);
    assert.deepEqual(await countersOf(t.sql, id), { pending: 5 });
    assert.equal((await claim(t.sql)).length, 2);
    await t.sql`select outbound.pause_campaign(${company.id}, ${id})`;
    assert.equal(await step(2), false);
    assert.equal(await heldOf(t.sql, id), 2);
    await continueResends(t.services.sql, { ttlS: 3600 });
    assert.equal(await heldOf(t.sql, id), 2, "a resend that goes on is left alone");
    await t.sql`update outbound.resends set stepped_at = now() - interval '11 seconds'`;
    await continueResends(t.services.sql, { ttlS: 3600 });

    assert.equal(await heldOf(t.sql, id), 3);
    assert.equal(await campaignStatus(t.sql, id), "paused");
    await t.sql`select outbound.resume_campaign(${company.id}, ${id})`;
    assert.equal((await claim(t.sql)).length, 3);
    assert.equal((await t.sql`select 1 from outbound.resends`).length, 0);
    await assertConserved(t.sql);
  }));

Deno.test("a resend that is cancelled, or whose people were erased, before all is made counts only what was made", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, ids } = await failed(t, company, Array(6).fill("131049"));
    const begin = async (id: string) =>
      await t.sql`
        select * from outbound.begin_resend(${company.id}, ${campaignId}, ${id}, ${[
        "131049",
      ]}::text[], null, null, null,
          ${company.key.id}, false, null)`;
    const step = async (id: string, count: number) =>
      (await t.sql`select outbound.continue_resend(${company.id}, ${id},
        ${Array.from({ length: count }, () => crypto.randomUUID())}::uuid[], 3600) as done`)[0]!.done;
    const cancelled = crypto.randomUUID();
    await begin(cancelled);
    await step(cancelled, 2);
    await t.sql`select outbound.cancel_campaign(${company.id}, ${cancelled})`;
    assert.equal(await step(cancelled, 2), true);
    assert.deepEqual(await countersOf(t.sql, cancelled), { cancelled: 2 });
    assert.equal(await campaignStatus(t.sql, cancelled), "cancelled");

    const rest = crypto.randomUUID();
    const [begun] = await begin(rest);
    assert.equal(begun!.result.processed, 4);
    const open = await t.sql<{ id: string }[]>`
      select id from outbound.notifications where id = any (${ids}) and resent_as is null order by id`;
    await t.sql`update outbound.notification_facts set number = null, message = '{}' where id = ${
      open[3]!.id
    }`;
    assert.equal(await step(rest, 10), true);
    assert.deepEqual(await countersOf(t.sql, rest), { pending: 3 });
    await assertConserved(t.sql);
  }));
