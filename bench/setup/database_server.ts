import { join } from "node:path";
import postgres from "postgres";
import { installPostgres } from "../../tests/tools/install/install_postgres.ts";
import { findPostgres } from "../../tests/setup/database/postgres_binaries.ts";
import { startCluster, stopCluster } from "../../tests/setup/database/postgres_cluster.ts";
import { parentOf, processorTime } from "./processor_time.ts";

/** The server with the data of all contenders. */
export interface DatabaseServer {
  /** Where `pgbench` is. */
  binaries: string;
  /** Such as `15.8`. */
  version: string;
  /** Makes an empty database; returns its URL. */
  create(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  /** The seconds of processor time that all of it took so far. */
  processorTime(): Promise<number>;
}

/** The settings of a server with some memory; a commit is on the disk before it returns. */
const SETTINGS = {
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  shared_buffers: "1GB",
  max_wal_size: "8GB",
  min_wal_size: "2GB",
  checkpoint_timeout: "30min",
};

export interface DatabaseServerOptions {
  /** How the name of the folder begins. */
  prefix: string;
  /** Of a server to use instead of a new one. */
  url: string | undefined;
  report(line: string): void;
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;
/** The exit code of a program that Ctrl-C has ended. */
const INTERRUPTED = 130;

/**
 * Calls `fn` with a server and a folder. Stops the server that it started and removes the folder, some gigabytes, also
 * when the command is interrupted.
 */
export async function withDatabaseServer<Result>(
  { prefix, ...options }: DatabaseServerOptions,
  fn: (server: DatabaseServer, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await Deno.makeTempDir({ prefix });
  await Deno.chmod(folder, 0o755);
  const cleanUp = async () => {
    await stopCluster(clusterOf(folder));
    await Deno.remove(folder, { recursive: true });
  };
  const interrupted = () => void cleanUp().finally(() => Deno.exit(INTERRUPTED));
  for (const signal of SIGNALS) Deno.addSignalListener(signal, interrupted);
  try {
    const server = await openDatabaseServer(folder, options);
    try {
      return await fn(server, folder);
    } finally {
      await server.close();
    }
  } finally {
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, interrupted);
    await cleanUp();
  }
}

function clusterOf(folder: string): string {
  return join(folder, "pg");
}

/** Takes the server at `url`, or starts one in `folder`. */
async function openDatabaseServer(
  folder: string,
  { url, report }: Omit<DatabaseServerOptions, "prefix">,
): Promise<DatabaseServer & { close(): Promise<void> }> {
  let binaries = await findPostgres();
  if (binaries === undefined) {
    report("Installing Postgres");
    const failure = await installPostgres();
    binaries = await findPostgres();
    if (binaries === undefined) throw new Error(`Postgres 15 or later is needed: ${failure}`);
  }
  const serverUrl = url ?? await startCluster(binaries, clusterOf(folder), { settings: SETTINGS });
  const sql = postgres(serverUrl, { max: 1, onnotice: () => {} });
  if (url === undefined) await fillLog(sql);
  const [about] = await sql<{ server_version: string }[]>`show server_version`;
  return {
    binaries: binaries.folder,
    version: about!.server_version.split(" ")[0]!,
    async create(name) {
      await sql`drop database if exists ${sql(name)} with (force)`;
      await sql`create database ${sql(name)}`;
      return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;
    },
    async drop(name) {
      await sql`drop database if exists ${sql(name)} with (force)`;
    },
    async processorTime() {
      const [backend] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
      return await processorTime(await parentOf(backend!.pid));
    },
    close: () => sql.end({ timeout: 5 }),
  };
}

/**
 * A server that has run for a while writes over old files of its log; a new one makes them, one per second under load, and
 * no commit returns for 30 ms each time. Leaves 1.5 GB of files to be used again.
 */
async function fillLog(sql: postgres.Sql): Promise<void> {
  await sql`select count(pg_logical_emit_message(false, 'bench', repeat('x', 1000000))) from generate_series(1, 1500)`;
  await sql`checkpoint`;
}
