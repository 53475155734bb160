import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertSender } from "../../setup/fixtures/fixtures.ts";
import {
  addMarketingTemplate,
  assertConserved,
  claim,
  countersOf,
  enqueue,
  fillBucket,
  finish,
  insertSendingCompany,
  letTimePass,
  type SendingCompany,
  statesOf,
  statusesOf,
} from "../../setup/fixtures/queue.ts";

const SLOW = { rate_per_second: 1 };

Deno.test("claim_notifications() leases what is due, with all that sending needs", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company);

    const [claimed] = await claim(sql, { worker: "w1", leaseS: 60 });

    const { expires_at, token_sealed, waited_s, ...rest } = claimed!;
    assert.ok(expires_at > new Date() && token_sealed);
    assert.ok(waited_s >= 0 && waited_s < 60);
    assert.deepEqual(rest, {
      company_id: company.id,
      id: ids[0],
      fence: 1,
      attempt: 1,
      number: "59171000100",
      user_id: null,
      message: [{ type: "body", parameters: [{ type: "text", text: "Ana" }] }],
      campaign_id: campaignId,
      sender_id: company.sender.id,
      channel: "whatsapp",
      platform_id: company.sender.platform_id,
      template_id: company.template.id,
      template_name: company.template.name,
      template_language: "en",
      name_event: null,
      template_status: "approved",
      template_changed: false,
      is_marketing: false,
      timezone: null,
      trace: null,
      sending_hours: null,
      frequency_caps: null,
      agent_disabled: false,
      by_marketing_endpoint: false,
      was_unreachable: false,
      test_account: null,
    });
    const [row] = await sql`select status, worker, extract(epoch from lease_until - claimed_at)::int as lease
      from outbound.notifications`;
    assert.deepEqual(row, { status: "sending", worker: "w1", lease: 60 });
    assert.deepEqual(await countersOf(sql, campaignId), { processing: 1 });
    await assertConserved(sql);
  }));

Deno.test("claim_notifications() leaves what is held, finished, cancelled or not due", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const due = await enqueue(sql, company, { dueInS: 60, count: 2 });
    await letTimePass(sql, 61);
    const later = await enqueue(sql, company, { dueInS: 5 });
    await enqueue(sql, company, { count: 1 }).then(({ campaignId }) =>
      sql`select outbound.cancel_campaign(${company.id}, ${campaignId})`
    );

    const first = await claim(sql);
    const second = await claim(sql, { worker: "other" });
    await finish(sql, first, { outcome: "sent" });
    const third = await claim(sql);

    assert.deepEqual(first.map(({ id }) => id).sort(), due.ids.toSorted());
    assert.deepEqual([second, third].map((rows) => rows.length), [0, 0]);
    assert.deepEqual(await statusesOf(sql, later.ids), ["scheduled"]);
  }));

Deno.test("claim_notifications() leaves what has outlived its use", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { ttlS: 60 });
    await letTimePass(sql, 61);

    assert.deepEqual(await claim(sql), []);
  }));

Deno.test("claim_notifications() passes a stopped sender by", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, {
      sender: { status: "stopped", stopped_reason: "No token" },
    });
    const { ids } = await enqueue(sql, company);

    assert.deepEqual(await claim(sql), []);
    await sql`update outbound.senders set status = 'active', stopped_reason = null`;

    assert.deepEqual((await claim(sql)).map(({ id }) => id), ids);
  }));

Deno.test("claim_notifications() takes marketing last, by the template's category, whatever the requests call it", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { template } = company;
    await addMarketingTemplate(sql, company);
    const promoted = { ...company, template: company.marketing! };
    const labelled = await enqueue(sql, promoted, { type: "transactional" });
    const utility = await enqueue(sql, { ...company, marketing: template }, { type: "marketing" });

    const order: string[] = [];
    for (let n = 0; n < 2; n++) order.push(...(await claim(sql, { limit: 1 })).map(({ id }) => id));

    assert.deepEqual(order, [utility, labelled].flatMap(({ ids }) => ids));
  }));

