import assert from "node:assert/strict";
import type postgres from "postgres";
import { finishDeliveries } from "../../supabase/functions/_shared/db/webhooks/webhooks.ts";
import { untilBlocked, withOpenTransaction } from "../control/open_transaction.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { insertCompany } from "../setup/fixtures/fixtures.ts";
import { insertEvents, insertWebhook } from "../setup/fixtures/webhooks.ts";

const WORKER = "dispatcher";

/** Adds a company whose events a dispatcher has claimed. Returns their deliveries, handed back unsent. */
async function claimedOf(sql: postgres.Sql, count: number) {
  const { id } = await insertCompany(sql);
  await insertWebhook(sql, id);
  const events = await insertEvents(sql, id, count);
  await sql`
    update outbound.webhook_deliveries set worker = ${WORKER}, run_at = now() + interval '1 minute', deferred = true
    where company_id = ${id}`;
  return events.map((event_id) => ({
    company_id: id,
    event_id,
    attempt: 1,
    outcome: "released" as const,
    request_headers: null,
    response_status: null,
    response_body: null,
    error: null,
    duration_ms: 0,
    retry_in_s: null,
    gone: false,
  }));
}

Deno.test("dispatchers that give companies their turn at the same time wait for each other in no circle", () =>
  withPostgresDatabase(async ({ sql }) => {
    const [first, second] = [await claimedOf(sql, 2), await claimedOf(sql, 2)];
    await sql`insert into outbound.webhook_schedule (company_id, due_at) values (${
      second[0]!.company_id
    }, now())`;
    const finish = (on: postgres.Sql, results: typeof first) =>
      finishDeliveries(on, { worker: WORKER, results });

    await withOpenTransaction(sql, async (open, commit) => {
      // The first company had no turn, and gets one that others do not see yet.
      assert.equal(await finish(open, [first[0]!]), 1);
      const both = finish(sql, [first[1]!, second[0]!]);
      await untilBlocked(sql);
      assert.equal(await finish(open, [second[1]!]), 1);
      await commit();

      assert.equal(await both, 2);
    });
    const due = await sql`select from outbound.webhook_schedule where due_at <= now()`;
    assert.equal(due.length, 2);
  }));
