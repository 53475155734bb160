import assert from "node:assert/strict";
import { join } from "node:path";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { checkDatabase } from "../../../cli/doctor/check_database.ts";
import type { Finding } from "../../../cli/doctor/finding.ts";
import { withOwnCluster } from "../../faults/database/own_cluster.ts";
import { withSmallDisk } from "../../faults/database/small_disk.ts";
import type { TestDatabase } from "../../setup/database/database.ts";
import {
  withBareCronDatabase,
  withCronDatabase,
  withPostgresDatabase,
} from "../../setup/database/postgres_database.ts";
import { type PlainRoles, withPlainRoles } from "../../setup/database/plain_roles.ts";
import { skipped } from "../../setup/skipped.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { envOf } from "./env_of.ts";

const SCHEDULED = "select outbound.schedule_jobs();";

async function findingOf(
  check: string,
  sql: postgres.Sql,
  { url }: Pick<TestDatabase, "url">,
): Promise<Finding> {
  const { findings } = await checkDatabase(sql, envOf(url));
  return findings.find((finding) => finding.check === check)!;
}

const cronFinding = (sql: postgres.Sql, t: TestDatabase) => findingOf("pg_cron", sql, t);

/** Keeps pg_cron from running our jobs, so that only what a test writes is in its history. */
async function keepStill({ sql }: TestDatabase): Promise<void> {
  await sql`select cron.alter_job(jobid, schedule => '0 0 1 1 *') from cron.job`;
  await sql`delete from cron.job_run_details`;
}

async function addRuns({ sql }: TestDatabase, status: string, jobs: string): Promise<void> {
  await sql`
    insert into cron.job_run_details (jobid, runid, username, status, start_time, return_message)
    select jobid, 1000000 + jobid, username, ${status}, now(), 'ERROR:  of ' || jobname from cron.job where jobname like ${jobs}`;
}

/** Runs the statement that a finding advises. */
async function follow({ sql }: TestDatabase, { todo }: Finding): Promise<postgres.Row[]> {
  return await sql.unsafe(/select .*;/.exec(todo!)![0]);
}

Deno.test("doctor finds nothing to do where pg_cron is not installed", () =>
  withPostgresDatabase(async (t) => {
    assert.deepEqual(await cronFinding(t.sql, t), {
      check: "pg_cron",
      state: "ok",
      text: "not installed: dispatchers do its work",
    });
  }));

Deno.test("doctor finds jobs of pg_cron that are missing, and its advice brings them back", () =>
  withCronDatabase("doctor and missing jobs", async (t) => {
    await keepStill(t);
    await t.sql`select cron.unschedule('outbound-steps')`;

    const one = await cronFinding(t.sql, t);
    await t.sql`select cron.unschedule(jobid) from cron.job`;
    const all = await cronFinding(t.sql, t);
    await follow(t, all);
    await keepStill(t);
    await addRuns(t, "succeeded", "%");
    const mended = await cronFinding(t.sql, t);

    assert.match(one.text, /^1\.\d\S* lacks the jobs outbound-steps$/);
    assert.match(all.text, /lacks the jobs outbound-clean-up, .*, outbound-steps$/);
    assert.deepEqual([one.state, one.todo!.endsWith(SCHEDULED)], ["failed", true]);
    assert.match(`${mended.state}: ${mended.text}`, /^ok: 1\.\d\S* runs 3 jobs$/);
  }));

Deno.test("doctor finds jobs of pg_cron that are switched off, and its advice switches them on", () =>
  withCronDatabase("doctor and inactive jobs", async (t) => {
    await keepStill(t);
    await addRuns(t, "succeeded", "%");
    await t
      .sql`select cron.alter_job(jobid, active => false) from cron.job where jobname = 'outbound-clean-up'`;

    const off = await cronFinding(t.sql, t);
    await follow(t, off);
    const on = await cronFinding(t.sql, t);

    assert.deepEqual([off.state, off.text, on.state], ["failed", "inactive: outbound-clean-up", "ok"]);
  }));

Deno.test("doctor finds jobs of pg_cron that fail, and its advice shows the reason", () =>
  withCronDatabase("doctor and failing jobs", async (t) => {
    await keepStill(t);
    await addRuns(t, "succeeded", "%");
    await t.sql`delete from cron.job_run_details where return_message like '%outbound-steps'`;
    await addRuns(t, "failed", "outbound-steps");

    const failing = await cronFinding(t.sql, t);
    const reasons = await follow(t, failing);

    assert.deepEqual([failing.state, failing.text], ["failed", "the last run failed of outbound-steps"]);
    assert.deepEqual(reasons.map(({ return_message }) => return_message), ["ERROR:  of outbound-steps"]);
  }));

