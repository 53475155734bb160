import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { withCronDatabase } from "../setup/postgres_database.ts";
import { assertConserved, enqueue, insertSendingCompany, statusesOf } from "./queue.ts";

/** pg_cron 1.4 knows minutes only. */
const TWO_TURNS_MS = 125_000;

Deno.test("with no dispatcher at all, the cron job alone queues what is due", () =>
  withCronDatabase("the tick by pg_cron", async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    const due = await enqueue(sql, company, { count: 3, dueInS: 1 });
    const later = await enqueue(sql, company, { dueInS: 3600 });

    await eventually(async () => {
      assert.deepEqual(await statusesOf(sql, due.ids), ["queued", "queued", "queued"]);
    }, TWO_TURNS_MS);

    assert.deepEqual(await statusesOf(sql, later.ids), ["scheduled"]);
    await eventually(async () => {
      const [run] = await sql`select status, command from cron.job_run_details order by runid desc limit 1`;
      assert.deepEqual({ ...run }, { status: "succeeded", command: "select outbound.cron_tick()" });
    });
    await assertConserved(sql);
  }));
