import assert from "node:assert/strict";
import { type Migration, readMigrations } from "../../cli/migrations/read.ts";
import { breachesOf } from "./migration_rules.ts";
import { readReleasedCalls } from "../../cli/schema/released_calls.ts";

function migration(text: string, version = "20300101000000"): Migration {
  return { file: `${version}_example.sql`, version, name: "example", text };
}

const RELEASED = {
  functions: ["count_rooms"],
  tables: ["rooms", "room_ids"],
  columns: ["rooms.size"],
};
const TIMEOUT = "set local lock_timeout = '2s';\n";
const FIRST = migration("create index old_idx on outbound.notification_facts (number);", "20261121000300");

Deno.test("no migration of this repository stops a database that is at work", async () => {
  assert.deepEqual(breachesOf(await readMigrations(), await readReleasedCalls()), []);
});

for (
  const [name, text, breach] of [
    [
      "a file without a lock_timeout",
      "alter table outbound.calls add x int;",
      /does not begin with set local/,
    ],
    [
      "an index on a large table in a transaction",
      `${TIMEOUT}create unique index n_idx\n  on outbound.notification_facts (number);`,
      /creates an index on notification_facts in a transaction/,
    ],
    [
      "an index dropped and one created in the same file",
      "-- no transaction\ndrop index concurrently outbound.old_idx;\n" +
      "create index concurrently new_idx on outbound.notification_facts (number);",
      /drops an index and creates one/,
    ],
    [
      "an index under a name that was used before",
      "-- no transaction\ncreate index concurrently old_idx on outbound.notification_facts (number);",
      /creates outbound\.old_idx, a name that an earlier file has used/,
    ],
    [
      "a function dropped that the last release calls",
      `${TIMEOUT}drop function outbound.count_rooms();\ncreate or replace function outbound.count_rooms(int)`,
      /drops function count_rooms, which the last release uses/,
    ],
    [
      "a column dropped that the last release uses",
      `${TIMEOUT}alter table outbound.rooms add column width int, drop column if exists size;`,
      /drops column rooms\.size, which the last release uses/,
    ],
    [
      "a table dropped that the last release uses",
      `${TIMEOUT}drop table if exists outbound.rooms;`,
      /drops table rooms, which the last release uses/,
    ],
    [
      "a view dropped that the last release uses",
      `${TIMEOUT}drop view outbound.room_ids;`,
      /drops view room_ids, which the last release uses/,
    ],
    [
      "a column renamed",
      `${TIMEOUT}alter table outbound.rooms rename column size to width;`,
      /renames something/,
    ],
    [
      "a function renamed",
      `${TIMEOUT}alter function outbound.count_rooms() rename to count;`,
      /renames something/,
    ],
    [
      "the type of a column changed",
      `${TIMEOUT}alter table outbound.rooms\n  alter column size type bigint;`,
      /changes the type of a column/,
    ],
    [
      "a column that needs a value which the last release does not write",
      `${TIMEOUT}alter table outbound.rooms add column width numeric(6, 2) not null;`,
      /adds a column that is not null without a default/,
    ],
    [
      "two tables locked in one transaction",
      `${TIMEOUT}alter table outbound.rooms add column a int;\ncreate or replace trigger t after insert\n  on outbound.beds execute function f();`,
      /locks rooms and beds: a call that reads both would wait in a circle/,
    ],
    [
      "a constraint that reads a large table under a lock",
      `${TIMEOUT}alter table outbound.calls add constraint calls_check check (true);`,
      /adds a constraint to calls that is not "not valid"/,
    ],
    [
      "anything else outside a transaction",
      "-- no transaction\nupdate outbound.notification_facts set number = number;",
      /may hold nothing but "create index concurrently"/,
    ],
  ] as const
) {
  Deno.test(`breachesOf() finds ${name}`, () => {
    const breaches = breachesOf([FIRST, migration(text)], RELEASED);

    assert.equal(breaches.length, 1, breaches.join("\n"));
    assert.match(breaches[0]!, breach);
  });
}

for (
  const [name, text] of [
    [
      "an index outside a transaction",
      "-- no transaction\ncreate index concurrently n_idx on outbound.calls (check_at);",
    ],
    [
      "an index dropped outside a transaction",
      "-- no transaction\ndrop index concurrently if exists outbound.old_idx;",
    ],
    [
      "an index on a table made in the same file",
      `-- Why.\n${TIMEOUT}create table outbound.calls (n int);\ncreate index n_idx on outbound.calls (n);`,
    ],
    [
      "a constraint of a large table that is validated later",
      `${TIMEOUT}alter table outbound.calls add constraint calls_check check (true) not valid;`,
    ],
    [
      "tables made beside one that is changed",
      `${TIMEOUT}create table outbound.beds (n int);\nalter table outbound.beds enable row level security;\n` +
      `alter table outbound.rooms add column a int;`,
    ],
    ["a validation", `${TIMEOUT}alter table outbound.calls validate constraint calls_check;`],
    [
      "columns with a default, and without a need of one",
      `${TIMEOUT}alter table outbound.rooms add column a int default 1 not null, add column b text;`,
    ],
    ["a column dropped that no process uses", `${TIMEOUT}alter table outbound.rooms drop column height;`],
    ["a function dropped that no process calls", `${TIMEOUT}drop function outbound.count_beds();`],
    ["an index on a small table", `${TIMEOUT}create index n_idx on outbound.widgets (name);`],
  ] as const
) {
  Deno.test(`breachesOf() finds nothing wrong with ${name}`, () => {
    assert.deepEqual(breachesOf([FIRST, migration(text)], RELEASED), []);
  });
}
