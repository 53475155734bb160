import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import type { ReleasedCalls } from "../../../cli/schema/released_calls.ts";
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
  options: {
    schemas: URL;
    migrations: URL;
    released: ReleasedCalls | undefined;
    createDatabase: typeof createBarePglite;
  };
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
    const options = { schemas, migrations, released: undefined, createDatabase: createBarePglite };
    await fn({ options, write, readMigration });
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
      ...{ files: [], gone: [], used: [], todo: [] },
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

    const { files, todo } = await writeDelta({ name: "count", drop: true, now: NOW, ...options });

    assert.deepEqual(todo, []);
    const text = await readMigration(files[0]!);
    assert.match(
      text,
      /drop function outbound\.count_rooms\(\);\n\n-- Counts rooms\.\ncreate or replace function/,
    );
  }));

const RELEASED: ReleasedCalls = {
  functions: ["count_rooms"],
  tables: ["calls"],
  columns: ["rooms.id", "calls.check_at"],
};
const NOTHING_RELEASED: ReleasedCalls = { functions: [], tables: [], columns: [] };

for (
  const [change, files, object, dropped] of [
    [
      "a function with another result",
      { "20_count_rooms.sql": COUNT.replace("returns bigint", "returns numeric") },
      "changes the arguments or the result of function count_rooms()",
      ["function count_rooms()"],
    ],
    [
      "a function with other arguments",
      { "20_count_rooms.sql": COUNT.replace("count_rooms()", "count_rooms(p_size int)") },
      "changes the arguments or the result of function count_rooms()",
      ["function count_rooms()"],
    ],
    ["a function", { "20_count_rooms.sql": "" }, "drops function count_rooms()", ["function count_rooms()"]],
    [
      "a column",
      { "10_tables/calls.sql": CALLS.replace(", check_at timestamptz", "") },
      "drops column calls.check_at",
      [
        "column calls.check_at",
      ],
    ],
    [
      "a renamed column",
      { "10_tables/calls.sql": CALLS.replace("check_at", "look_at") },
      "drops column calls.check_at",
      [
        "column calls.check_at",
      ],
    ],
    ["a table", { "10_tables/calls.sql": "" }, "drops table calls", ["table calls"]],
  ] as const
) {
  Deno.test(`writeDelta() drops ${change} only if it is asked to, and knows whether the last release uses it`, () =>
    withSchemas(async ({ options, write }) => {
      await write(files);
      const refused = async (released: ReleasedCalls | undefined) => {
        const { files, todo } = await writeDelta({ name: "count", now: NOW, ...options, released });
        assert.deepEqual(files, []);
        return todo;
      };

      assert.deepEqual(await refused(RELEASED), [
        `${object}, which the last release uses: write what replaces it under another name, and drop it in the next release`,
      ]);
      assert.deepEqual(await refused(NOTHING_RELEASED), [
        `${object}, which the last release does not use: pass --drop`,
      ]);
      assert.deepEqual(await refused(undefined), [
        `${object}: pass --drop, once no process uses it`,
      ]);

      const asked = await writeDelta({ name: "count", now: NOW, ...options, released: RELEASED, drop: true });

      assert.equal(asked.files.length, 1);
      assert.deepEqual(asked.used, dropped);
    }));
}

Deno.test("writeDelta() refuses a column that rows have no value for, because the running version writes none", () =>
  withSchemas(async ({ options, write }) => {
    await write({
      "10_tables/rooms.sql": TABLE.replace(
        "  id uuid not null,",
        "  id uuid not null,\n  size int not null,",
      ),
    });

    const { todo } = await writeDelta({ name: "size", now: NOW, ...options });

    assert.deepEqual(todo, [
      "column rooms.size is not null without a default: rows that exist have no value, and the last release writes none",
    ]);
  }));

Deno.test("writeDelta() changes one table per file, because calls that read two would wait in a circle, and drops columns last", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    await write({
      "10_tables/rooms.sql": TABLE.replace("  id uuid not null,", "  id uuid not null,\n  size int,"),
      "10_tables/calls.sql": CALLS.replace("check_at timestamptz", "room text"),
      "10_tables/beds.sql": "create table outbound.beds (id uuid);\n",
      "20_count_rooms.sql": COUNT.replace("count(*)", "count(*) + 0"),
    });

    const { files, todo } = await writeDelta({ name: "rooms", drop: true, now: NOW, ...options });

    assert.deepEqual(todo, []);
    assert.deepEqual(
      files,
      ["", "_2", "_3"].map((end, index) => `2031020304050${6 + index}_rooms${end}.sql`),
    );
    const statements = await Promise.all(
      files.map(async (file) =>
        [...(await readMigration(file)).matchAll(/^(alter table .*|create .*)/gm)].map(([line]) => line)
      ),
    );
    assert.deepEqual(statements, [
      ["create table outbound.beds (id uuid);", "alter table outbound.calls add column room text;"],
      [
        "alter table outbound.rooms add column size integer;",
        "create or replace function outbound.count_rooms()",
      ],
      ["alter table outbound.calls drop column check_at;"],
    ]);
  }));

Deno.test("writeDelta() adds a check to a large table without reading it under a lock, and validates it in a file of its own", () =>
  withSchemas(async ({ options, write, readMigration }) => {
    await write({
      "10_tables/calls.sql": CALLS.replace(
        "check_at timestamptz",
        "check_at timestamptz, constraint calls_check check (id <> 'x')",
      )
        .replace("id <> 'x'", "check_at is not null or id is not null"),
    });

    const { files, todo } = await writeDelta({ name: "check_calls", now: NOW, ...options });

    assert.deepEqual({ files, todo }, {
      files: ["20310203040506_check_calls.sql", "20310203040507_check_calls_validate.sql"],
      todo: [],
    });
    assert.match(await readMigration(files[0]!), /add constraint calls_check CHECK \(.*\) not valid;/);
    assert.equal(
      await readMigration(files[1]!),
      "set local lock_timeout = '2s';\nalter table outbound.calls validate constraint calls_check;\n",
    );
  }));

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

      const { files, todo } = await writeDelta({ name, now, drop: name === "gone", ...options });

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

    const { files, gone, todo } = await writeDelta({ name: "no_rooms", drop: true, now: NOW, ...options });

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
      used: [],
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
