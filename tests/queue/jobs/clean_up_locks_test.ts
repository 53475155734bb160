import assert from "node:assert/strict";
import type postgres from "postgres";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { insertEvents, insertWebhook } from "../../setup/fixtures/webhooks.ts";

/** Two events that have been kept for long enough, each with its delivery. */
async function insertOldEvents(sql: postgres.Sql): Promise<string[]> {
  const { id } = await insertCompany(sql);
  await insertWebhook(sql, id);
  await insertEvents(sql, id, 2);
  const events =
    await sql`update outbound.outgoing_events set created_at = now() - interval '31 days' returning id`;
  return events.map((event) => event.id);
}

Deno.test("clean_up() waits for no lock: rows that another transaction holds are left for the next call", () =>
  withPostgresDatabase(async ({ sql }) => {
    const [held, other] = await insertOldEvents(sql);

    await sql.begin(async (one) => {
      await one`select from outbound.webhook_deliveries where event_id = ${held!} for update`;
      await sql.begin(async (two) => {
        await two`set local lock_timeout = '1s'`;
        await two`select outbound.clean_up()`;
      });
    });

    assert.deepEqual([...await sql`select id from outbound.outgoing_events`], [{ id: held }]);
    assert.deepEqual([...await sql`select event_id from outbound.webhook_deliveries`], [{ event_id: held }]);
    await sql`select outbound.clean_up()`;
    assert.equal(
      (await sql`select from outbound.outgoing_events where id in (${held!}, ${other!})`).length,
      0,
    );
  }));
