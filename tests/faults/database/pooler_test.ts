import assert from "node:assert/strict";
import { connect } from "../../../supabase/functions/_shared/db/driver/connect.ts";
import { supportsPreparedStatements } from "../../../supabase/functions/_shared/db/driver/supports_prepared_statements.ts";
import { readLastTicks } from "../../../supabase/functions/_shared/db/queue/settings.ts";
import { PREPARED_STATEMENTS_LOST } from "../../../supabase/functions/_shared/services.ts";
import { runCommand } from "../../cli/service/run_command.ts";
import { eventually } from "../../setup/eventually.ts";
import { withPgbouncer } from "../../setup/database/pgbouncer.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { TEST_ENV } from "../../setup/stack/services.ts";
import { printFigures } from "../figures.ts";
import { insertCampaign } from "../insert_campaign.ts";
import { startIntake } from "../intake.ts";
import { assertBalanced } from "../send_log.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

const MESSAGES = 300;
/** Without a pooler these leave within a second. */
const QUICKLY_MS = 10_000;

/** Accepts and dispatches everything through the pooler. */
async function sendAll(t: FaultEnvironment, name: string): Promise<void> {
  const dispatchers = t.startDispatchers(1);
  await dispatchers.ready();
  const startedAt = Date.now();
  await insertCampaign(t, { count: MESSAGES });
  const intake = startIntake(t, { contacts: 5, everyMs: 20 });
  await eventually(async () => assert.ok((await t.platform.allMessages()).length >= MESSAGES), QUICKLY_MS);
  const ms = Date.now() - startedAt;
  const accepted = MESSAGES + await intake.stop();
  await t.settle();
  await dispatchers.stop();

  const sendLog = await t.sendLog();
  printFigures(name, { accepted, [`ms for the first ${MESSAGES}`]: ms, twice: sendLog.twice.length });
  assertBalanced(sendLog, { allow: "nothing" });
  assert.equal(sendLog.entries.length, accepted);
}

for (const statements of ["0", "100"]) {
  const name =
    `behind PgBouncer with max_prepared_statements = ${statements} every message leaves once, and quickly`;
  Deno.test(
    name,
    () =>
      withPostgresDatabase(({ url }) =>
        withPgbouncer(
          name,
          url,
          { max_prepared_statements: statements },
          (pgbouncer) =>
            withFaults((t) => sendAll(t, name), { databaseUrl: pgbouncer.url, ratePerSecond: 1000 }),
        )
      ),
  );
}

Deno.test("supportsPreparedStatements() finds nothing wrong with a database without a pooler", () =>
  withPostgresDatabase(async ({ url }) => assert.equal(await supportsPreparedStatements(url), true)));

for (const [statements, pool, kept] of [["0", "10", false], ["100", "10", true], ["0", "1", true]] as const) {
  const name =
    `supportsPreparedStatements() is ${kept} behind PgBouncer with max_prepared_statements = ${statements} ` +
    `and default_pool_size = ${pool}`;
  Deno.test(name, () =>
    withPostgresDatabase(({ url }) =>
      withPgbouncer(
        name,
        url,
        { max_prepared_statements: statements, default_pool_size: pool },
        async (pgbouncer) => assert.equal(await supportsPreparedStatements(pgbouncer.url), kept),
      )
    ));
}

for (const command of ["serve", "dispatch"] as const) {
  const name = `${command} says once that it goes on without prepared statements behind a pooler`;
  Deno.test(
    name,
    () =>
      withPostgresDatabase(({ url }) =>
        withPgbouncer(name, url, { max_prepared_statements: "0" }, async (pgbouncer) => {
          const env = { ...TEST_ENV, ...SERVE_ENV, OUTBOUND_LOG_LEVEL: "warn", DATABASE_URL: pgbouncer.url };
          const service = await runCommand(command, env, /Listening on .*\n|Dispatching\n/);
          await eventually(async () => assert.ok(await hasTicked(url)));

          assert.equal(await service.stop("SIGTERM"), 0);

          assert.equal(service.output.split(PREPARED_STATEMENTS_LOST).length - 1, 1, service.output);
        })
      ),
  );
}

const SERVE_ENV = {
  OUTBOUND_PUBLIC_URL: "http://127.0.0.1:1",
  SUPABASE_URL: "http://127.0.0.1:1",
  SUPABASE_PUBLISHABLE_KEY: "sb_test",
  PORT: "0",
};

async function hasTicked(url: string): Promise<boolean> {
  const sql = connect(url, { max: 1 });
  try {
    return (await readLastTicks(sql)).dispatcher !== null;
  } finally {
    await sql.end();
  }
}

/** Sessions for the connections of the API, the dispatcher and the monitor: in session mode each keeps its own. */
const ENOUGH = "40";

{
  const name =
    "a pooler without prepared statements that is put in later is met without a wrong or lost message";
  Deno.test(
    name,
    () =>
      withPostgresDatabase(({ url }) =>
        withPgbouncer(
          name,
          url,
          { pool_mode: "session", default_pool_size: ENOUGH },
          (pgbouncer) =>
            withFaults(async (t) => {
              const dispatchers = t.startDispatchers(1);
              await dispatchers.ready();
              const intake = startIntake(t, { contacts: 5, everyMs: 20 });
              await eventually(
                async () => assert.ok((await t.platform.allMessages()).length > 50),
                QUICKLY_MS,
              );
              const before = (await t.platform.allMessages()).length;

              await pgbouncer.configure({ pool_mode: "transaction" });
              await eventually(async () => {
                assert.ok((await t.platform.allMessages()).length > before + MESSAGES);
              }, 2 * QUICKLY_MS);
              const accepted = await intake.stop();
              await t.settle();
              await dispatchers.stop();

              const sendLog = await t.sendLog();
              assertBalanced(sendLog, { allow: "nothing" });
              assert.equal(sendLog.entries.length, accepted);
            }, { databaseUrl: pgbouncer.url, ratePerSecond: 1000 }),
        )
      ),
  );
}
