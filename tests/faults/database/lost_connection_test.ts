import assert from "node:assert/strict";
import { within } from "../../../cli/service/stopping.ts";
import { connect, type Sql } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { eventually } from "../../setup/eventually.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { codeOf } from "../../setup/database/query_errors.ts";
import { type CuttingProxy, startCuttingProxy } from "./cutting_proxy.ts";
import { withOwnCluster, withPasswordRole } from "./own_cluster.ts";

/** Longer than any of these queries takes on a loaded machine. */
const SOON_MS = 5000;

/** Calls `fn` with a pool, and with a connection that may end those of the pool. */
async function withPools(url: string, fn: (pools: { sql: Sql; admin: Sql }) => Promise<void>): Promise<void> {
  const [sql, admin] = [connect(url, { max: 2 }), connect(url, { max: 1 })];
  try {
    await fn({ sql, admin });
  } finally {
    await Promise.all([sql, admin].map((each) => each.end({ timeout: 1 })));
  }
}

async function withDatabase(fn: (pools: { sql: Sql; admin: Sql }) => Promise<void>): Promise<void> {
  await withPostgresDatabase(({ url }) => withPools(url, fn));
}

async function soon<Result>(work: Promise<Result>, ms = SOON_MS): Promise<Result> {
  assert.ok(await within(ms, work.catch(() => {})), `not over within ${ms} ms`);
  return await work;
}

async function untilBusy(admin: Sql, pid: number): Promise<void> {
  await eventually(async () => {
    const [row] = await admin`select state from pg_stat_activity where pid = ${pid}`;
    assert.equal(row?.state, "active");
  });
}

async function terminate(admin: Sql, pid: number): Promise<void> {
  await admin`select pg_terminate_backend(${pid}::int, 5000)`;
}

Deno.test("a query after a lost connection learns at once that the database refuses, and the next that it admits again", () =>
  withOwnCluster(({ url }) =>
    withPools(url, async ({ admin }) => {
      const service = new URL(url);
      service.username = "service";
      service.password = "right";
      await withPools(service.href, async ({ sql }) => {
        const sessions = await Promise.all(
          [0, 1].map(() => sql`select pg_backend_pid() as pid, pg_sleep(0.1)`),
        );
        const running = sessions.map(() => codeOf(sql`select pg_sleep(60)`));
        for (const [row] of sessions) await untilBusy(admin, row!.pid);
        await admin.unsafe("alter role service password 'other'");
        for (const [row] of sessions) await terminate(admin, row!.pid);
        assert.deepEqual(await Promise.all(running), ["CONNECTION_CLOSED", "CONNECTION_CLOSED"]);

        const refused = Array.from({ length: 4 }, () => codeOf(sql`select 1 as one`));
        assert.deepEqual(await soon(Promise.all(refused)), Array(4).fill("28P01"));
        await admin.unsafe("alter role service password 'right'");
        assert.deepEqual(await soon(sql`select 1 as one`).then((rows) => [...rows]), [{ one: 1 }]);
      });
    }), { prepare: withPasswordRole }));

/** Another transaction takes the place of the lost connection: nothing of the lost one may be sent in it. */
async function assertGoesOn(sql: Sql): Promise<void> {
  const rows = await soon(sql.begin(async (transaction) => {
    await transaction`create table kept (what text)`;
    await transaction`select pg_sleep(0.2)`;
    return await transaction`select pg_current_xact_id_if_assigned() is not null as is_open`;
  }));
  assert.deepEqual([...rows], [{ is_open: true }]);
}

for (const end of ["with another error", "as if nothing had happened"]) {
  Deno.test(`a transaction that loses its connection during a statement and ends ${end} is rejected, and the process goes on`, () =>
    withDatabase(async ({ sql, admin }) => {
      const transaction = codeOf(sql.begin(async (transaction) => {
        const [row] = await transaction`select pg_backend_pid() as pid`;
        const running = codeOf(transaction`select pg_sleep(60)`);
        await untilBusy(admin, row!.pid);
        await terminate(admin, row!.pid);
        await running;
        if (end === "with another error") throw new Error("of the caller's own");
      }));
      assert.equal(await soon(transaction), "CONNECTION_CLOSED");
      await assertGoesOn(sql);
    }));
}

Deno.test("a transaction that loses its connection between statements and ends as if nothing had happened is rejected", () =>
  withDatabase(async ({ sql, admin }) => {
    const rejected = Promise.withResolvers<void>();
    const transaction = codeOf(sql.begin(async (transaction) => {
      const [row] = await transaction`select pg_backend_pid() as pid`;
      await terminate(admin, row!.pid);
      await rejected.promise;
    }));
    assert.equal(await soon(transaction), "CONNECTION_CLOSED");
    rejected.resolve();
    await assertGoesOn(sql);
  }));

Deno.test("a transaction that waits for a connection when one is lost does not wait on", () =>
  withDatabase(async ({ admin, sql }) => {
    const sessions = await Promise.all([0, 1].map(() => sql`select pg_backend_pid() as pid, pg_sleep(0.1)`));
    const running = sessions.map(() => codeOf(sql`select pg_sleep(60)`));
    for (const [row] of sessions) await untilBusy(admin, row!.pid);
    const waiting = codeOf(sql.begin((transaction) => transaction`select 1 as one`));
    await terminate(admin, sessions[0]![0]!.pid);
    assert.equal(await soon(Promise.race(running)), "CONNECTION_CLOSED");
    assert.deepEqual([...await soon(sql`select 1 as one`)], [{ one: 1 }]);
    // The driver may give it the error of the query before it.
    assert.match(await soon(waiting), /^(no error|57P01)$/);
  }));

