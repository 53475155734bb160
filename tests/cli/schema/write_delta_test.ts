import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { splitStatements } from "../../../cli/schema/split_statements.ts";
import { writeDelta } from "../../../cli/schema/write_delta.ts";
import { createBarePglite } from "../../setup/database/pglite.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

const SCHEMA = "create schema outbound;\n";
const TABLE = `-- Rooms.
create table outbound.rooms (
  id uuid not null,
  constraint rooms_pkey primary key (id)
);
alter table outbound.rooms enable row level security;
`;
const CALLS = "create table outbound.calls (id uuid not null, check_at timestamptz);\n";
const COUNT = `-- Counts rooms.
create function outbound.count_rooms()
returns bigint
language sql stable security invoker set search_path = ''
as $$ select count(*) from outbound.rooms; $$;
revoke execute on function outbound.count_rooms from public;
`;

interface Schemas {
  /** Where they are, and the database to compare them in. */
  options: { schemas: URL; migrations: URL; createDatabase: typeof createBarePglite };
  /** Writes files of the schema, by path. */
  write(files: Record<string, string>): Promise<void>;
  readMigration(file: string): Promise<string>;
}

/** Calls `fn` with a schema of two tables and a function, and the one migration that makes it. */
async function withSchemas(fn: (schemas: Schemas) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const [schemas, migrations] = [
      pathToFileURL(`${folder}/schemas/`),
      pathToFileURL(`${folder}/migrations/`),
    ];
    await Deno.mkdir(new URL("10_tables/", schemas), { recursive: true });
    await Deno.mkdir(migrations);
    const write = async (files: Record<string, string>) => {
      for (const [path, text] of Object.entries(files)) {
        await Deno.writeTextFile(new URL(path, schemas), text);
      }
    };
    await write({ "00_schema.sql": SCHEMA, "10_tables/rooms.sql": TABLE, "10_tables/calls.sql": CALLS });
    await write({ "20_count_rooms.sql": COUNT });
    await Deno.writeTextFile(new URL("20300101000000_first.sql", migrations), SCHEMA + CALLS + TABLE + COUNT);
    const readMigration = (file: string) => Deno.readTextFile(new URL(file, migrations));
    await fn({ options: { schemas, migrations, createDatabase: createBarePglite }, write, readMigration });
  });
}

const NOW = new Date("2031-02-03T04:05:06Z");

Deno.test("writeDelta() writes columns, constraints, new tables and functions into one migration", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    await write({
      "10_tables/rooms.sql":
        TABLE.replace("  id uuid not null,\n", "  id uuid not null,\n  size int not null default 1,\n")
          .replace("(id)\n", "(id),\n  constraint rooms_size_check check (size > 0)\n") +
        "-- By size.\ncreate index rooms_size_idx on outbound.rooms (size);\n",
      "10_tables/beds.sql": "-- Beds.\ncreate table outbound.beds (id uuid);\n" +
        "alter table outbound.beds enable row level security;\n",
      "20_count_rooms.sql": COUNT.replace("count(*)", "count(*) + 0"),
    });

    const { files, todo } = await writeDelta({ name: "add_beds", now: NOW, ...options });

    assert.deepEqual({ files, todo }, { files: ["20310203040506_add_beds.sql"], todo: [] });
    assert.equal(
      await readMigration(files[0]!),
      `set local lock_timeout = '2s';
set check_function_bodies = off;

-- Beds.
create table outbound.beds (id uuid);

alter table outbound.beds enable row level security;

alter table outbound.rooms add column size integer default 1 not null;

alter table outbound.rooms add constraint rooms_size_check CHECK ((size > 0));

-- By size.
create index rooms_size_idx on outbound.rooms (size);

${
        COUNT.replace("create function", "create or replace function").replace("count(*)", "count(*) + 0")
          .replace("$$;\n", () => "$$;\n\n")
      }
reset check_function_bodies;
`,
    );
    assert.deepEqual(await writeDelta({ name: "again", now: NOW, ...options }), {
      ...{ files: [], gone: [], todo: [] },
    });
  }));

Deno.test("writeDelta() makes an index of a large table outside a transaction", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    await write({
      "10_tables/calls.sql": `${CALLS}create index calls_check_idx\n  on outbound.calls (check_at);\n`,
    });

    const { files, todo } = await writeDelta({ name: "find_calls", now: NOW, ...options });

    assert.deepEqual({ files, todo }, { files: ["20310203040506_find_calls_new_indexes.sql"], todo: [] });
    assert.equal(
      await readMigration(files[0]!),
      "-- no transaction\ncreate index concurrently calls_check_idx\n  on outbound.calls (check_at);\n",
    );
  }));

