import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import type { Migration } from "../../../cli/migrations/read.ts";
import { freeze, frozenFaults, readFrozen } from "../../../cli/schema/frozen.ts";
import { BASELINE_FILE } from "../../../cli/schema/read_schema.ts";
import { writeBaseline } from "../../../cli/schema/write_baseline.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";

function migration(version: string, text = `select ${version};`): Migration {
  return { file: `${version}_example.sql`, version, name: "example", text };
}

const [ONE, TWO, THREE] = ["20300101000000", "20300102000000", "20300103000000"].map((version) =>
  migration(version)
);

/** Calls `fn` with the file of the checksums, in which the given migrations are frozen. */
async function withFrozen(migrations: Migration[], fn: (file: URL) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const file = pathToFileURL(`${folder}/migrations.sha256`);
    if (migrations.length > 0) await freeze(migrations, file);
    await fn(file);
  });
}

Deno.test("freeze() adds the migrations that are not frozen, and sha256sum can read its file", () =>
  withFrozen([ONE!], async (file) => {
    const before = await Deno.readTextFile(file);

    assert.deepEqual(await freeze([ONE!, TWO!], file), [TWO!.file]);
    assert.deepEqual(await freeze([ONE!, TWO!], file), []);

    const after = await Deno.readTextFile(file);
    assert.match(after, /^([0-9a-f]{64} {2}migrations\/\d{14}_example\.sql\n){2}$/);
    assert.ok(after.startsWith(before));
    assert.deepEqual([...(await readFrozen(file)).keys()], [ONE!.file, TWO!.file]);
  }));

Deno.test("readFrozen() finds nothing frozen before the file exists", () =>
  withFrozen([], async (file) => assert.equal((await readFrozen(file)).size, 0)));

for (
  const [name, migrations, fault] of [
    [
      "was changed",
      [migration(ONE!.version, "select 2;"), TWO!],
      /^20300101000000_example\.sql is frozen, and was changed: /,
    ],
    ["is gone", [TWO!], /^20300101000000_example\.sql is frozen, and gone: /],
    [
      "is overtaken by an older one",
      [ONE!, TWO!, migration("20300101120000")],
      /^20300101120000_example\.sql sorts before 20300102000000_example\.sql, /,
    ],
  ] as const
) {
  Deno.test(`frozenFaults() and freeze() refuse a frozen migration that ${name}`, () =>
    withFrozen([ONE!, TWO!], async (file) => {
      const [found, ...more] = frozenFaults([...migrations], await readFrozen(file));

      assert.match(found!, fault);
      assert.deepEqual(more, []);
      await assert.rejects(freeze([...migrations, THREE!], file), { message: found! });
    }));
}

Deno.test("frozenFaults() finds two migrations of two branches in the wrong order", () =>
  withFrozen([TWO!, ONE!], async (file) => {
    assert.deepEqual(frozenFaults([ONE!, TWO!], await readFrozen(file)), [
      "20300101000000_example.sql sorts before a migration that was frozen earlier: give it a later time, and freeze it again",
    ]);
  }));

Deno.test("writeBaseline() writes it as long as nothing is frozen, and then refuses", () =>
  withFrozen([], async (file) => {
    const folders = { migrations: new URL("./", file), frozen: file };
    const baseline = new URL(BASELINE_FILE, folders.migrations);

    await writeBaseline(folders);
    const written = await Deno.readTextFile(baseline);
    await freeze([ONE!], file);

    await assert.rejects(writeBaseline(folders), {
      message:
        'The baseline is frozen: databases are made from it. "deno task schema:migration NAME" writes a migration ' +
        "that follows it",
    });
    assert.equal(await Deno.readTextFile(baseline), written);
  }));
