import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { withBareDatabase } from "../../setup/database.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

/** Calls `fn` with an empty database and a folder holding the given files. */
async function withMigrations(
  files: Record<string, string>,
  fn: (context: { sql: postgres.Sql; url: string; directory: URL; add: typeof addFiles }) => Promise<void>,
): Promise<void> {
  await withTempFolder((folder) =>
    withBareDatabase(async ({ sql, url }) => {
      const directory = pathToFileURL(`${folder}/`);
      await addFiles(directory, files);
      await fn({ sql, url, directory, add: addFiles });
    })
  );
}

async function addFiles(directory: URL, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(new URL(name, directory), text);
}

const TWO = {
  "20300101000000_rooms.sql": "create table rooms (n int); insert into rooms values (1);",
  "20300102000000_more_rooms.sql": "insert into rooms values (2);",
};

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

Deno.test("applyMigrations() leaves versions of other projects in the history alone", () =>
  withMigrations(TWO, async ({ sql, directory }) => {
    await applyMigrations(sql, { directory });
    await sql`insert into supabase_migrations.schema_migrations (version, name) values ('20400101000000', 'theirs')`;

    assert.deepEqual((await applyMigrations(sql, { directory })).applied, []);
  }));
