import assert from "node:assert/strict";
import { tickWithoutProbe } from "../../setup/fixtures/queue.ts";
import type postgres from "postgres";
import { cleanUpWhenDue } from "../../../supabase/functions/_shared/db/queue/settings.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";

/** Cleans up as a dispatcher does; returns what that deleted, or null when it was not due. */
async function cleanUp(sql: postgres.Sql): Promise<Record<string, number> | null> {
  const [row] = await sql`select outbound.clean_up_when_due() as cleaned`;
  return row!.cleaned;
}

/** Inserts attempts that have been kept for long enough. */
async function insertOldAttempts(sql: postgres.Sql, count: number): Promise<void> {
  const { id } = await insertCompany(sql);
  await sql`
    insert into outbound.delivery_attempts (company_id, notification_id, attempt, fence, worker, started_at,
      finished_at, outcome)
    select ${id}, gen_random_uuid(), 1, 1, 'w', now(), now() - interval '91 days', 'sent'
    from generate_series(1, ${count})`;
}

async function countAttempts(sql: postgres.Sql): Promise<number> {
  const [row] = await sql`select count(*)::int as attempts from outbound.delivery_attempts`;
  return row!.attempts;
}

Deno.test("clean_up_when_due() cleans up once per minute, however often it is called", () =>
  withTestDatabase(async ({ sql }) => {
    assert.notEqual(await cleanUp(sql), null);
    assert.equal(await cleanUp(sql), null);

    await sql`update outbound.settings set updated_at = now() - interval '61 seconds' where name = 'last_clean_up'`;

    assert.notEqual(await cleanUp(sql), null);
  }));

Deno.test("clean_up_when_due() leaves it to pg_cron where that is at work", () =>
  withTestDatabase(async ({ sql }) => {
    await tickWithoutProbe(sql, { by: "pg_cron" });
    assert.equal(await cleanUp(sql), null);

    await sql`update outbound.settings set updated_at = now() - interval '11 minutes' where name = 'last_tick:pg_cron'`;

    assert.notEqual(await cleanUp(sql), null);
  }));

Deno.test("clean_up() deletes no more than its limit, the oldest first, and says whether more is left", () =>
  withTestDatabase(async ({ sql }) => {
    await insertOldAttempts(sql, 3);
    await sql`update outbound.delivery_attempts set finished_at = finished_at - interval '1 day', worker = 'first'
      where ctid = (select max(ctid) from outbound.delivery_attempts)`;

    const calls: [number, boolean, number][] = [];
    for (let call = 0; call < 3; call++) {
      const [row] =
        await sql`select outbound.clean_up(case ${call}::int when 0 then 1 else 2 end) as cleaned`;
      const [first] =
        await sql`select count(*)::int as left from outbound.delivery_attempts where worker = 'first'`;
      calls.push([row!.cleaned.delivery_attempts, row!.cleaned.more, first!.left]);
    }

    assert.deepEqual(calls, [[1, true, 0], [2, true, 0], [0, false, 0]]);
  }));

Deno.test("clean_up() forgets events about accounts after 8 days, and how many were of other systems after 35", () =>
  withTestDatabase(async ({ sql }) => {
    for (const days of [7, 9]) {
      await sql`
        insert into outbound.account_events (dedupe_key, waba_id, notice, occurred_at, applied_at)
        values (${days}, '1', 'A warning', now(), now() - make_interval(days => ${days}))`;
    }
    for (const days of [34, 36]) {
      await sql`insert into outbound.foreign_events (day, reason, events)
        values ((now() at time zone 'UTC')::date - ${days}::int, 'unknown_sender', 1)`;
    }

    const [row] = await sql`select outbound.clean_up() as cleaned`;

    assert.deepEqual([row!.cleaned.account_events, row!.cleaned.foreign_events], [1, 1]);
  }));

Deno.test("clean_up() deletes what frequency caps counted more than 35 days ago", () =>
  withTestDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);
    for (const days of [34, 36]) {
      await sql`
        insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
        values (${id}, '59171000100', gen_random_uuid(), 'whatsapp', (now() at time zone 'UTC')::date - ${days}::int)`;
    }

    const [row] = await sql`select outbound.clean_up() as cleaned`;

    assert.equal(row!.cleaned.marketing_sends, 1);
  }));

Deno.test("cleanUpWhenDue() goes on, in transactions of their own, until nothing is left", () =>
  withTestDatabase(async ({ sql }) => {
    await insertOldAttempts(sql, 25_000);

    await cleanUpWhenDue(sql);

    assert.equal(await countAttempts(sql), 0);
  }));

Deno.test("cleanUpWhenDue() leaves the rest for the next turn when its time is up, or when it is to stop", () =>
  withTestDatabase(async ({ sql }) => {
    await insertOldAttempts(sql, 25_000);

    await cleanUpWhenDue(sql, { budgetMs: 0 });
    assert.equal(await countAttempts(sql), 15_000);

    await sql`delete from outbound.settings where name = 'last_clean_up'`;
    await cleanUpWhenDue(sql, { signal: AbortSignal.abort() });
    assert.equal(await countAttempts(sql), 5000);
  }));
