import assert from "node:assert/strict";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { LineageError, pendingMigrations } from "../../../cli/migrations/history.ts";
import { withBareDatabase } from "../../setup/database/database.ts";
import { withMigrations } from "./with_migrations.ts";

const TWO = {
  "20300101000000_rooms.sql": "create table rooms (n int); insert into rooms values (1);",
  "20300102000000_more_rooms.sql": "insert into rooms values (2);",
};

const THIRD = { "20300103000000_third_room.sql": "insert into rooms values (3);" };

Deno.test("applyMigrations() applies every file once, in the order of the names", () =>
  withMigrations({ ...TWO, "notes.txt": "", "later.sql": "syntax error" }, async ({ sql, directory }) => {
    const first = await applyMigrations(sql, { directory });
    const second = await applyMigrations(sql, { directory });

    assert.deepEqual(first.applied, Object.keys(TWO));
    assert.deepEqual(second.applied, []);
    assert.deepEqual([...await sql`select n from rooms`], [{ n: 1 }, { n: 2 }]);
  }));

Deno.test("applyMigrations() keeps the history of the Supabase CLI", () =>
  withMigrations(TWO, async ({ sql, directory }) => {
    await applyMigrations(sql, { directory });

    const rows = await sql`select * from supabase_migrations.schema_migrations order by version`;
    assert.deepEqual([...rows], [
      { version: "20300101000000", name: "rooms", statements: [TWO["20300101000000_rooms.sql"]] },
      { version: "20300102000000", name: "more_rooms", statements: [TWO["20300102000000_more_rooms.sql"]] },
    ]);
  }));

Deno.test("applyMigrations() lets twenty runners start at once", () =>
  withMigrations(TWO, async ({ url, directory }) => {
    const clients = Array.from({ length: 20 }, () => postgres(url, { max: 1, onnotice: () => {} }));

    const runs = await Promise.all(clients.map((sql) => applyMigrations(sql, { directory })));

    assert.deepEqual(runs.flatMap((run) => run.applied).sort(), Object.keys(TWO));
    await Promise.all(clients.map((sql) => sql.end()));
  }));

Deno.test("applyMigrations() undoes a file that fails, names it and the line, and can be run again", () =>
  withMigrations(TWO, async ({ sql, directory, add }) => {
    const file = "20300103000000_broken.sql";
    await add(directory, { [file]: "insert into rooms values (3);\nselect wrong;\n" });

    await assert.rejects(
      applyMigrations(sql, { directory }),
      { message: `Migration ${file} failed: column "wrong" does not exist (line 2)` },
    );
    await add(directory, { [file]: "insert into rooms values (4);" });

    assert.deepEqual((await applyMigrations(sql, { directory })).applied, [file]);
    assert.deepEqual([...await sql`select n from rooms order by n`], [{ n: 1 }, { n: 2 }, { n: 4 }]);
  }));

Deno.test("applyMigrations() refuses a file that sorts before one already applied", () =>
  withMigrations(TWO, async ({ sql, directory, add }) => {
    await applyMigrations(sql, { directory });
    await add(directory, { "20300101120000_late.sql": "select 1;" });

    await assert.rejects(applyMigrations(sql, { directory }), {
      message: "Migration 20300101120000_late.sql sorts before 20300102000000_more_rooms.sql, " +
        "which is already applied",
    });
  }));

Deno.test("applyMigrations() leaves a database that a later version has migrated as it is, and names what it does not know", () =>
  withMigrations({ ...TWO, ...THIRD }, async ({ sql, directory }) => {
    await applyMigrations(sql, { directory });
    await Deno.remove(new URL(Object.keys(THIRD)[0]!, directory));

    assert.deepEqual(await applyMigrations(sql, { directory }), { applied: [], later: ["20300103000000"] });
    assert.deepEqual(await pendingMigrations(sql, directory), []);
    assert.equal((await sql`select from rooms`).length, 3);
  }));

Deno.test("applyMigrations() upgrades a database whose history another project shares, with versions among ours", () =>
  withMigrations(TWO, async ({ sql, directory, add }) => {
    await applyMigrations(sql, { directory });
    await sql`insert into supabase_migrations.schema_migrations (version, name)
      values ('20200101000000', 'theirs'), ('20300102120000', 'theirs'), ('20400101000000', 'theirs')`;
    await add(directory, THIRD);

    assert.deepEqual(await pendingMigrations(sql, directory), Object.keys(THIRD));
    const { applied, later } = await applyMigrations(sql, { directory });

    assert.deepEqual({ applied, later }, { applied: Object.keys(THIRD), later: ["20400101000000"] });
  }));

