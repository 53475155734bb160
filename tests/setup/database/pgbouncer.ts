import { join } from "node:path";
import postgres from "postgres";
import { findPgbouncer, type PgbouncerBinary } from "./pgbouncer_binary.ts";
import { freePort, serverUser } from "./postgres_cluster.ts";
import { eventually } from "../eventually.ts";
import { skipped } from "../skipped.ts";
import { withTempFolder } from "../temp_folder.ts";

/** A PgBouncer in transaction mode: each transaction may get another server connection. */
export interface Pgbouncer {
  /** The database given, through the pooler. */
  url: string;
  /** Sends its clients to another server from now on, and breaks every connection there is. */
  turnTo(databaseUrl: string): Promise<void>;
  /** Its console, for operators. */
  consoleUrl: string;
  /** Names another server in its file, which it has not read yet. */
  name(databaseUrl: string): Promise<void>;
  /** Takes other settings. */
  configure(settings: Record<string, string>): Promise<void>;
}

/** The first version with `max_prepared_statements`. */
const CARRIES_STATEMENTS = [1, 21] as const;

/**
 * Calls `fn` with a PgBouncer in front of a database. Without one, or one too old for `max_prepared_statements`, the test
 * is skipped and named at the end of the run.
 */
export async function withPgbouncer(
  test: string,
  databaseUrl: string,
  settings: Record<string, string>,
  fn: (pgbouncer: Pgbouncer) => Promise<void>,
): Promise<void> {
  const binary = await findPgbouncer();
  if (binary === undefined) return skipped(test, "no PgBouncer found");
  const wanted = Number(settings.max_prepared_statements ?? 0) > 0;
  if (wanted && !carriesStatements(binary)) {
    return skipped(test, `PgBouncer ${binary.version.join(".")} cannot carry prepared statements`);
  }
  await withTempFolder(async (folder) => {
    const pooler = await start(binary, folder, databaseUrl, settings);
    try {
      await fn(pooler);
    } finally {
      await pooler.stop();
    }
  });
}

function carriesStatements({ version: [major, minor] }: PgbouncerBinary): boolean {
  const [wantedMajor, wantedMinor] = CARRIES_STATEMENTS;
  return major > wantedMajor || major === wantedMajor && minor >= wantedMinor;
}

async function start(
  binary: PgbouncerBinary,
  folder: string,
  databaseUrl: string,
  settings: Record<string, string>,
): Promise<Pgbouncer & { stop(): Promise<void> }> {
  const owner = await serverUser();
  if (owner) await Deno.chown(folder, owner.uid, owner.gid);
  const port = freePort();
  const file = join(folder, "pgbouncer.ini");
  const { max_prepared_statements = "0", ...others } = settings;
  const known = { ...others, ...(carriesStatements(binary) ? { max_prepared_statements } : {}) };
  await Deno.writeTextFile(join(folder, "users.txt"), '"postgres" ""\n');
  const write = () => Deno.writeTextFile(file, configuration(folder, port, databaseUrl, known));
  await write();
  const process = new Deno.Command(binary.path, {
    args: ["-q", file],
    cwd: "/",
    stdin: "null",
    stdout: "null",
    stderr: "null",
    ...owner,
  }).spawn();
  const url = new URL(databaseUrl);
  url.port = String(port);
  await eventually(() => command(port, "show version"));
  return {
    url: url.href,
    consoleUrl: consoleUrl(port),
    async name(other) {
      databaseUrl = other;
      await write();
    },
    async turnTo(other) {
      databaseUrl = other;
      await write();
      await command(port, "reload");
      const database = new URL(other).pathname.slice(1);
      await command(port, `kill "${database}"`);
      await command(port, `resume "${database}"`);
    },
    async configure(changes) {
      Object.assign(known, changes);
      await write();
      await command(port, "reload");
    },
    async stop() {
      process.kill("SIGKILL");
      await process.status;
    },
  };
}

function configuration(
  folder: string,
  port: number,
  databaseUrl: string,
  settings: Record<string, string>,
): string {
  const { hostname, port: target } = new URL(databaseUrl);
  const values = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "trust",
    auth_file: join(folder, "users.txt"),
    admin_users: "postgres",
    logfile: join(folder, "log"),
    pool_mode: "transaction",
    default_pool_size: 10,
    max_client_conn: 500,
    server_login_retry: 0.2,
    ...settings,
  };
  const lines = Object.entries(values).map(([name, value]) => `${name} = ${value}\n`);
  return `[databases]\n* = host=${hostname} port=${target}\n[pgbouncer]\n${lines.join("")}`;
}

function consoleUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/pgbouncer`;
}

/** Speaks to PgBouncer's own console, which knows only the simple protocol. */
async function command(port: number, text: string): Promise<void> {
  const sql = postgres(consoleUrl(port), {
    max: 1,
    prepare: false,
    fetch_types: false,
    connect_timeout: 2,
    onnotice: () => {},
  });
  try {
    await sql.unsafe(text).simple();
  } finally {
    await sql.end({ timeout: 1 });
  }
}
