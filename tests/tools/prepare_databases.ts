import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { findPostgres, installPostgres, type PostgresBinaries } from "./postgres_binaries.ts";
import { startCluster } from "./postgres_cluster.ts";
import { clusterFolder } from "./run_folder.ts";
import type { TestDatabaseKind, TestPart } from "./test_plan.ts";

/** What the tests' processes need to find their databases, and what could not be had. */
export interface PreparedDatabases {
  /** Variables for `deno test`, read by `tests/setup/`. */
  env: Record<string, string>;
  /** Why a kind of database is not there: `skipped` when this machine has none, `failed` when setting it up failed. */
  missing: Partial<Record<TestDatabaseKind, { outcome: "skipped" | "failed"; reason: string }>>;
}

/** Makes the migrated templates, and starts the server, that the parts of a plan need; each only if some part does. */
export async function prepareDatabases(
  plan: TestPart[],
  folder: string,
  options: { install: boolean; report(line: string): void },
): Promise<PreparedDatabases> {
  const prepared: PreparedDatabases = { env: {}, missing: {} };
  if (plan.some((part) => part.database === "pglite")) await preparePglite(prepared, folder, options.report);
  if (plan.some((part) => part.database === "postgres")) await preparePostgres(prepared, folder, options);
  return prepared;
}

async function preparePglite(
  prepared: PreparedDatabases,
  folder: string,
  report: (line: string) => void,
): Promise<void> {
  report("Making the PGlite template");
  const failure = await buildTemplate({ TEST_DATABASE: "pglite", TEST_PGLITE_TEMPLATES: folder });
  if (failure) prepared.missing.pglite = { outcome: "failed", reason: failure };
  else prepared.env.TEST_PGLITE_TEMPLATES = folder;
}

async function preparePostgres(
  prepared: PreparedDatabases,
  folder: string,
  { install, report }: { install: boolean; report(line: string): void },
): Promise<void> {
  const { binaries, reason } = await postgresHere(install, report);
  if (binaries === undefined) {
    prepared.missing.postgres = { outcome: "skipped", reason };
    return;
  }
  report(`Starting Postgres ${binaries.major} from ${binaries.folder}`);
  try {
    const url = await startCluster(binaries, clusterFolder(folder));
    const failure = await buildTemplate({ TEST_DATABASE: "postgres", TEST_POSTGRES_URL: url });
    if (failure) prepared.missing.postgres = { outcome: "failed", reason: failure };
    Object.assign(prepared.env, {
      TEST_POSTGRES_URL: url,
      TEST_POSTGRES_BINARIES: binaries.folder,
      TEST_RUN_FOLDER: folder,
    });
  } catch (error) {
    prepared.missing.postgres = { outcome: "failed", reason: (error as Error).message };
  }
  if (!binaries.hasCron) prepared.env.TEST_NO_CRON = reason;
}

async function postgresHere(
  install: boolean,
  report: (line: string) => void,
): Promise<{ binaries: PostgresBinaries | undefined; reason: string }> {
  const binaries = await findPostgres();
  if (binaries?.hasCron) return { binaries, reason: "" };
  const missing = binaries === undefined ? "no Postgres 15 or later found" : "pg_cron is not installed";
  if (!install) return { binaries, reason: `${missing} (--no-install)` };
  report("Installing Postgres and pg_cron with apt");
  const failure = await installPostgres();
  return { binaries: await findPostgres(), reason: `${missing}; ${failure ?? "installing it did not help"}` };
}

/** Runs in a process of its own, so that PGlite's memory is given back before the tests start. */
async function buildTemplate(env: Record<string, string>): Promise<string | undefined> {
  const script = resolve(fileURLToPath(import.meta.url), "../../setup/build_template.ts");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
  }).output();
  return success ? undefined : `no migrated database: ${new TextDecoder().decode(stderr).trim()}`;
}
