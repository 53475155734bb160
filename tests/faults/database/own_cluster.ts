import { join } from "node:path";
import postgres from "postgres";
import { applyMigrations } from "../../../cli/migrations/apply.ts";
import { skipped } from "../../setup/skipped.ts";
import {
  crashCluster,
  restartCluster,
  startCluster,
  stopCluster,
} from "../../setup/database/postgres_cluster.ts";

/** A database server of one test's own, so that what it suffers hurts no other test. */
export interface OwnCluster {
  /** Of a migrated database. */
  url: string;
  /** Of the server's data, socket and log. */
  folder: string;
  /** Ends the server at once, without a checkpoint, and starts it again. */
  crash(): Promise<void>;
  /** Restarts the server after it has exited by itself. */
  restart(): Promise<void>;
}

export interface OwnClusterOptions {
  /** The server's own settings. */
  settings?: Record<string, string>;
  /** Where the server writes its log of changes (WAL) instead of beside the data. */
  logFolder?: string;
  /** Called before the migrations; returns the URL of the database to work on. */
  prepare?: (cluster: { url: string; folder: string; sql: postgres.Sql }) => Promise<string>;
}

/** Calls `fn` with a server that keeps what was committed when it crashes. */
export async function withOwnCluster(
  fn: (cluster: OwnCluster) => Promise<void>,
  { settings = {}, logFolder, prepare = ({ url }) => Promise.resolve(url) }: OwnClusterOptions = {},
): Promise<void> {
  const { runFolder, binaries } = clusterSettings();
  const folder = join(runFolder, `own-${crypto.randomUUID().slice(0, 8)}`);
  try {
    const server = await startCluster(binaries, folder, {
      durable: true,
      settings,
      logFolder,
    });
    const url = await connected(server, (sql) => prepare({ url: server, folder, sql }));
    await connected(url, applyMigrations);
    await fn({ url, folder, crash: () => crashCluster(folder), restart: () => restartCluster(folder) });
  } finally {
    await stopCluster(folder);
  }
}

/** A `prepare` that adds the role `service`, which logs in by its password, `right`. */
export const withPasswordRole: NonNullable<OwnClusterOptions["prepare"]> = async ({ url, folder, sql }) => {
  await sql.unsafe("create role service superuser login password 'right'");
  const file = join(folder, "data/pg_hba.conf");
  await Deno.writeTextFile(file, `host all service all scram-sha-256\n${await Deno.readTextFile(file)}`);
  await sql`select pg_reload_conf()`;
  return url;
};

/** Where this run of the tests keeps its servers, and what it starts them with. */
export function clusterSettings(): { runFolder: string; binaries: { folder: string; hasCron: boolean } } {
  return {
    runFolder: setting("TEST_RUN_FOLDER"),
    binaries: { folder: setting("TEST_POSTGRES_BINARIES"), hasCron: false },
  };
}

/** Reports a test as skipped, and returns true, when the server here came without one of its programs. */
export function programIsMissing(test: string, program: string): boolean {
  const isHere = [...Deno.readDirSync(clusterSettings().binaries.folder)].some(({ name }) =>
    name === program
  );
  if (!isHere) skipped(test, `this Postgres comes without ${program}`);
  return !isHere;
}

async function connected<Result>(url: string, fn: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await fn(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

function setting(name: string): string {
  const value = Deno.env.get(name);
  if (!value) throw new Error('No test server: run this file with "deno task test <file>"');
  return value;
}
