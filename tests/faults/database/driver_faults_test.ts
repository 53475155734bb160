/**
 * The driver without our repairs has these faults. A test that fails here says that a repair can go: take it out of
 * `driver_repairs.ts`, with this test; the test that needed it stays.
 *
 * @module
 */
import assert from "node:assert/strict";
import postgres from "postgres";
import { within } from "../../../cli/service/stopping.ts";
import type { Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { codeOf } from "../../setup/database/query_errors.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";

/** Calls `fn` with one connection of the driver as it is, and with another that may end it. */
async function withDriver(fn: (pools: { sql: Sql; admin: Sql }) => Promise<void>): Promise<void> {
  await withPostgresDatabase(async ({ url }) => {
    const [sql, admin] = [1, 2].map(() =>
      postgres(url, { max: 1, fetch_types: false, onnotice: () => {} }) as unknown as Sql
    );
    try {
      await fn({ sql: sql!, admin: admin! });
    } finally {
      await Promise.all([sql!, admin!].map((each) => each.end({ timeout: 0 })));
    }
  });
}

function canGo(repair: string): string {
  return `${repair}() can go: the driver no longer has the fault that it repairs`;
}

Deno.test("replaceLostPools() is needed: a query after a lost connection gets the error of the lost one", () =>
  withDriver(async ({ sql, admin }) => {
    const [session] = await sql`select pg_backend_pid() as pid`;
    const lost = codeOf(sql`select pg_sleep(60)`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await admin`select pg_terminate_backend(${session!.pid}::int, 5000)`;
    assert.equal(await lost, "CONNECTION_CLOSED");

    assert.equal(await codeOf(sql`select 1`), "57P01", canGo("replaceLostPools"));
  }));

Deno.test("limitWait() is needed: a query waits forever where each connection is taken and closed", async () => {
  const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let taken = 0;
  const closing = (async () => {
    for await (const connection of proxy) {
      taken++;
      connection.close();
    }
  })();
  const { port } = proxy.addr;
  const sql = postgres(`postgres://postgres@127.0.0.1:${port}/postgres`, { max: 1, connect_timeout: 1 });
  try {
    assert.equal(await within(3000, codeOf(sql`select 1`)), false, canGo("limitWait"));
    assert.ok(taken > 10, `it connected ${taken} times only`);
  } finally {
    await sql.end({ timeout: 0 });
    proxy.close();
    await closing;
  }
});

Deno.test("stopLostTransaction() is needed: a transaction without its connection commits another one", () =>
  withDriver(async ({ sql, admin }) => {
    const [opened, committed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const lost = codeOf(sql.begin(async (transaction) => {
      const [session] = await transaction`select pg_backend_pid() as pid`;
      await admin`select pg_terminate_backend(${session!.pid}::int, 5000)`;
      await opened.promise;
      setTimeout(committed.resolve, 100);
    }));
    assert.equal(await lost, "CONNECTION_CLOSED");
    const isOpen = sql.begin(async (transaction) => {
      await transaction`create table kept (what text)`;
      opened.resolve();
      await committed.promise;
      const [row] = await transaction`select pg_current_xact_id_if_assigned() is not null as is_open`;
      return row!.is_open;
    });
    assert.equal(await isOpen, false, canGo("stopLostTransaction"));
  }));

Deno.test("repeatWithSameValues() is needed: a statement that the server forgot is repeated with other values", () =>
  withDriver(async ({ sql }) => {
    const read = async () => (await sql`select ${true}::boolean as value`)[0]!.value;
    const first = await read();
    await sql`deallocate all`.simple();

    assert.deepEqual([first, await read()], [true, false], canGo("repeatWithSameValues"));
  }));

Deno.test("refusePipelining() is needed: of several lost statements, one gets no rows or another's", () =>
  withDriver(async ({ sql }) => {
    const run = async (index: number) =>
      (await sql`select ${"value"}::text || ${sql.unsafe(`'-${index}'`)} as value`)[0]?.value;
    for (const index of [0, 1]) await run(index);
    await sql`deallocate all`.simple();
    const both = Promise.all([run(0), run(1)]).catch((error) => error);
    const values = await within(2000, both) ? await both : "nothing";

    assert.notDeepEqual(values, ["value-0", "value-1"], canGo("refusePipelining"));
  }));

Deno.test("takeHolesAway() is needed: the rows of a query after one that fails half-way have holes", () =>
  withDriver(async ({ sql }) => {
    assert.equal(await codeOf(sql`select 1 / (4 - i) from generate_series(1, 10) as i`), "22012");
    const rows = await sql`select i from generate_series(1, 3) as i`;

    assert.notEqual(rows.length, 3, canGo("takeHolesAway"));
  }));
