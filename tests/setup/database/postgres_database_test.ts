import assert from "node:assert/strict";
import { withCronDatabase, withPostgresDatabase } from "./postgres_database.ts";

Deno.test("withPostgresDatabase() gives sessions that can wait for each other", () =>
  withPostgresDatabase(async ({ sql }) => {
    const order: string[] = [];
    const [first, second] = [await sql.reserve(), await sql.reserve()];

    await first`select pg_advisory_lock(1)`;
    const waiting = second`select pg_advisory_lock(1)`.then(() => order.push("second"));
    order.push("first");
    await first`select pg_advisory_unlock(1)`;
    await waiting;

    first.release();
    second.release();
    assert.deepEqual(order, ["first", "second"]);
  }));

for (const time of ["first", "second"]) {
  Deno.test(`withCronDatabase() gives a database that can schedule jobs, the ${time} time too`, () =>
    withCronDatabase("jobs in pg_cron", async ({ sql }) => {
      await sql`create extension if not exists pg_cron`;
      await sql`select cron.schedule('a job of this test', '* * * * *', 'select 1')`;
      const jobs = await sql`select database from cron.job where jobname = 'a job of this test'`;

      assert.deepEqual([...jobs], [{ database: "outbound_cron" }]);
    }));
}
