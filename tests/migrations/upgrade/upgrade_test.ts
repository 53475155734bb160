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
import { type Beside, runBeside, startBeside } from "./run_beside.ts";
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

/** Calls `fn` with a release that has filled the database. */
async function atWork(
  { url }: Upgrading,
  release: Release,
  fn: (beside: Beside) => Promise<void>,
): Promise<void> {
  const beside = await startBeside(release, url);
  try {
    await fn(beside);
  } finally {
    await beside.sql.end({ timeout: 5 });
  }
}

async function readSamples(folder: "expand" | "contract"): Promise<Migration[]> {
  return await readMigrations(new URL(`./samples/${folder}/`, import.meta.url));
}

/** Tables whose rows a user relies on: each must hold some, or the test shows too little. */
const RELIED_ON = [
  ...["companies", "memberships", "api_keys", "publishable_keys", "audit_log", "idempotency_keys", "usage"],
  ...[
    "senders",
    "templates",
    "voice_agents",
    "campaigns",
    "campaign_uploads",
    "notification_facts",
    "queue",
    "delivery_attempts",
  ],
  ...["calls", "contact_messages", "contact_threads", "contact_rules", "consents", "suppressions"],
  ...["webhooks", "outgoing_events", "webhook_deliveries"],
  ...["widgets", "conversations", "conversation_messages", "knowledge_documents"],
];

/** Fails if a call of the version failed, or if anything was lost, done twice or changed. */
async function runSafely({ sql }: Upgrading, beside: Beside, fn: () => Promise<void>): Promise<void> {
  const rest = await beside.version.fillCompany(beside.sql);
  const before = await readRowsAtRest(sql, rest.company.id);
  assert.deepEqual(
    RELIED_ON.filter((table) => before[table] === undefined),
    [],
    "nothing is in these tables",
  );

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
      await atWork(
        t,
        release,
        (beside) =>
          runSafely(t, beside, () => t.migrate(migrations.filter(({ version }) => version <= next))),
      );
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
      await atWork(t, release, (beside) => runSafely(t, beside, () => t.migrate(samples)));
    }
    await assertFresh(t, [...migrations, ...expand, ...contract]);
  });
  assert.deepEqual(breachesOf([...migrations, ...expand, ...contract], undefined), []);
});

const UNSAFE: [name: string, statement: string, failing: Record<string, RegExp>][] = [
  [
    "renames a column",
    "alter table outbound.webhooks rename column url to target",
    // Claims read it through a view, which follows the new name.
    { "show lists": /column .*url.* does not exist/ },
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

function unsafe(statement: string): Migration {
  const version = "29990101000000";
  return { file: `${version}_unsafe.sql`, version, name: "unsafe", text: `${statement};` };
}

/** Calls `fn` with the last release at work on a database that has all migrations. */
async function besideLastRelease(fn: (t: Upgrading, beside: Beside) => Promise<void>): Promise<void> {
  const [migrations, releases] = [await readMigrations(), await readReleases()];
  await upgrading(async (t) => {
    await t.migrate(migrations);
    await atWork(t, releases.at(-1)!, (beside) => fn(t, beside));
  });
}

for (const [name, statement, failing] of UNSAFE) {
  Deno.test(`a migration that ${name} makes calls of the last release fail, and the test names them`, () =>
    besideLastRelease(async (t, beside) => {
      const failures = await runBeside(beside, () => t.migrate([unsafe(statement)]));

      assert.deepEqual(failures.map(({ call }) => call).sort(), Object.keys(failing).sort());
      for (const { call, message } of failures) assert.match(message, failing[call]!);
    }));
}

Deno.test("a migration that loses rows is found, though no call fails", () =>
  besideLastRelease(async (t, beside) => {
    const run = runSafely(t, beside, () => t.migrate([unsafe("delete from outbound.suppressions")]));

    await assert.rejects(run, /rows of suppressions changed/);
  }));
