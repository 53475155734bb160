import { HOME_CELL } from "../../supabase/functions/_shared/cells.ts";
import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { isSecretsKeyRight } from "../../supabase/functions/_shared/access/secrets_canary.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import {
  type Cell,
  CELL_PROBLEMS,
  cellMismatch,
  readCell,
} from "../../supabase/functions/_shared/db/queue/cell.ts";
import {
  type DatabaseFacts,
  readDatabaseFacts,
} from "../../supabase/functions/_shared/db/queue/installation.ts";
import { hasSecretsCanary, tryToStore } from "../../supabase/functions/_shared/db/queue/settings.ts";
import type { Env } from "../../supabase/functions/_shared/env.ts";
import { describeDatabaseError } from "../errors/describe_database_error.ts";
import { pendingMigrations } from "../migrations/history.ts";
import { checkTimekeepers } from "./check_timekeepers.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";

const MIN_VERSION = 150_000;
const MAX_CLOCK_OFF_MS = 2000;
const MAX_SNAPSHOT_S = 300;

/** The checks of a database that stop the others when they fail. */
export interface CheckedDatabase {
  findings: Finding[];
  /** Whether the tables can be read. */
  isUsable: boolean;
}

/** Checks that the database responds, stores, has the migrations and belongs to this OUTBOUND_SECRETS_KEY. Writes nothing. */
export async function checkDatabase(sql: Sql, env: Env, cell = HOME_CELL): Promise<CheckedDatabase> {
  let facts: DatabaseFacts;
  let clockOffMs: number;
  try {
    // Connecting would count as a difference of the clocks.
    await readDatabaseFacts(sql);
    const before = Date.now();
    facts = await readDatabaseFacts(sql);
    clockOffMs = Math.round((before + Date.now()) / 2 - facts.now.getTime());
  } catch (error) {
    const todo = "Check DATABASE_URL, the network and the server.";
    return {
      findings: [failed("database", describeDatabaseError(error, env.DATABASE_URL), todo)],
      isUsable: false,
    };
  }
  const findings = serverFindings(facts, clockOffMs);
  const migrations = await migrationsFinding(sql, env);
  findings.push(migrations);
  if (migrations.state === "failed") return { findings, isUsable: false };
  findings.push(await storageFinding(sql, facts, env), await secretsKeyFinding(sql, env));
  findings.push(cellFinding(await readCell(sql), cell));
  findings.push(...await checkTimekeepers(sql, facts));
  return { findings, isUsable: true };
}

/** Judges what the server reports of itself. */
export function serverFindings(facts: DatabaseFacts, clockOffMs: number): Finding[] {
  return [versionFinding(facts), clockFinding(clockOffMs), snapshotFinding(facts)];
}

function versionFinding({ version, read_only }: DatabaseFacts): Finding {
  const name = `Postgres ${Math.floor(version / 10_000)}.${version % 10_000}`;
  if (version < MIN_VERSION) {
    return failed("database", `${name} is too old`, "Upgrade to Postgres 15 or newer.");
  }
  if (!read_only) return ok("database", name);
  return failed("database", `${name} takes no writes`, "Point DATABASE_URL at the primary.");
}

function clockFinding(offMs: number): Finding {
  const off = `${(Math.abs(offMs) / 1000).toFixed(1)} s ${offMs < 0 ? "behind" : "ahead of"} the database`;
  if (Math.abs(offMs) <= MAX_CLOCK_OFF_MS) return ok("clock", off);
  return warning("clock", `this machine is ${off}`, "Run an NTP service on both machines.");
}

function snapshotFinding({ oldest_snapshot_s }: DatabaseFacts): Finding {
  const text = `the oldest transaction is ${oldest_snapshot_s} s old`;
  if (oldest_snapshot_s <= MAX_SNAPSHOT_S) return ok("snapshots", text);
  return warning(
    "snapshots",
    `${text}: vacuum removes no dead row since`,
    "End it: docs/operations.md#what-to-watch finds it.",
  );
}

async function migrationsFinding(sql: Sql, env: Env): Promise<Finding> {
  try {
    const pending = await pendingMigrations(sql);
    if (pending.length === 0) return ok("migrations", "all applied");
    return failed(
      "migrations",
      `${pending.length} pending, from ${pending[0]} on`,
      "Run: deno task migrate.",
    );
  } catch (error) {
    return failed(
      "migrations",
      describeDatabaseError(error, env.DATABASE_URL),
      "See docs/operations.md#upgrades.",
    );
  }
}

async function storageFinding(
  sql: Sql,
  { size_bytes }: DatabaseFacts,
  env: Env,
): Promise<Finding> {
  try {
    await tryToStore(sql);
    return ok("storage", `the database takes ${(size_bytes / 2 ** 20).toFixed(0)} MiB, and more fits`);
  } catch (error) {
    const text = describeDatabaseError(error, env.DATABASE_URL);
    return failed("storage", text, "Make room on the database's disk, or grant the user its rights.");
  }
}

/** Judges whether the database is the one that works, and the cell that the settings say. */
function cellFinding(found: Cell, expected: number): Finding {
  const { number, state } = found;
  const mismatch = cellMismatch(found, expected);
  if (mismatch !== undefined) return failed("cell", mismatch, "Correct DATABASE_URL or DATABASE_URLS.");
  if (state === "active") return ok("cell", `this database works, as cell ${number}`);
  const todo =
    "If it is the one that shall work: deno task admin cell activate. See docs/operations.md#backup.";
  return failed("cell", CELL_PROBLEMS[state], todo);
}

async function secretsKeyFinding(sql: Sql, env: Env): Promise<Finding> {
  // The first process that checks decides which key is right, and that should be none of ours.
  if (!await hasSecretsCanary(sql)) {
    return warning("secrets key", "no process has sealed anything yet", "Start the service once.");
  }
  if (await isSecretsKeyRight({ sql, sealer: createSealer(env.OUTBOUND_SECRETS_KEY) })) {
    return ok("secrets key", "opens the secrets of this database");
  }
  return failed(
    "secrets key",
    "OUTBOUND_SECRETS_KEY does not open the secrets of this database",
    "Set the key of the other processes: docs/operations.md#change-outbound_secrets_key.",
  );
}
