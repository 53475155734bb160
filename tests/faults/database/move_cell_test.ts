import assert from "node:assert/strict";
import postgres from "postgres";
import { moveCell } from "../../../cli/migrations/move_cell.ts";
import { readCell } from "../../../supabase/functions/_shared/db/queue/cell.ts";
import { runAdmin } from "../../cli/run_admin.ts";
import { withPgbouncer } from "../../setup/database/pgbouncer.ts";
import { eventually } from "../../setup/eventually.ts";
// Has this file run where there is a Postgres only: it takes two servers.
import "../../setup/database/postgres_database.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  report,
  statesOf,
  tickWithoutProbe,
} from "../../setup/fixtures/queue.ts";
import { printFigures } from "../figures.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { withFaults } from "../with_faults.ts";
import { withOwnCluster } from "./own_cluster.ts";

interface Servers {
  old: postgres.Sql;
  fresh: postgres.Sql;
  /** Of the two. */
  from: string;
  to: string;
}

async function withTwoServers(
  fn: (servers: Servers) => Promise<void>,
  settings: Record<string, string> = { wal_level: "logical" },
): Promise<void> {
  await withOwnCluster(({ url: from }) =>
    withOwnCluster(async ({ url: to }) => {
      const [old, fresh] = [from, to].map((each) => postgres(each, { max: 2, onnotice: () => {} })) as [
        postgres.Sql,
        postgres.Sql,
      ];
      try {
        await fn({ old, fresh, from, to });
      } finally {
        await Promise.all([old.end({ timeout: 5 }), fresh.end({ timeout: 5 })]);
      }
    }), { settings });
}

/** Every row of every table but cell, as one hash per table. */
async function contents(sql: postgres.Sql): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = 'outbound'::regnamespace and relkind = 'r' and relname <> 'cell' order by 1`;
  const found = await Promise.all(tables.map(async ({ name }) => {
    const [row] = await sql`
      select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash from ${
      sql(`outbound.${name}`)
    } as t`;
    return [name, row!.hash];
  }));
  return Object.fromEntries(found);
}

Deno.test("a cell moves to another server: all of it, what changes meanwhile too, and the old one takes no more", () =>
  withTwoServers(async ({ old, fresh, from, to }) => {
    await old`update outbound.cell set number = 7`;
    const company = await insertSendingCompany(old);
    const { ids } = await enqueue(old, company, { count: 25 });
    await finish(old, await claim(old, { limit: 10 }), { outcome: "sent" });
    await report(old, [eventOf(company.id, ids[0]!, "failed")]);

    const following = await moveCell({ from, to }, { isSwitch: false });
    await finish(old, await claim(old, { limit: 10 }), { outcome: "failed" });
    await report(old, [eventOf(company.id, ids[1]!, "read")]);
    await tickWithoutProbe(old);
    assert.deepEqual([await claim(fresh), (await readCell(fresh)).state], [[], "copy"]);
    const moved = await moveCell({ from, to }, { isSwitch: true });
    const again = await moveCell({ from, to }, { isSwitch: true });

    assert.deepEqual([following.state, moved.state, again.state], ["following", "moved", "moved"]);
    assert.ok(moved.stopped_ms! > 0 && again.stopped_ms === null);
    const before = postgres(from, {
      max: 1,
      connection: { options: "-c default_transaction_read_only=off" },
    });
    try {
      assert.deepEqual(await contents(fresh), await contents(before));
      assert.deepEqual([(await readCell(fresh)).number, (await readCell(fresh)).state], [7, "active"]);
      assert.equal((await readCell(before)).state, "standby");
      assert.deepEqual(await claim(before), []);
      await assert.rejects(enqueue(old, company, { count: 1 }), /read-only transaction|connection/i);
      assert.equal((await claim(fresh)).length, 5);
      assert.equal(await report(fresh, [eventOf(company.id, ids[2]!, "failed")]), 1);
      assert.equal((await statesOf(fresh, [ids[2]!]))[0]!.status, "failed");
      const last =
        `select sequencename, last_value from pg_sequences where last_value is not null order by 1`;
      const [[first], [next]] = [await before.unsafe(last), await fresh.unsafe(last)];
      assert.ok(Number(next!.last_value) > Number(first!.last_value), JSON.stringify([first, next]));
    } finally {
      await before.end();
    }
  }));

Deno.test("a check that fails leaves the old server working, and the move goes on when it is repeated", () =>
  withTwoServers(async ({ old, fresh, from, to }) => {
    const company = await insertSendingCompany(old);
    await enqueue(old, company, { count: 3 });
    await moveCell({ from, to }, { isSwitch: false });
    const [lost] = await fresh`delete from outbound.queue where true returning *`;

    await assert.rejects(
      moveCell({ from, to }, { isSwitch: true }),
      /Table queue has 3 rows, on the new server 0/,
    );

    assert.equal((await readCell(old)).state, "active");
    await eventually(async () => void await enqueue(old, company, { count: 1 }));
    assert.equal((await claim(old)).length, 4);
    assert.ok(lost);
    assert.equal((await readCell(fresh)).state, "copy");
  }));

Deno.test("where the old server cannot be let work on either, the error says why the switch stopped, and what to do", () =>
  withTwoServers(async ({ old, fresh, from, to }) => {
    const company = await insertSendingCompany(old);
    await enqueue(old, company, { count: 3 });
    await moveCell({ from, to }, { isSwitch: false });
    const rows = await fresh`delete from outbound.queue where true returning *`;
    await old.unsafe(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'out of order'; end $$;
      create trigger refuse before update on outbound.cell for each row
        when (new.state = 'active') execute function refuse()`);

    await assert.rejects(
      moveCell({ from, to }, { isSwitch: true }),
      /Table queue has 3 rows.*failed too: out of order.*repeat the command/,
    );

    const operator = postgres(from, {
      max: 1,
      connection: { options: "-c default_transaction_read_only=off" },
    });
    await operator`drop trigger refuse on outbound.cell`;
    await operator.end();
    await fresh`insert into outbound.queue ${fresh(rows)}`;
    assert.equal((await moveCell({ from, to }, { isSwitch: true })).state, "moved");
    assert.equal((await claim(fresh)).length, 3);
  }));

