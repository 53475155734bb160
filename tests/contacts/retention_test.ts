import assert from "node:assert/strict";
import { withTestDatabase } from "../setup/database/database.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import {
  assertConserved,
  claim,
  enqueue,
  finish,
  insertSendingCompany,
  report,
} from "../setup/fixtures/queue.ts";
import type postgres from "postgres";
import { insertMessage } from "./known_person.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Sets how long a company keeps things. */
async function keep(
  sql: postgres.Sql,
  companyId: string,
  days: Record<string, number | null>,
): Promise<void> {
  await sql`insert into outbound.contact_rules ${sql({ company_id: companyId, ...days })}
    on conflict (company_id) do update set ${sql(days)}`;
}

async function apply(sql: postgres.Sql, limit = 1000): Promise<Record<string, number>> {
  const [row] = await sql`select outbound.apply_retention(${limit}::int) as did`;
  return row!.did;
}

/** Moves notifications into the past: ids and times. */
async function age(sql: postgres.Sql, days: number): Promise<void> {
  const aged = sql`(left(outbound.first_id_at(now() - make_interval(days => ${days}))::text, 13)
    || '-7' || right(n.id::text, 21))::uuid`;
  // In one transaction, so that now() is the same.
  await sql.begin(async (sql) => {
    await sql`update outbound.queue as n set id = ${aged}`;
    await sql`
      update outbound.notification_facts as n
      set id = ${aged}, sent_at = n.sent_at - make_interval(days => ${days}),
        failed_at = n.failed_at - make_interval(days => ${days})`;
    // Claims begin to read at an id that there no longer is.
    await sql`update outbound.sender_schedule set queue_cursor_id = default`;
  });
}

async function named(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::int as named from outbound.notifications where number is not null`;
  return row!.named;
}

Deno.test("first_id_at() is below every id of its time, and above those before", () =>
  withTestDatabase(async ({ sql }) => {
    const [row] = await sql`select outbound.first_id_at('2026-01-02T03:04:05.678Z') as id`;

    const ms = Date.parse("2026-01-02T03:04:05.678Z").toString(16).padStart(12, "0");
    assert.equal(row!.id, `${ms.slice(0, 8)}-${ms.slice(8)}-0000-0000-000000000000`);
  }));

Deno.test("apply_retention() erases the recipients of old notifications of companies that want it, step by step", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const other = await insertSendingCompany(sql);
    for (const each of [company, other]) await enqueue(sql, each, { count: 5 });
    await finish(sql, await claim(sql), { outcome: "sent" });
    await age(sql, 31);
    await keep(sql, company.id, { keep_notifications_days: 30, keep_messages_days: null });

    const steps = [];
    for (let step = 0; step < 4; step++) {
      steps.push([(await apply(sql, 2)).erased_notifications, await named(sql)]);
    }

    assert.deepEqual(steps, [[2, 8], [2, 6], [1, 5], [0, 5]]);
    const [row] = await sql`
      select message::text, platform_message_id, status from outbound.notifications where number is null limit 1`;
    assert.deepEqual({ ...row }, { message: "{}", platform_message_id: null, status: "sent" });
    await assertConserved(sql);
  }));

Deno.test("apply_retention() leaves what is younger, and never erases what may still leave", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    await enqueue(sql, company, { count: 1, dueInS: 3600 });
    await finish(sql, await claim(sql, { limit: 1 }), { outcome: "sent" });
    await age(sql, 29);
    await keep(sql, company.id, { keep_notifications_days: 30 });

    await apply(sql);
    assert.equal(await named(sql), 3, "too young");
    await age(sql, 31);
    // Time never goes back outside a test.
    await sql`update outbound.contact_rules set notifications_erased_to = null`;
    await apply(sql);
    assert.equal(await named(sql), 2, "one was sent");
    const waiting = await sql`select status from outbound.notifications where number is not null order by 1`;
    assert.deepEqual(waiting.map(({ status }) => status), ["queued", "scheduled"]);
    await assertConserved(sql);
  }));

Deno.test("apply_retention() returns to what was not finished, and reads nothing twice meanwhile", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await enqueue(sql, company, { count: 2 });
    await age(sql, 31);
    await keep(sql, company.id, { keep_notifications_days: 30 });

    const first = await apply(sql);
    const second = await apply(sql);
    await sql`delete from outbound.queue`;
    await sql`
      update outbound.notification_facts set status = 'failed', failed_at = now() - interval '31 days', error_reason = 'x'`;
    await sql`update outbound.retention_leftovers set due_at = now()`;
    const third = await apply(sql);

    assert.deepEqual([first, second, third].map((did) => did.erased_notifications), [2, 0, 2]);
    assert.equal(await named(sql), 0);
    const left = await sql`select 1 from outbound.retention_leftovers`;
    assert.equal(left.length, 0);
  }));

Deno.test("apply_retention() deletes old messages of people, and what was said in old calls", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const calling = await insertCallingCompany(sql);
    for (const days of [8, 6]) {
      const created_at = new Date(Date.now() - days * DAY_MS);
      await insertMessage({ sql: sql as never, company }, { created_at });
    }
    const { ids } = await enqueueCalls(sql, calling, { count: 2 });
    await finish(sql, await claim(sql), { outcome: "sent" });
    await report(sql, ids.map((id) => callEventOf(calling.id, id, "answered")));
    await sql`update outbound.calls set started_at = now() - interval '8 days' where notification_id = ${ids[
      0
    ]!}`;
    await keep(sql, company.id, { keep_messages_days: 7 });
    await keep(sql, calling.id, { keep_transcripts_days: 7 });

    const did = await apply(sql);

    assert.deepEqual(did, { erased_notifications: 0, erased_messages: 1, erased_transcripts: 1 });
    const calls =
      await sql`select notification_id as id from outbound.calls where transcript is null and summary is null`;
    assert.deepEqual(calls.map(({ id }) => id), [ids[0]]);
  }));

Deno.test("clean_up() applies retention and deletes cooldowns that are over, old sends and old audit entries", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await keep(sql, company.id, { keep_messages_days: 7 });
    await insertMessage({ sql: sql as never, company }, { created_at: new Date(Date.now() - 8 * DAY_MS) });
    for (const [rest, day, at] of [["-1 minute", 36, "-3 years"], ["1 minute", 34, "-1 year"]] as const) {
      await sql`insert into outbound.marketing_cooldowns (company_id, address, until)
        values (${company.id}, ${rest}, now() + ${rest}::interval)`;
      await sql`insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
        values (${company.id}, '1', gen_random_uuid(), 'voice', (now() at time zone 'UTC')::date - ${day}::int)`;
      await sql`insert into outbound.audit_log (company_id, at, actor, action)
        values (${company.id}, now() + ${at}::interval, 'cli', 'x')`;
    }

    const [row] = await sql`select outbound.clean_up() as did`;

    const { marketing_cooldowns, marketing_sends, audit_log, erased_messages, more } = row!.did;
    assert.deepEqual({ marketing_cooldowns, marketing_sends, audit_log, erased_messages, more }, {
      marketing_cooldowns: 1,
      marketing_sends: 1,
      audit_log: 1,
      erased_messages: 1,
      more: false,
    });
  }));
