import assert from "node:assert/strict";
import { CRON_JOBS } from "../../../supabase/functions/_shared/db/queue/installation.ts";
import { eventually } from "../../setup/eventually.ts";
import { withCronDatabase } from "../../setup/database/postgres_database.ts";
import { assertConserved, enqueue, insertSendingCompany, statusesOf } from "../../setup/fixtures/queue.ts";

/** pg_cron 1.4 knows minutes only. */
const TWO_TURNS_MS = 125_000;

/** The other one runs daily, at an hour at which this test may be running. */
const EVERY_MINUTE = CRON_JOBS.filter((name) => name !== "outbound-forget-runs");

Deno.test("with no dispatcher at all, the cron jobs alone do every step, and none fails", () =>
  withCronDatabase("the tick by pg_cron", async ({ sql }) => {
    const due = await enqueue(sql, await insertSendingCompany(sql), { count: 3, dueInS: 1 });
    const company = await insertSendingCompany(sql);
    const later = await enqueue(sql, company, { dueInS: 3600 });
    const held = await enqueue(sql, company, { dueInS: 3600 });
    await sql`update outbound.templates set status = 'disabled', unsettled = true where id = ${company.template.id}`;
    await sql`insert into outbound.delivery_attempts (company_id, notification_id, attempt, fence, worker, started_at,
        finished_at, outcome)
      select ${company.id}, gen_random_uuid(), 1, 1, 'w', now(), now() - interval '91 days', 'sent'
      from generate_series(1, 25000)`;

    await eventually(async () => {
      assert.deepEqual(await statusesOf(sql, due.ids), ["queued", "queued", "queued"]);
      const [reason] = await sql`select held_reason is not null as held from outbound.campaigns
        where id = ${held.campaignId}`;
      assert.equal(reason!.held, true);
      assert.equal((await sql`select from outbound.delivery_attempts`).length, 0);
    }, TWO_TURNS_MS);

    assert.deepEqual(await statusesOf(sql, later.ids), ["scheduled"]);
    await eventually(async () => {
      const runs = await sql`
        select j.jobname as name, array_agg(distinct r.status) as states
        from cron.job_run_details as r join cron.job as j on j.jobid = r.jobid
        where j.jobname = any(${EVERY_MINUTE}) group by 1 order by 1`;
      assert.deepEqual([...runs], EVERY_MINUTE.map((name) => ({ name, states: ["succeeded"] })));
    });
    await assertConserved(sql);
  }));

Deno.test("a step of the cron job that fails stops no other, and the job fails with its reason", () =>
  withCronDatabase("a step that fails", async ({ sql }) => {
    await sql`update cron.job set active = false`;
    const due = await enqueue(sql, await insertSendingCompany(sql), { dueInS: 0 });
    const company = await insertSendingCompany(sql);
    const held = await enqueue(sql, company, { dueInS: 3600 });
    await sql`update outbound.templates set status = 'disabled', unsettled = true where id = ${company.template.id}`;
    await sql`alter function outbound.apply_account_events rename to gone`;

    const [job] = await sql`select command from cron.job where jobname = 'outbound-steps'`;
    await assert.rejects(
      sql.unsafe(job!.command),
      /^PostgresError: apply_account_events\(\): .* does not exist$/,
    );

    assert.deepEqual(await statusesOf(sql, due.ids), ["queued"]);
    const [campaign] = await sql`select held_reason is not null as held from outbound.campaigns
      where id = ${held.campaignId}`;
    assert.equal(campaign!.held, true);
  }));

Deno.test("schedule_jobs() may be called again, and ends the jobs of earlier versions with their history", () =>
  withCronDatabase("the jobs of pg_cron", async ({ sql }) => {
    await sql`select cron.schedule('outbound-of-old', '* * * * *', 'select 1')`;
    await sql`select cron.schedule('nightly-report', '0 3 * * *', 'select 1')`;
    await sql`insert into cron.job_run_details (jobid, runid, status, end_time)
      select jobid, -1, 'failed', now() from cron.job where jobname = 'outbound-of-old'`;

    const [row] = await sql`select outbound.schedule_jobs() as scheduled`;

    assert.equal(row!.scheduled, true);
    const jobs = await sql`select jobname from cron.job order by jobname`;
    assert.deepEqual(jobs.map(({ jobname }) => jobname), ["nightly-report", ...CRON_JOBS]);
    assert.equal((await sql`select from cron.job_run_details where runid = -1`).length, 0);
  }));

Deno.test("outbound-forget-runs deletes the old history of our jobs, and nothing of others", () =>
  withCronDatabase("the history of pg_cron", async ({ sql }) => {
    await sql`select cron.schedule('nightly-report', '0 3 * * *', 'select 1')`;
    await sql`insert into cron.job_run_details (jobid, runid, status, end_time)
      select j.jobid, -1000 * days - row_number() over (order by j.jobname), 'succeeded', now() - make_interval(days => days)
      from cron.job as j, unnest(array[1, 3]) as days where j.jobname in ('outbound-steps', 'nightly-report')`;

    const [job] = await sql`select command from cron.job where jobname = 'outbound-forget-runs'`;
    await sql.unsafe(job!.command);

    const left = await sql`select j.jobname, extract(day from now() - r.end_time)::int as days
      from cron.job_run_details as r join cron.job as j on j.jobid = r.jobid where r.runid < 0 order by 1, 2`;
    assert.deepEqual(left.map(({ jobname, days }) => [jobname, days]), [
      ["nightly-report", 1],
      ["nightly-report", 3],
      ["outbound-steps", 1],
    ]);
  }));