Deno.test("claim_notifications() takes transactional before utility before marketing, then the longest due", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const marketing = await enqueue(sql, company, { type: "marketing" });
    const utility = await enqueue(sql, company, { type: "utility" });
    const late = await enqueue(sql, company, { type: "transactional" });
    const early = await enqueue(sql, company, { type: "transactional" });
    await sql`update outbound.queue set run_at = run_at - interval '1 s' where id = ${early.ids[0]!}`;

    const order: string[] = [];
    for (let n = 0; n < 4; n++) order.push(...(await claim(sql, { limit: 1 })).map(({ id }) => id));

    assert.deepEqual(order, [early, late, utility, marketing].flatMap(({ ids }) => ids));
  }));

Deno.test("claim_notifications() lets companies take turns whatever they have waiting", () =>
  withTestDatabase(async ({ sql }) => {
    const big = await insertSendingCompany(sql);
    await enqueue(sql, big, { count: 200 });
    const small: SendingCompany[] = [];
    for (let n = 0; n < 3; n++) small.push(await insertSendingCompany(sql));
    for (const company of small) await enqueue(sql, company);

    const claimed = await claim(sql, { limit: 4 });

    assert.deepEqual(
      claimed.map(({ company_id }) => company_id).sort(),
      [big, ...small].map(({ id }) => id).sort(),
    );
  }));

Deno.test("claim_notifications() starves no company when more companies wait than one claim takes", () =>
  withTestDatabase(async ({ sql }) => {
    const busy: SendingCompany[] = [];
    for (let n = 0; n < 6; n++) busy.push(await insertSendingCompany(sql));
    for (const company of busy) await enqueue(sql, company, { count: 50 });
    await letTimePass(sql, 10);
    const latecomer = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, latecomer);

    for (let round = 0; round < 4; round++) await claim(sql, { limit: 2 });

    assert.deepEqual(await statusesOf(sql, ids), ["sending"]);
  }));

Deno.test("claim_notifications() lets the senders of one company take turns", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 50, type: "marketing" });
    const sender = await insertSender(sql, company.id, {
      rate_per_second: 1000,
      waba_id: company.sender.waba_id,
    });
    await fillBucket(sql, sender.id);
    const { ids } = await enqueue(sql, company, { type: "marketing", sender });

    await claim(sql, { limit: 4 });

    assert.deepEqual(await statusesOf(sql, ids), ["sending"]);
  }));

Deno.test("claim_notifications() takes no more than the sender's rate allows", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { sender: { rate_per_second: 80 } });
    await enqueue(sql, company, { count: 100 });

    const atOnce = await claim(sql);
    // Slow machines: up to a second may lie between two claims.
    const soon = await claim(sql);
    await fillBucket(sql, company.sender.id);
    const refilled = await claim(sql);

    assert.deepEqual([atOnce.length, refilled.length], [4, 4]);
    assert.ok(soon.length <= 8);
  }));

Deno.test("claim_notifications() gives one message a second to a sender of rate 1", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { sender: SLOW });
    await enqueue(sql, company, { count: 10 });

    const counts: number[] = [];
    for (let n = 0; n < 3; n++) {
      counts.push((await claim(sql)).length);
      await letTimePass(sql, 1);
    }

    assert.deepEqual(counts, [1, 1, 1]);
  }));

Deno.test("claim_notifications() lets one message through an open breaker, and no second one beside it", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 10 });
    await sql`update outbound.sender_rate_state set failures = 5, blocked_until = now() + interval '1 second'`;

    const resting = await claim(sql);
    await letTimePass(sql, 2);
    const [probe, ...more] = await claim(sql);
    await fillBucket(sql, company.sender.id);
    const beside = await claim(sql, { worker: "other" });

    assert.deepEqual([resting.length, more.length, beside.length], [0, 0, 0]);
    assert.equal(probe?.was_unreachable, true);
  }));

Deno.test("claim_notifications() raises attempt and fence at every claim", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company);
    for (let n = 1; n <= 3; n++) {
      const claimed = await claim(sql);
      assert.deepEqual(claimed.map(({ attempt, fence }) => [attempt, fence]), [[n, n]]);
      await finish(sql, claimed, { outcome: "retry", retry_in_s: 0 });
    }

    const [state] = await statesOf(sql, ids);
    assert.deepEqual([state?.attempt, state?.fence], [3, 3]);
  }));
