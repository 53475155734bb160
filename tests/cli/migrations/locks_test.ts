import assert from "node:assert/strict";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { eventually } from "../../setup/eventually.ts";
// Has this file run where there is a Postgres only: it takes several sessions.
import "../../setup/database/postgres_database.ts";
import { withMigrations } from "./with_migrations.ts";

const ROOMS = {
  "20300101000000_rooms.sql": "create table rooms (n int); insert into rooms values (1), (1);",
};
const WIDER_FILE = "20300102000000_wider.sql";
const WIDER = { [WIDER_FILE]: "alter table rooms add column width int;" };
const INDEX_FILE = "20300102000000_rooms_index.sql";
const INDEX = (unique: string) => ({
  [INDEX_FILE]:
    `-- no transaction\ncreate ${unique} index concurrently if not exists rooms_n_idx on rooms (n);\n`,
});

/** Calls `fn` while a transaction that has read a row stays open, as a report or pg_dump does. */
async function whileReading(url: string, fn: () => Promise<void>): Promise<void> {
  const reader = postgres(url, { max: 1, connection: { application_name: "a report" } });
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
  const { promise: hasRead, resolve: read } = Promise.withResolvers<void>();
  const reading = reader.begin(async (transaction) => {
    await transaction`select from rooms`;
    read();
    await mayEnd;
  });
  try {
    await hasRead;
    await fn();
  } finally {
    end();
    await reading;
    await reader.end();
  }
}

/** Resolves when a statement on the table waits for its lock. */
async function untilWaiting(sql: postgres.Sql): Promise<void> {
  await eventually(async () => {
    const waiting = await sql`select from pg_locks where relation = 'rooms'::regclass and not granted`;
    assert.notEqual(waiting.length, 0);
  });
}

Deno.test("a migration that has to wait for a lock fails, so that nothing waits behind it, and is retried", () =>
  withMigrations(ROOMS, async ({ sql, url, directory, add }) => {
    await applyMigrations(sql, { directory });
    await add(directory, WIDER);
    const lines: string[] = [];
    let run: Promise<{ applied: string[] }> | undefined;

    await whileReading(url, async () => {
      run = applyMigrations(sql, {
        directory,
        lockTimeoutMs: 800,
        pauseMs: 400,
        onWait: (line) => lines.push(line),
      });
      for (const statement of ["select from rooms", "insert into rooms values (2)"]) {
        await untilWaiting(sql);
        await sql.begin(async (one) => {
          // More than the migration's own patience: it is gone before this one is.
          await one`set local lock_timeout = '8s'`;
          await one.unsafe(statement);
        });
      }
      await eventually(() => assert.ok(lines.length >= 2));
    });

    assert.deepEqual((await run)?.applied, [WIDER_FILE]);
    for (const line of lines) {
      assert.match(
        line,
        /^20300102000000_wider\.sql waits: a lock it needs is held by process \d+ \(a report, its transaction open for \d+ s\)( and .*)?; the next attempt is in 0\.4 s$/,
      );
    }
    assert.equal((await sql`select width from rooms`).length, 3);
  }));

Deno.test("a migration that never gets its lock fails in the end, and says who was in the way", () =>
  withMigrations(ROOMS, async ({ sql, url, directory, add }) => {
    await applyMigrations(sql, { directory });
    await add(directory, WIDER);

    await whileReading(url, async () => {
      await assert.rejects(
        applyMigrations(sql, { directory, lockTimeoutMs: 2000, pauseMs: 100, maxWaitMs: 1000 }),
        /^Error: Migration 20300102000000_wider\.sql was not applied: a lock it needs is held by process \d+ \(a report, .*\)\. Run "deno task migrate" again later$/,
      );
    });

    assert.deepEqual((await applyMigrations(sql, { directory })).applied, [WIDER_FILE]);
  }));

Deno.test("an index that a failed run left half made is dropped and made anew", () =>
  withMigrations(ROOMS, async ({ sql, directory, add }) => {
    await applyMigrations(sql, { directory });
    await add(directory, INDEX("unique"));
    const isValid = async () =>
      (await sql`select indisvalid from pg_index where indexrelid = to_regclass('rooms_n_idx')`)[0]
        ?.indisvalid;

    await assert.rejects(
      applyMigrations(sql, { directory }),
      /rooms_index\.sql failed: could not create unique index/,
    );
    assert.equal(await isValid(), false);
    await sql`delete from rooms where ctid = (select min(ctid) from rooms)`;

    assert.deepEqual((await applyMigrations(sql, { directory })).applied, [INDEX_FILE]);
    assert.equal(await isValid(), true);
  }));

Deno.test("an index is made while others write, blocks nothing, and names the processes it waits for", () =>
  withMigrations(ROOMS, async ({ sql, url, directory, add }) => {
    await applyMigrations(sql, { directory });
    await add(directory, INDEX(""));
    const lines: string[] = [];
    let run: Promise<{ applied: string[] }> | undefined;
    const writer = postgres(url, { max: 1, connection: { application_name: "a writer" } });

    await writer.begin(async (transaction) => {
      await transaction`insert into rooms values (3)`;
      run = applyMigrations(sql, { directory, pauseMs: 100, onWait: (line) => lines.push(line) });
      await eventually(() => assert.ok(lines.length > 0));
      await sql`insert into rooms values (4)`;
    });
    await writer.end();

    assert.deepEqual((await run)?.applied, [INDEX_FILE]);
    assert.match(lines[0]!, /rooms_index\.sql waits, without blocking others, for process \d+ \(a writer, /);
  }));

Deno.test("runners that make the same index at once make it once", () =>
  withMigrations(ROOMS, async ({ sql, url, directory, add }) => {
    await applyMigrations(sql, { directory });
    await sql`insert into rooms select n from generate_series(1, 200000) as n`;
    await add(directory, INDEX(""));
    const clients = Array.from({ length: 5 }, () => postgres(url, { max: 2, onnotice: () => {} }));

    const runs = await Promise.all(clients.map((one) => applyMigrations(one, { directory, pauseMs: 100 })));

    assert.deepEqual(runs.flatMap((run) => run.applied), [INDEX_FILE]);
    const indexes = await sql`select indisvalid as valid from pg_index where indrelid = 'rooms'::regclass`;
    assert.deepEqual([...indexes], [{ valid: true }]);
    await Promise.all(clients.map((one) => one.end()));
  }));
