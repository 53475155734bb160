import assert from "node:assert/strict";
import type postgres from "postgres";
import { withTestDatabase } from "../../setup/database/database.ts";
import { insertCompany, insertKey } from "../../setup/fixtures/fixtures.ts";
import { hashAccessKey } from "../../../supabase/functions/_shared/access/new_keys.ts";

const MINUTES = "15 minutes";

async function useKey(sql: postgres.Sql, key: string) {
  const [row] = await sql`select outcome, remaining, reset_s from outbound.use_access_key(${
    hashAccessKey(key)
  })`;
  return { outcome: row!.outcome, remaining: row!.remaining, resetsSoon: row!.reset_s <= 120 };
}

Deno.test("a clock set back by an hour shuts no key out", () =>
  withTestDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);
    const { key } = await insertKey(sql, id, { rate_limit: 2 });
    await useKey(sql, key);
    await useKey(sql, key);
    await sql`update outbound.usage set window_start = window_start + interval '1 hour'`;

    assert.deepEqual(await useKey(sql, key), { outcome: "ok", remaining: 1, resetsSoon: true });
  }));

Deno.test("a request from just before the minute does not take back the window of the minute", () =>
  withTestDatabase(async ({ sql }) => {
    const { id } = await insertCompany(sql);
    const { key } = await insertKey(sql, id, { rate_limit: 2 });
    await useKey(sql, key);
    await useKey(sql, key);
    await sql`update outbound.usage set window_start = date_trunc('minute', now()) + interval '1 minute'`;

    assert.deepEqual(await useKey(sql, key), { outcome: "rate_limited", remaining: 0, resetsSoon: true });
  }));

Deno.test("a clock set back by an hour shuts no visitor out", () =>
  withTestDatabase(async ({ sql }) => {
    const tryOnce = async () => {
      const [row] = await sql`
        select wait_s from outbound.count_visitor_request(array['a'], array[1], ${MINUTES}::interval)`;
      return row!.wait_s;
    };
    await tryOnce();
    const refused = await tryOnce();
    await sql`update outbound.visitor_requests set window_start = window_start + interval '1 hour'`;

    assert.ok(refused > 0);
    assert.equal(await tryOnce(), 0);
  }));

for (const limit of ["address", "account", "pair"]) {
  Deno.test(`a clock set back by an hour shuts no user out of the log-in by the limit of the ${limit}`, () =>
    withTestDatabase(async ({ sql }) => {
      const most = (name: string) => name === limit ? 1 : 9;
      const tryOnce = async () => {
        const [row] = await sql`
          select wait_s, reached from outbound.count_login_attempt(
            'address', 'account', 'pair', ${most("address")}, ${most("pair")}, ${MINUTES}::interval,
            ${most("account")}, '10 seconds')`;
        return [row!.reached, row!.wait_s > 0];
      };
      assert.deepEqual(await tryOnce(), [null, false]);
      assert.deepEqual(await tryOnce(), [limit, true]);
      await sql`
        update outbound.login_attempts
        set window_start = window_start + interval '1 hour', full_at = full_at + interval '1 hour'`;

      assert.deepEqual(await tryOnce(), [null, false]);
    }));
}