Deno.test("writeDelta() drops a function that cannot be replaced, before it creates the new one", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    await write({ "20_count_rooms.sql": COUNT.replace("returns bigint", "returns numeric") });

    const { files, todo } = await writeDelta({ name: "count", replace: true, now: NOW, ...options });

    assert.deepEqual(todo, []);
    const text = await readMigration(files[0]!);
    assert.match(
      text,
      /drop function outbound\.count_rooms\(\);\n\n-- Counts rooms\.\ncreate or replace function/,
    );
  }));

for (
  const [change, text] of [
    ["another result", COUNT.replace("returns bigint", "returns numeric")],
    ["other arguments", COUNT.replace("count_rooms()", "count_rooms(p_size int)")],
    ["no successor", ""],
  ] as const
) {
  Deno.test(`writeDelta() drops no function with ${change} unless it is asked to`, () =>
    withSchemas(async ({ options, write }) => {
      await write({ "20_count_rooms.sql": text });

      const { files, todo } = await writeDelta({ name: "count", now: NOW, ...options });

      assert.deepEqual(files, []);
      assert.deepEqual(todo, [
        "drops function count_rooms(), which the running version may call: give the new one another name, or pass --replace",
      ]);
    }));
}

Deno.test("writeDelta() writes views that are new, changed and gone", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    const view = "-- Ids.\ncreate view outbound.room_ids as\n  select r.id from outbound.rooms as r;\n" +
      "revoke all on outbound.room_ids from public;\n";
    const steps: [name: string, views: string][] = [
      ["new", view],
      ["changed", view.replace("as r;", "as r where r.id is not null;")],
      ["gone", ""],
    ];
    const texts: string[] = [];
    for (const [index, [name, views]] of steps.entries()) {
      await write({ "10_tables/rooms.sql": TABLE + views });
      const now = new Date(NOW.getTime() + index * 1000);

      const { files, todo } = await writeDelta({ name, now, ...options });

      assert.deepEqual([files.length, todo], [1, []]);
      texts.push(await readMigration(files[0]!));
    }

    assert.match(texts[0]!, /-- Ids\.\ncreate or replace view outbound\.room_ids as[^]*;\n\nrevoke all on/);
    assert.match(texts[1]!, /create or replace view outbound\.room_ids as[^]* where r\.id is not null;/);
    assert.match(texts[2]!, /drop view outbound\.room_ids;/);
  }));

Deno.test("writeDelta() drops what is gone, tables and functions last", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    await write({ "20_count_rooms.sql": "", "10_tables/rooms.sql": "" });

    const { files, gone, todo } = await writeDelta({ name: "no_rooms", replace: true, now: NOW, ...options });

    assert.deepEqual([gone, todo], [["function count_rooms()", "table rooms"], []]);
    const text = await readMigration(files[0]!);
    assert.match(text, /drop function outbound\.count_rooms\(\);\n\ndrop table outbound\.rooms;\n\nreset/);
  }));

Deno.test("writeDelta() names what it cannot write", () =>
  withSchemas(async ({ options, write }) => {
    await write({ "10_tables/calls.sql": CALLS.replace("timestamptz", "timestamp") });

    const { todo } = await writeDelta({ name: "types", now: NOW, ...options });

    assert.deepEqual(todo, [
      'column calls.check_at is now "timestamp without time zone": write the statement by hand',
      "column calls.check_at still differs",
    ]);
  }));

Deno.test("writeDelta() finds nothing to write for this repository", () =>
  withTempFolder(async (folder) => {
    const migrations = pathToFileURL(`${folder}/`);
    const own = new URL("../../../supabase/migrations/", import.meta.url);
    for await (const { name } of Deno.readDir(own)) {
      await Deno.copyFile(new URL(name, own), new URL(name, migrations));
    }

    assert.deepEqual(await writeDelta({ name: "nothing", migrations, createDatabase: createBarePglite }), {
      files: [],
      gone: [],
      todo: [],
    });
  }));

Deno.test("splitStatements() splits at semicolons outside quotes, and keeps the comment above a statement", () => {
  const sql =
    "-- File.\n\n-- One;\nselect ';' as \"a;b\"; -- two\n\ncreate function f() as $x$ begin; -- it's\n end; $x$;\n";

  assert.deepEqual(splitStatements(sql), [
    { comment: "-- One;", text: "select ';' as \"a;b\";" },
    { comment: "", text: "create function f() as $x$ begin; -- it's\n end; $x$;" },
  ]);
});