Deno.test("a move whose command was killed during the switch goes on when it is repeated, before and after the new server works", () =>
  withTwoServers(async ({ old, fresh, from, to }) => {
    const company = await insertSendingCompany(old);
    await enqueue(old, company, { count: 3 });
    await moveCell({ from, to }, { isSwitch: false });
    // As far as the command came: the old server is fenced.
    await old`update outbound.cell set state = 'standby'`;
    await old.unsafe("alter database postgres set default_transaction_read_only = on");

    const moved = await moveCell({ from, to }, { isSwitch: true });
    // As far as it came the next time: the new server works, and still has its subscription.
    await fresh.unsafe(
      "create subscription outbound connection 'dbname=nowhere' publication outbound with (connect = false)",
    );
    await fresh.unsafe("alter subscription outbound set (slot_name = none)");
    const again = await moveCell({ from, to }, { isSwitch: true });

    assert.deepEqual([moved.state, again.state, again.stopped_ms], ["moved", "moved", null]);
    assert.deepEqual([...await fresh`select from pg_subscription`], []);
    assert.equal((await claim(fresh)).length, 3);
  }));

Deno.test("what a forgotten process has not committed when a cell moves is refused there, and is on neither server", () =>
  withTwoServers(async ({ old, fresh, from, to }) => {
    await insertSendingCompany(old);
    await moveCell({ from, to }, { isSwitch: false });
    const forgotten = postgres(from, { max: 1, onnotice: () => {} });
    const hasBegun = Promise.withResolvers<void>();
    const mayCommit = Promise.withResolvers<void>();
    const open = forgotten.begin(async (sql) => {
      await sql`insert into outbound.companies (name) values ('Late')`;
      hasBegun.resolve();
      await mayCommit.promise;
    });
    const refusal = assert.rejects(open);
    await hasBegun.promise;

    await moveCell({ from, to }, { isSwitch: true });
    mayCommit.resolve();

    await refusal;
    await forgotten.end();
    for (const sql of [old, fresh]) {
      assert.deepEqual([...await sql`select from outbound.companies where name = 'Late'`], []);
    }
  }));

Deno.test("admin cell move refuses what cannot end well, and says what to do", () =>
  withTwoServers(async ({ from, to }) => {
    const move = (...args: string[]) => runAdmin(["cell", "move", ...args], { env: { DATABASE_URL: from } });

    const replica = await move(to);
    const same = await move(from);

    assert.match(replica.stderr, /wal_level = replica: set it to logical/);
    assert.match(same.stderr, /same database/);
    assert.deepEqual([replica.code, same.code], [1, 1]);
  }, {}));

{
  const name =
    "a cell moves through PgBouncer while it accepts and sends: nothing is refused, lost or sent twice";
  Deno.test(
    name,
    () =>
      withTwoServers(({ from, to }) =>
        withPgbouncer(name, from, {}, (pgbouncer) =>
          withFaults(async (t) => {
            const dispatchers = t.startDispatchers(2);
            await dispatchers.ready();
            const intake = startIntake(t, { contacts: 5, everyMs: 20 });
            await eventually(async () => assert.ok((await t.platform.allMessages()).length > 50));
            const pooler = { url: pgbouncer.consoleUrl, database: new URL(from).pathname.slice(1) };
            await moveCell({ from, to, pgbouncer: pooler }, { isSwitch: false });
            await pgbouncer.name(to);

            const { stopped_ms } = await moveCell({ from, to, pgbouncer: pooler }, { isSwitch: true });

            const before = (await t.platform.allMessages()).length;
            await eventually(
              async () => assert.ok((await t.platform.allMessages()).length > before + 50),
              20_000,
            );
            const accepted = await intake.stop();
            await t.settle();
            await dispatchers.stop();
            const sendLog = await t.sendLog();
            printFigures("moved under load", {
              accepted,
              "stopped (ms)": stopped_ms!,
              twice: sendLog.twice.length,
            });
            assertBalanced(sendLog, { allow: "nothing" });
            assert.deepEqual([sendLog.entries.length, intake.refused()], [accepted, 0]);
          }, { databaseUrl: pgbouncer.url, ratePerSecond: 1000 })), {
        ...{ wal_level: "logical" },
      }),
  );
}
