import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import type postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { type Migration, readMigrations } from "../../../cli/migrations/read.ts";
import { withBarePostgresDatabase } from "../../setup/database/postgres_database.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { dumpSchema } from "../dump_schema.ts";
import { breachesOf } from "../migration_rules.ts";
import { readReleases, type Release, type Version } from "./releases.ts";
import { type Beside, type Failure, runBeside, startBeside } from "./run_beside.ts";
import { assertAtRest, readRowsAtRest } from "./rows_at_rest.ts";

const BINARIES = Deno.env.get("TEST_POSTGRES_BINARIES") ?? "";

interface Upgrading {
  sql: postgres.Sql;
  url: string;
  /** Applies these migrations, and those before. */
  migrate(migrations: Migration[]): Promise<void>;
}

/** Calls `fn` with an empty database. */
async function upgrading(fn: (t: Upgrading) => Promise<void>): Promise<void> {
  await withTempFolder((folder) =>
    withBarePostgresDatabase(async ({ sql, url }) => {
      const directory = pathToFileURL(`${folder}/`);
      await fn({
        ...{ sql, url },
        async migrate(migrations) {
          for (const { file, text } of migrations) await Deno.writeTextFile(new URL(file, directory), text);
          await applyMigrations(sql, { directory });
        },
      });
    })
  );
}

async function readSamples(folder: "expand" | "contract"): Promise<Migration[]> {
  return await readMigrations(new URL(`./samples/${folder}/`, import.meta.url));
}

/** Fails if a call of the version failed, or if anything was lost, done twice or changed. */
async function runSafely({ sql }: Upgrading, beside: Beside, fn: () => Promise<void>): Promise<void> {
  const rest = await beside.version.fillCompany(beside.sql);
  const before = await readRowsAtRest(sql, rest.company.id);

  const failures = await runBeside(beside, fn);

  assert.deepEqual(failures, []);
  await beside.version.settle(beside.sql, beside.filled, beside.ledger);
  assertAtRest(before, await readRowsAtRest(sql, rest.company.id));
}

async function assertFresh({ url }: Upgrading, migrations: Migration[]): Promise<void> {
  await upgrading(async (fresh) => {
    await fresh.migrate(migrations);
    assert.ok(
      await dumpSchema(BINARIES, url) === await dumpSchema(BINARIES, fresh.url),
      "not the schema of a new database",
    );
  });
}

Deno.test("each release works on while the migrations that follow it are applied, and nothing is lost", async () => {
  const [migrations, releases] = [await readMigrations(), await readReleases()];
  await upgrading(async (t) => {
    for (const [index, release] of releases.entries()) {
      const next = releases[index + 1]?.migration ?? migrations.at(-1)!.version;
      await t.migrate(migrations.filter(({ version }) => version <= release.migration));
      const beside = await startBeside(release, t.url);
      try {
        await runSafely(t, beside, () => t.migrate(migrations.filter(({ version }) => version <= next)));
      } finally {
        await beside.sql.end({ timeout: 5 });
      }
    }
    await assertFresh(t, migrations);
  });
});

/** As a version that calls the new function does. */
function nextRelease({ migration, load }: Release): Release {
  return {
    migration,
    async load() {
      const version = await load();
      const connect = (url: string) =>
        calling(version.connect(url), "outbound.finish_deliveries(", "outbound.finish_deliveries_2(1, ");
      return { ...version, connect };
    },
  };
}

/** A client whose statements have one text in place of another. */
function calling(sql: ReturnType<Version["connect"]>, from: string, to: string): typeof sql {
  return new Proxy(sql, {
    apply(target, self, [strings, ...values]) {
      if (strings?.raw === undefined) return Reflect.apply(target, self, [strings, ...values]);
      const texts = strings.map((text: string) => text.replaceAll(from, to));
      return Reflect.apply(target, self, [Object.assign(texts, { raw: texts }), ...values]);
    },
  });
}

Deno.test("a release works on beside a sample of each kind of migration, and the next one beside what drops the old", async () => {
  const migrations = await readMigrations();
  const [expand, contract] = [await readSamples("expand"), await readSamples("contract")];
  const last = (await readReleases()).at(-1)!;
  await upgrading(async (t) => {
    await t.migrate(migrations);
    for (const [release, samples] of [[last, expand], [nextRelease(last), contract]] as const) {
      const beside = await startBeside(release, t.url);
      try {
        await runSafely(t, beside, () => t.migrate(samples));
      } finally {
        await beside.sql.end({ timeout: 5 });
      }
    }
    await assertFresh(t, [...migrations, ...expand, ...contract]);
  });
  assert.deepEqual(breachesOf([...migrations, ...expand, ...contract], undefined), []);
});

const UNSAFE: [name: string, statement: string, failing: Record<string, RegExp>][] = [
  [
    "renames a column",
    "alter table outbound.webhooks rename column url to target",
    { "deliver events": /column .*url.* does not exist/, "show lists": /column .*url.* does not exist/ },
  ],
  [
    "drops a function that the release calls",
    "drop function outbound.finish_deliveries",
    { "deliver events": /function outbound\.finish_deliveries\(.*\) does not exist/ },
  ],
  [
    "gives a function other arguments",
    `alter function outbound.finish_deliveries rename to finish_deliveries_2;
     create function outbound.finish_deliveries(p_sample int) returns int return 1`,
    { "deliver events": /function outbound\.finish_deliveries\(.*\) does not exist/ },
  ],
  [
    "adds a column that the release does not write",
    `alter table outbound.conversation_messages add column sample text default '' not null;
     alter table outbound.conversation_messages alter column sample drop default`,
    { "take a visitor's message": /null value in column "sample"/ },
  ],
];

for (const [name, statement, failing] of UNSAFE) {
  Deno.test(`a migration that ${name} makes calls of the last release fail, and the test names them`, async () => {
    const migrations = await readMigrations();
    const last = (await readReleases()).at(-1)!;
    let failures: Failure[] = [];
    await upgrading(async (t) => {
      await t.migrate(migrations);
      const beside = await startBeside(last, t.url);
      try {
        const version = "29990101000000";
        const unsafe = { file: `${version}_unsafe.sql`, version, name: "unsafe", text: `${statement};` };
        failures = await runBeside(beside, () => t.migrate([unsafe]));
      } finally {
        await beside.sql.end({ timeout: 5 });
      }
    });

    assert.deepEqual(failures.map(({ call }) => call).sort(), Object.keys(failing).sort());
    for (const { call, message } of failures) assert.match(message, failing[call]!);
  });
}
