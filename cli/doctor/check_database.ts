import { createSealer } from "../../supabase/functions/_shared/crypto/seal.ts";
import { isSecretsKeyRight } from "../../supabase/functions/_shared/access/secrets_canary.ts";
import type { Sql } from "../../supabase/functions/_shared/db/connect.ts";
import {
  type CronJob,
  type DatabaseFacts,
  readCronJobs,
  readDatabaseFacts,
} from "../../supabase/functions/_shared/db/installation.ts";
import { hasSecretsCanary, readLastTicks, tryToStore } from "../../supabase/functions/_shared/db/settings.ts";
import type { Env } from "../../supabase/functions/_shared/env.ts";
import { describeDatabaseError } from "../errors/describe_database_error.ts";
import { pendingMigrations } from "../migrations/history.ts";
import { failed, type Finding, ok, warning } from "./finding.ts";

const MIN_VERSION = 150_000;
const MAX_CLOCK_OFF_MS = 2000;
const MAX_SNAPSHOT_S = 300;
/** As in `GET /health`: pg_cron ticks once per minute at least. */
const SILENT_AFTER_MS = 90_000;

/** The checks of a database that stop the others when they fail. */
export interface CheckedDatabase {
  findings: Finding[];
  /** Whether the tables can be read. */
  isUsable: boolean;
}

/** Checks that the database responds, stores, has the migrations and belongs to this SECRETS_KEY. Writes nothing. */
export async function checkDatabase(sql: Sql, env: Env): Promise<CheckedDatabase> {
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
  findings.push(await cronFinding(sql, facts), await dispatcherFinding(sql));
  return { findings, isUsable: true };
}

/** Judges what the server reports of itself. */
export function serverFindings(facts: DatabaseFacts, clockOffMs: number): Finding[] {
  return [versionFinding(facts), clockFinding(clockOffMs), snapshotFinding(facts)];
}

function versionFinding({ version, readOnly }: DatabaseFacts): Finding {
  const name = `Postgres ${Math.floor(version / 10_000)}.${version % 10_000}`;
  if (version < MIN_VERSION) {
    return failed("database", `${name} is too old`, "Upgrade to Postgres 15 or newer.");
  }
  if (!readOnly) return ok("database", name);
  return failed("database", `${name} takes no writes`, "Point DATABASE_URL at the primary.");
}

function clockFinding(offMs: number): Finding {
  const off = `${(Math.abs(offMs) / 1000).toFixed(1)} s ${offMs < 0 ? "behind" : "ahead of"} the database`;
  if (Math.abs(offMs) <= MAX_CLOCK_OFF_MS) return ok("clock", off);
  return warning("clock", `this machine is ${off}`, "Run an NTP service on both machines.");
}

function snapshotFinding({ oldestSnapshotS }: DatabaseFacts): Finding {
  const text = `the oldest transaction is ${oldestSnapshotS} s old`;
  if (oldestSnapshotS <= MAX_SNAPSHOT_S) return ok("snapshots", text);
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

async function storageFinding(sql: Sql, { sizeBytes }: DatabaseFacts, env: Env): Promise<Finding> {
  try {
    await tryToStore(sql);
    return ok("storage", `the database takes ${(sizeBytes / 2 ** 20).toFixed(0)} MiB, and more fits`);
  } catch (error) {
    const text = describeDatabaseError(error, env.DATABASE_URL);
    return failed("storage", text, "Make room on the database's disk, or grant the user its rights.");
  }
}

async function secretsKeyFinding(sql: Sql, env: Env): Promise<Finding> {
  // The first process that checks decides which key is right, and that should be none of ours.
  if (!await hasSecretsCanary(sql)) {
    return warning("secrets key", "no process has sealed anything yet", "Start the service once.");
  }
  if (await isSecretsKeyRight({ sql, sealer: createSealer(env.SECRETS_KEY) })) {
    return ok("secrets key", "opens the secrets of this database");
  }
  return failed(
    "secrets key",
    "SECRETS_KEY does not open the secrets of this database",
    "Set the key of the other processes: docs/operations.md#change-secrets_key.",
  );
}

async function cronFinding(sql: Sql, { cron }: DatabaseFacts): Promise<Finding> {
  if (cron === null) return ok("pg_cron", "not installed: dispatchers do its work");
  let jobs: CronJob[];
  try {
    jobs = await readCronJobs(sql);
  } catch {
    return warning("pg_cron", `${cron}, whose jobs this user may not read`, "Grant it usage on schema cron.");
  }
  const inactive = jobs.filter(({ active }) => !active).map(({ name }) => name);
  const broken = jobs.filter(({ lastStatus }) => lastStatus === "failed").map(({ name }) => name);
  if (jobs.length === 0 || inactive.length > 0) {
    const text = jobs.length === 0 ? `${cron}, without jobs of ours` : `inactive: ${inactive.join(", ")}`;
    return failed("pg_cron", text, "As a superuser: select outbound.schedule_jobs();");
  }
  if (jobs.every(({ lastStatus }) => lastStatus === null)) {
    return failed(
      "pg_cron",
      `${cron} has run none of its ${jobs.length} jobs for ten minutes`,
      "Check shared_preload_libraries and cron.database_name: docs/operations.md#pg_cron.",
    );
  }
  if (broken.length > 0) {
    return failed("pg_cron", `the last run failed of ${broken.join(", ")}`, "See cron.job_run_details.");
  }
  return ok("pg_cron", `${cron} runs ${jobs.length} jobs`);
}

async function dispatcherFinding(sql: Sql): Promise<Finding> {
  const { dispatcher, pg_cron, now } = await readLastTicks(sql);
  const isRecent = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  if (isRecent(dispatcher)) return ok("dispatcher", "running");
  const todo = "Start one: deno task serve, or deno task dispatch.";
  if (!isRecent(pg_cron)) return failed("dispatcher", "none runs: nothing is sent", todo);
  return warning("dispatcher", "none runs; pg_cron keeps time, and messages wait for POST /dispatch", todo);
}
