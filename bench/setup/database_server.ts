import { join } from "node:path";
import postgres from "postgres";
import { installPostgres } from "../../tests/tools/install_postgres.ts";
import { findPostgres } from "../../tests/tools/postgres_binaries.ts";
import { startCluster, stopCluster } from "../../tests/tools/postgres_cluster.ts";

/** The server everybody's data is on. */
export interface DatabaseServer {
  /** Where `pgbench` is. */
  binaries: string;
  /** Such as `15.8`. */
  version: string;
  /** Makes an empty database; returns its URL. */
  create(name: string): Promise<string>;
  drop(name: string): Promise<void>;
  stop(): Promise<void>;
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

/** Takes the server of `BENCH_DATABASE_URL`, or starts one of its own in `folder`. */
export async function openDatabaseServer(
  folder: string,
  { url, report }: { url: string | undefined; report(line: string): void },
): Promise<DatabaseServer> {
  let binaries = await findPostgres();
  if (binaries === undefined) {
    report("Installing Postgres");
    const failure = await installPostgres();
    binaries = await findPostgres();
    if (binaries === undefined) throw new Error(`Postgres 15 or later is needed: ${failure}`);
  }
  const cluster = join(folder, "pg");
  const serverUrl = url ?? await startCluster(binaries, cluster, { settings: SETTINGS });
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
    async stop() {
      await sql.end({ timeout: 5 });
      if (url === undefined) await stopCluster(cluster);
    },
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
