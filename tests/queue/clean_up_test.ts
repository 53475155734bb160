import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../setup/database.ts";

/** What one look of a dispatcher deleted, or null when it was not its turn. */
async function cleanUp(sql: postgres.Sql): Promise<Record<string, number> | null> {
  const [row] = await sql`select outbound.clean_up_when_due() as cleaned`;
  return row!.cleaned;
}

Deno.test("clean_up_when_due() cleans up once an hour, however often it is called", () =>
  withTestDatabase(async ({ sql }) => {
    assert.notEqual(await cleanUp(sql), null);
    assert.equal(await cleanUp(sql), null);

    await sql`update outbound.settings set updated_at = now() - interval '61 minutes' where name = 'last_clean_up'`;

    assert.notEqual(await cleanUp(sql), null);
  }));

Deno.test("clean_up_when_due() leaves it to pg_cron where that is at work", () =>
  withTestDatabase(async ({ sql }) => {
    await sql`select outbound.tick(p_by => 'pg_cron')`;
    assert.equal(await cleanUp(sql), null);

    await sql`update outbound.settings set updated_at = now() - interval '11 minutes' where name = 'last_tick:pg_cron'`;

    assert.notEqual(await cleanUp(sql), null);
  }));