Deno.test("a transaction ends with its pool, also during a statement", () =>
  withDatabase(async ({ sql, admin }) => {
    const begun = Promise.withResolvers<number>();
    const transaction = codeOf(sql.begin(async (transaction) => {
      const [row] = await transaction`select pg_backend_pid() as pid`;
      begun.resolve(row!.pid);
      await transaction`select pg_sleep(60)`;
    }));
    const pid = await begun.promise;
    await untilBusy(admin, pid);
    await sql.end({ timeout: 0 });
    assert.equal(await soon(transaction), "CONNECTION_DESTROYED");
    await terminate(admin, pid);
  }));

Deno.test("no statement of a transaction runs by itself after the transaction's connection was lost", () =>
  withDatabase(async ({ sql, admin }) => {
    await sql`create table written (what text)`;
    const next = Promise.withResolvers<void>();
    const late = Promise.withResolvers<string>();
    const transaction = codeOf(sql.begin(async (transaction) => {
      const [row] = await transaction`select pg_backend_pid() as pid`;
      await terminate(admin, row!.pid);
      await next.promise;
      late.resolve(await codeOf((async () => await transaction`insert into written values ('late')`)()));
    }));
    assert.equal(await soon(transaction), "CONNECTION_CLOSED");
    await Promise.all(Array.from({ length: 8 }, () => sql`select pg_sleep(0.01)`));
    next.resolve();
    assert.equal(await soon(late.promise), "CONNECTION_CLOSED");
    assert.deepEqual([...await sql`select * from written`], []);
  }));

/** Calls `fn` with a pool that reaches the database by a way that a test can hold up. */
async function withWay(
  fn: (way: { sql: Sql; proxy: CuttingProxy }) => Promise<void>,
  { maxQueryMs = 60_000 } = {},
): Promise<void> {
  await withPostgresDatabase(async ({ url }) => {
    const address = new URL(url);
    const proxy = startCuttingProxy(Number(address.port), () => ({ up: Infinity, down: Infinity }));
    address.port = String(proxy.port);
    const sql = connect(address.href, { max: 2, connectTimeoutS: 1, maxQueryMs });
    try {
      await fn({ sql, proxy });
    } finally {
      await sql.end({ timeout: 0 });
      await proxy.close();
    }
  });
}

Deno.test("while the database stands still, queries and transactions are rejected, the next ones at once, until it goes on", () =>
  withWay(async ({ sql, proxy }) => {
    const hasBegun = Promise.withResolvers<void>();
    const mayGoOn = Promise.withResolvers<void>();
    const begun = codeOf(sql.begin(async (transaction) => {
      await transaction`select 1`;
      hasBegun.resolve();
      await mayGoOn.promise;
      await transaction`select 1`;
    }));
    await hasBegun.promise;
    await sql`select 1`;
    proxy.standStill("all");
    mayGoOn.resolve();

    const stuck = [begun, ...Array.from({ length: 4 }, () => codeOf(sql`select 1`))];
    assert.deepEqual(await Promise.all(stuck), Array(5).fill("CONNECT_TIMEOUT"));
    const refused = Array.from({ length: 100 }, () => codeOf(sql`select 1`));
    const next = [codeOf(sql.begin((transaction) => transaction`select 1`)), ...refused];
    assert.deepEqual(new Set(await soon(Promise.all(next), 900)), new Set(["CONNECT_TIMEOUT"]));
    proxy.goOn();
    await eventually(async () => assert.deepEqual([...await sql`select 1 as one`], [{ one: 1 }]));
  }));

Deno.test("a statement that takes long is waited for, as long as the database responds", () =>
  withWay(async ({ sql }) => {
    const long = sql`select pg_sleep(6), 1 as one`;
    assert.equal((await long)[0]!.one, 1);
  }));

Deno.test("a statement that takes longer than any may is rejected, and the pool goes on", () =>
  withWay(async ({ sql }) => {
    assert.equal(await codeOf(sql`select pg_sleep(30)`), "CONNECT_TIMEOUT");
    assert.deepEqual([...await soon(sql`select 1 as one`)], [{ one: 1 }]);
  }, { maxQueryMs: 1000 }));

Deno.test("when the open connections have lost their way and others have not, the next queries take others", () =>
  withWay(async ({ sql, proxy }) => {
    await Promise.all([sql`select pg_sleep(0.1)`, sql`select pg_sleep(0.1)`]);
    proxy.standStill("open");
    const stuck = [codeOf(sql`select 1`), codeOf(sql`select 1`), codeOf(sql`select 1`)];
    await eventually(async () => assert.ok(await within(200, codeOf(sql`select 1`))));
    assert.deepEqual([...await soon(sql`select 1 as one`)], [{ one: 1 }]);
    assert.deepEqual(await Promise.all(stuck), Array(3).fill("CONNECT_TIMEOUT"));
  }, { maxQueryMs: 5000 }));

Deno.test("a query is rejected when whatever is in front of the database takes every connection and closes it", async () => {
  const proxy = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closing = (async () => {
    for await (const connection of proxy) connection.close();
  })();
  const sql = connect(`postgres://postgres@127.0.0.1:${proxy.addr.port}/postgres`, { max: 2 });
  try {
    const first = codeOf(sql`select 1`);
    // Every further query looks whether an earlier one has waited for too long.
    const others: Promise<string>[] = [];
    const asking = setInterval(() => others.push(codeOf(sql`select 1`)), 500);
    assert.match(await soon(first, 15_000).finally(() => clearInterval(asking)), /^CONNECT/);
    await sql.end({ timeout: 0 });
    for (const code of await soon(Promise.all(others))) assert.match(code, /^CONNECT/);
  } finally {
    proxy.close();
    await closing;
  }
});
