import assert from "node:assert/strict";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  acceptAll,
  assertConserved,
  countersOf,
  enqueue,
  insertSendingCompany,
  requestOf,
  type SendingCompany,
  statesOf,
  statusesOf,
} from "../../setup/fixtures/queue.ts";

const IDEMPOTENCY = {
  endpoint: "notify",
  key: "k-1",
  request_hash: "h-1",
  answer: { success: true, n: 1.0 },
};

Deno.test("accept_notifications() stores a campaign and its notifications, queued", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { campaignId, ids } = await enqueue(sql, company, { count: 3 });

    assert.deepEqual(await statusesOf(sql, ids), ["queued", "queued", "queued"]);
    assert.deepEqual(await countersOf(sql, campaignId), { pending: 3 });
    await assertConserved(sql);
  }));

Deno.test("accept_notifications() keeps scheduled notifications until their time and expires them after it", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const { ids } = await enqueue(sql, company, { dueInS: 3600, ttlS: 60 });

    const [row] = await sql<{ status: string; waits: number; lives: number }[]>`
      select status, round(extract(epoch from run_at - now()) / 60)::int as waits,
        extract(epoch from expires_at - run_at)::int as lives from outbound.notifications where id = ${ids[
      0
    ]!}`;
    assert.deepEqual(row, { status: "scheduled", waits: 60, lives: 60 });
  }));

Deno.test("accept_notifications() returns every refusal and stores nothing for it", () =>
  withTestDatabase(async ({ sql }) => {
    const good = await insertSendingCompany(sql);
    const revoked = await insertSendingCompany(sql, { key: { is_active: false } });
    const voiceOnly = await insertSendingCompany(sql, { key: { permissions: ["voice_notifications"] } });
    const shut = await insertSendingCompany(sql);
    await sql`update outbound.companies set api_access = false where id = ${shut.id}`;
    const changed = await insertSendingCompany(sql);
    await sql`update outbound.templates set components = '[]' where id = ${changed.template.id}`;
    const paused = await insertSendingCompany(sql);
    await sql`update outbound.templates set status = 'disabled' where id = ${paused.template.id}`;
    const foreign = {
      ...requestOf(good),
      campaign: { ...requestOf(good).campaign, sender_id: shut.sender.id },
    };
    const poor = await insertSendingCompany(sql, { key: { daily_quota: 1 } });
    const unknown = { ...requestOf(good), key_hash: "0".repeat(64) };

    const verdicts = await acceptAll(sql, [
      unknown,
      ...[revoked, voiceOnly, shut, changed, paused].map((company) => requestOf(company)),
      foreign,
      requestOf(poor, { count: 2 }),
    ]);

    assert.deepEqual(verdicts.map(({ outcome }) => outcome), [
      "unauthorized",
      "unauthorized",
      "forbidden",
      "no_api_access",
      "stale",
      "stale",
      "stale",
      "quota_exceeded",
    ]);
    const [stored] = await sql`select (select count(*)::int from outbound.campaigns) as campaigns,
      (select count(*)::int from outbound.notifications) as notifications,
      (select coalesce(sum(requests + notifications), 0)::int from outbound.usage) as counted`;
    assert.deepEqual(stored, { campaigns: 0, notifications: 0, counted: 0 });
  }));

Deno.test("accept_notifications() returns verdicts for several companies in one query, in the order of the requests", () =>
  withTestDatabase(async ({ sql }) => {
    const companies: SendingCompany[] = [];
    for (let n = 0; n < 3; n++) companies.push(await insertSendingCompany(sql));
    const requests = [0, 1, 2, 1, 0].map((n) => requestOf(companies[n]!, { count: n + 1 }));
    requests[3]!.key_hash = "f".repeat(64);

    const verdicts = await acceptAll(sql, requests);

    assert.deepEqual(verdicts.map(({ outcome }) => outcome), [
      "accepted",
      "accepted",
      "accepted",
      "unauthorized",
      "accepted",
    ]);
    assert.deepEqual(verdicts.map(({ quota_used }) => quota_used), [1, 2, 3, 0, 2]);
    const rows =
      await sql`select company_id, campaign_id, count(*)::int from outbound.notifications group by 1, 2`;
    assert.equal(rows.length, 4);
    for (const { company_id, campaign_id, count } of rows) {
      const request = requests.find(({ campaign }) => campaign.id === campaign_id);
      const owner = companies.find(({ id }) => id === company_id);
      assert.equal(request?.campaign.sender_id, owner?.sender.id);
      assert.equal(request?.notifications.length, count);
    }
  }));

