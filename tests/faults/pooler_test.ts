import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { withPgbouncer } from "../setup/pgbouncer.ts";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { printFigures } from "./figures.ts";
import { insertCampaign } from "./insert_campaign.ts";
import { startIntake } from "./intake.ts";
import { assertBalanced } from "./ledger.ts";
import { type FaultWorld, withFaults } from "./with_faults.ts";

const MESSAGES = 300;
/** Without a pooler these leave within a second. */
const QUICKLY_MS = 10_000;

/** Accepts and dispatches everything through the pooler. */
async function sendAll(t: FaultWorld, name: string): Promise<void> {
  const dispatchers = t.startCrew(1);
  await dispatchers.ready();
  const startedAt = Date.now();
  await insertCampaign(t, { count: MESSAGES });
  const intake = startIntake(t, { contacts: 5, everyMs: 20 });
  await eventually(async () => assert.ok((await t.platform.allMessages()).length >= MESSAGES), QUICKLY_MS);
  const ms = Date.now() - startedAt;
  const accepted = MESSAGES + await intake.stop();
  await t.settle(QUICKLY_MS);
  await dispatchers.stop();

  const ledger = await t.ledger();
  printFigures(name, { accepted, [`ms for the first ${MESSAGES}`]: ms, twice: ledger.twice.length });
  assertBalanced(ledger, { allow: "nothing" });
  assert.equal(ledger.entries.length, accepted);
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