const FOREIGN: [string, string[], RegExp][] = [
  [
    "whose history holds an unknown version of the first file's hour",
    ["insert into supabase_migrations.schema_migrations (version) values ('20300101000100')"],
    /^This database was made by a pre-release version: its history holds 20300101000100, which .*$/,
  ],
  [
    "whose first file had another text",
    ["update supabase_migrations.schema_migrations set statements = array['select 1'] where version = '20300101000000'"],
    /^This database was made by a pre-release version: it was made from an earlier 20300101000000_\w+\.sql\. .*$/,
  ],
  [
    "that has a schema outbound and none of the files in its history",
    ["truncate supabase_migrations.schema_migrations", "create schema if not exists outbound"],
    /^This database has a schema outbound, but its history names none of these migrations: .*$/,
  ],
];

for (const [name, statements, message] of FOREIGN) {
  Deno.test(`applyMigrations() and pendingMigrations() refuse a database ${name}, and leave it as it is`, () =>
    withMigrations(TWO, async ({ sql, directory, add }) => {
      await applyMigrations(sql, { directory });
      for (const statement of statements) await sql.unsafe(statement);
      await add(directory, { "20300103000000_new.sql": "create table never (n int)" });

      for (
        const run of [() => applyMigrations(sql, { directory }), () => pendingMigrations(sql, directory)]
      ) {
        await assert.rejects(run, (error) => error instanceof LineageError && message.test(error.message));
      }

      assert.deepEqual([...await sql`select to_regclass('never') as found`], [{ found: null }]);
    }));
}

Deno.test("applyMigrations() leaves versions of other projects alone that are older than ours", () =>
  withMigrations(TWO, async ({ sql, directory }) => {
    await sql`create schema supabase_migrations`;
    await sql`create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text)`;
    await sql`insert into supabase_migrations.schema_migrations (version, name) values ('20200101000000', 'theirs')`;

    assert.deepEqual((await applyMigrations(sql, { directory })).applied, Object.keys(TWO));
  }));

const INDEX_FILE = "20300103000000_rooms_index.sql";
const INDEX = "-- no transaction\n-- Found by number.\ncreate index concurrently rooms_n_idx on rooms (n);\n";

Deno.test("applyMigrations() runs a file that asks for it outside a transaction, and records it", () =>
  withMigrations({ ...TWO, [INDEX_FILE]: INDEX }, async ({ sql, directory }) => {
    const { applied } = await applyMigrations(sql, { directory });
    const again = await applyMigrations(sql, { directory });

    assert.deepEqual(applied, [...Object.keys(TWO), INDEX_FILE]);
    assert.deepEqual(again.applied, []);
    const [index] =
      await sql`select indisvalid as valid from pg_index where indexrelid = 'rooms_n_idx'::regclass`;
    assert.deepEqual({ ...index }, { valid: true });
  }));

Deno.test("applyMigrations() refuses a file outside a transaction that could not be repeated", () =>
  withMigrations(
    { ...TWO, [INDEX_FILE]: `${INDEX}insert into rooms values (3);\n` },
    async ({ sql, directory }) => {
      await assert.rejects(applyMigrations(sql, { directory }), {
        message: `Migration ${INDEX_FILE} runs outside a transaction, and may hold nothing but ` +
          '"create index concurrently" and "drop index concurrently"',
      });

      assert.deepEqual([...await sql`select to_regclass('rooms_n_idx') as found`], [{ found: null }]);
    },
  ));

Deno.test("applyMigrations() refuses a database of the files before the baseline", () =>
  withBareDatabase(async ({ sql }) => {
    await sql.unsafe(`
      create schema outbound;
      create schema supabase_migrations;
      create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
      insert into supabase_migrations.schema_migrations (version, name)
      values ('20261121000090', 'companies_and_access'), ('20261121001940', 'claim_by_one_index');
    `).simple();

    for (const run of [() => applyMigrations(sql), () => pendingMigrations(sql)]) {
      await assert.rejects(run, {
        name: "LineageError",
        message:
          "This database was made by a pre-release version: its history holds 20261121000090, which is no file of " +
          'supabase/migrations. It cannot be upgraded: use an empty database (see "Upgrades" in docs/operations.md)',
      });
    }
  }));