Deno.test("doctor finds a pg_cron that runs no job", () =>
  withCronDatabase("doctor and a pg_cron that has stopped", async (t) => {
    await keepStill(t);

    const { state, text, todo } = await cronFinding(t.sql, t);

    assert.match(`${state}: ${text}`, /^failed: 1\.\d\S* has run none of its 3 jobs within ten minutes$/);
    assert.match(todo!, /cron\.database_name/);
  }));

Deno.test("doctor judges pg_cron by its work for a role that sees no job, with and without leave to read them", () =>
  withDocumentedCron("doctor and the jobs of another role", async ({ sql, url }, { service, serviceUrl }) => {
    const plain = postgres(serviceUrl, { max: 1, onnotice: () => {} });
    try {
      const silent = await cronFinding(plain, { sql, url });
      await sql`insert into outbound.settings (name, value) values ('last_tick:pg_cron', 'null')`;
      const working = await cronFinding(plain, { sql, url });
      await sql`grant usage on schema cron to ${sql(service)}`;
      const reading = await cronFinding(plain, { sql, url });

      // Dispatchers may do all of its work: no fault.
      assert.deepEqual([silent.state, working.state, reading.state], ["warning", "ok", "ok"]);
      assert.match(silent.todo!, new RegExp(RegExp.escape(SCHEDULED)));
      assert.match(reading.text, /keeps time, with the jobs of another role$/);
    } finally {
      await plain.end({ timeout: 5 });
    }
  }));

Deno.test("the owner of the tables schedules the jobs of pg_cron, may do what they do, and doctor shows them", () =>
  withDocumentedCron("the jobs of an owner who is no superuser", async (t, { owner, ownerUrl }) => {
    const plain = postgres(ownerUrl, { max: 1, onnotice: () => {} });
    try {
      const jobs = await t.sql`select command, username from cron.job`;
      assert.deepEqual(new Set(jobs.map(({ username }) => username)), new Set([owner]));
      for (const { command } of jobs) await plain.unsafe(command);
      await addRuns(t, "succeeded", "%");

      assert.match((await cronFinding(plain, t)).text, /^1\.\d\S* runs 3 jobs$/);
    } finally {
      await plain.end({ timeout: 5 });
    }
  }));

Deno.test("migrate applies where pg_cron is there and its schema may not be used", () =>
  withDocumentedCron("migrations beside the pg_cron of others", async ({ sql }) => {
    assert.equal((await sql`select from cron.job`).length, 0);
  }, { mayUse: false }));

/** Sets pg_cron and the roles up as docs/operations.md says, and migrates. */
async function withDocumentedCron(
  test: string,
  fn: (database: TestDatabase, roles: PlainRoles) => Promise<void>,
  { mayUse = true } = {},
): Promise<void> {
  await withBareCronDatabase(test, (database) =>
    withPlainRoles(database, async (roles) => {
      const { sql } = database;
      await sql`create extension pg_cron`;
      if (mayUse) await sql`grant usage on schema cron to ${sql(roles.owner)}`;
      const plain = postgres(roles.ownerUrl, { max: 2, onnotice: () => {} });
      await applyMigrations(plain, { grantTo: roles.service });
      await plain.end({ timeout: 5 });
      await keepStill(database);
      await fn(database, roles);
    }));
}

const FULL = "doctor finds that the database's disk is full, and that there is room again";

Deno.test(FULL, () =>
  withTempFolder(async (folder) => {
    await Deno.chmod(folder, 0o755);
    const missing = await withSmallDisk(
      join(folder, "disk"),
      { megabytes: 64 },
      (disk) =>
        withOwnCluster(async ({ url }) => {
          const sql = postgres(url, { max: 1, onnotice: () => {} });
          try {
            await disk.fill();
            const full = await findingOf("storage", sql, { url });
            await disk.free();
            const free = await findingOf("storage", sql, { url });

            assert.equal(full.state, "failed");
            assert.match(full.text, /^The database at 127\.0\.0\.1:\d+ has a full disk/);
            assert.match(full.todo!, /^Make room on the database's disk/);
            assert.match(`${free.state}: ${free.text}`, /^ok: the database takes \d+ MiB, and more fits$/);
          } finally {
            await sql.end({ timeout: 5 });
          }
        }, {
          prepare: async ({ url, sql }) => {
            await sql.unsafe(`create tablespace small location '${disk.folder}'`);
            await sql.unsafe("create database outbound tablespace small");
            return new URL("/outbound", url).href;
          },
        }),
    );
    if (missing) skipped(FULL, missing);
  }));