Deno.test("accept_notifications() counts rate and quota within one call", () =>
  withTestDatabase(async ({ sql }) => {
    const slow = await insertSendingCompany(sql, { key: { rate_limit: 2 } });
    const poor = await insertSendingCompany(sql, { key: { daily_quota: 5 } });

    const verdicts = await acceptAll(sql, [
      requestOf(slow),
      requestOf(poor, { count: 3 }),
      requestOf(slow),
      requestOf(poor, { count: 3 }),
      requestOf(slow),
      requestOf(poor, { count: 2 }),
    ]);

    assert.deepEqual(verdicts.map(({ outcome }) => outcome), [
      "accepted",
      "accepted",
      "accepted",
      "quota_exceeded",
      "rate_limited",
      "accepted",
    ]);
    assert.deepEqual(verdicts.map(({ remaining }) => remaining), [1, 599, 0, 599, 0, 598]);
    assert.deepEqual(verdicts.map(({ quota_used }) => quota_used), [1, 3, 2, 3, 2, 5]);
    assert.ok(verdicts.every(({ reset_s }) => reset_s >= 1 && reset_s <= 60));
  }));

Deno.test("accept_notifications() starts the rate afresh with the next minute", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { key: { rate_limit: 1 } });
    await enqueue(sql, company);
    const [refused] = await acceptAll(sql, [requestOf(company)]);
    await sql`update outbound.usage set window_start = window_start - interval '1 minute'`;

    const [accepted] = await acceptAll(sql, [requestOf(company)]);

    assert.deepEqual([refused?.outcome, accepted?.outcome], ["rate_limited", "accepted"]);
  }));

Deno.test("accept_notifications() gives the first answer again under the same idempotency key", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql, { key: { rate_limit: 1 } });
    const ask = (idempotency: typeof IDEMPOTENCY) => requestOf(company, { idempotency });

    const [first, again, other] = await acceptAll(sql, [
      ask(IDEMPOTENCY),
      ask({ ...IDEMPOTENCY, answer: { success: true, n: 2 } }),
      ask({ ...IDEMPOTENCY, request_hash: "h-2" }),
    ]);
    const [later] = await acceptAll(sql, [ask(IDEMPOTENCY)]);
    const [elsewhere] = await acceptAll(sql, [ask({ ...IDEMPOTENCY, endpoint: "voice" })]);

    assert.deepEqual([first, again, other, later, elsewhere].map((verdict) => verdict?.outcome), [
      "accepted",
      "replayed",
      "key_reused",
      "replayed",
      "rate_limited",
    ]);
    assert.deepEqual([again?.answer, later?.answer], [IDEMPOTENCY.answer, IDEMPOTENCY.answer]);
    const [row] = await sql`select count(*)::int from outbound.notifications`;
    assert.equal(row?.count, 1);
  }));

Deno.test("accept_notifications() forgets an idempotency key after a day, and keeps companies' keys apart", () =>
  withTestDatabase(async ({ sql }) => {
    const [company, other] = [await insertSendingCompany(sql), await insertSendingCompany(sql)];
    await enqueue(sql, company, { idempotency: IDEMPOTENCY });
    await enqueue(sql, other, { idempotency: { ...IDEMPOTENCY, request_hash: "another" } });
    await sql`update outbound.idempotency_keys set created_at = created_at - interval '24 hours'`;

    await enqueue(sql, company, { idempotency: { ...IDEMPOTENCY, request_hash: "h-2" } });

    const [again] = await acceptAll(sql, [requestOf(company, { idempotency: IDEMPOTENCY })]);
    assert.equal(again?.outcome, "key_reused");
  }));

Deno.test("accept_notifications() stores a request once, however often it is sent", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const request = requestOf(company, { count: 2 });

    const verdicts = [await acceptAll(sql, [request]), await acceptAll(sql, [request, request])].flat();

    assert.deepEqual(verdicts.map(({ outcome }) => outcome), ["accepted", "accepted", "accepted"]);
    assert.equal((await statesOf(sql, request.notifications.map(({ id }) => id))).length, 2);
    const [usage] = await sql`select requests, notifications from outbound.usage`;
    assert.deepEqual(usage, { requests: 1, notifications: 2 });
    await assertConserved(sql);
  }));

Deno.test("accept_notifications() knows a stored request again when it used up the limits itself", () =>
  withTestDatabase(async ({ sql }) => {
    const slow = await insertSendingCompany(sql, { key: { rate_limit: 1 } });
    const poor = await insertSendingCompany(sql, { key: { daily_quota: 2 } });
    const requests = [requestOf(slow), requestOf(poor, { count: 2 })];
    await acceptAll(sql, requests);

    const verdicts = await acceptAll(sql, requests);

    assert.deepEqual(verdicts.map(({ outcome }) => outcome), ["accepted", "accepted"]);
  }));

Deno.test("accept_notifications() records at most once per minute that a key was used", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await sql`update outbound.api_keys set last_used_at = now() - interval '59 seconds'`;
    await enqueue(sql, company);
    const [early] =
      await sql`select now() - last_used_at > interval '50 seconds' as kept from outbound.api_keys`;
    await sql`update outbound.api_keys set last_used_at = now() - interval '61 seconds'`;
    await enqueue(sql, company);
    const [late] =
      await sql`select now() - last_used_at < interval '30 seconds' as touched from outbound.api_keys`;

    assert.deepEqual([early?.kept, late?.touched], [true, true]);
  }));
