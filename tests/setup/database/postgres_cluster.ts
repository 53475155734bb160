import { join } from "node:path";
import type { PostgresBinaries } from "./postgres_binaries.ts";

/** The one database pg_cron works in. */
export const CRON_DATABASE = "outbound_cron";

/**
 * Makes a throw-away cluster in `folder` and starts its server on a free port of 127.0.0.1 and on a socket in the
 * folder: no password, no wait for the disk, otherwise the defaults of Postgres, so that nothing costs less in a test.
 * As root it runs as the user `postgres` (or `nobody`), because Postgres refuses root.
 *
 * @param options.durable what was committed outlives a crash of the server, though not of the machine
 * @param options.settings the server's own settings, over those it would get
 * @param options.logFolder where the server writes its log of changes (WAL) instead
 * @returns the URL of the maintenance database
 * @throws Error with the end of the server's log when it does not start
 */
export async function startCluster(
  binaries: Pick<PostgresBinaries, "folder" | "hasCron">,
  folder: string,
  { durable = false, settings = {}, logFolder }: {
    durable?: boolean;
    settings?: Record<string, string>;
    logFolder?: string | undefined;
  } = {},
): Promise<string> {
  const data = await initCluster(binaries, folder, logFolder === undefined ? [] : ["-X", logFolder]);
  const port = freePort();
  const config = join(data, "postgresql.auto.conf");
  await Deno.writeTextFile(config, configuration(folder, port, binaries.hasCron, durable, settings));
  await Deno.writeTextFile(join(folder, "binaries"), binaries.folder);
  await runAsServer(
    binaries.folder,
    "pg_ctl",
    ["-D", data, "-w", "-t", "60", "-l", join(folder, "log"), "start"],
  );
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/**
 * Makes a cluster in `folder` and does not start it. Returns its data folder. Its locale is not C, in which alone `like`
 * may use an index.
 */
export async function initCluster(
  binaries: Pick<PostgresBinaries, "folder">,
  folder: string,
  options: string[] = [],
): Promise<string> {
  const data = join(folder, "data");
  const owner = await serverUser();
  await Deno.mkdir(folder);
  if (owner) await Deno.chown(folder, owner.uid, owner.gid);
  await runAsServer(binaries.folder, "initdb", [
    ...["-D", data, "-U", "postgres", "-A", "trust", "--locale=C.UTF-8", "--no-sync"],
    ...options,
  ]);
  return data;
}

/** Ends the server of a cluster as a crash would, and starts it again on the same port. */
export async function crashCluster(folder: string): Promise<void> {
  const binaries = await Deno.readTextFile(join(folder, "binaries"));
  const restart = ["-D", join(folder, "data"), "-m", "immediate", "-w", "-l", join(folder, "log"), "restart"];
  await runAsServer(binaries, "pg_ctl", restart);
}

/** Starts the server of a cluster that has ended, such as by a crash, on the same port. */
export async function restartCluster(folder: string): Promise<void> {
  const binaries = await Deno.readTextFile(join(folder, "binaries"));
  const start = ["-D", join(folder, "data"), "-w", "-t", "60", "-l", join(folder, "log"), "start"];
  await runAsServer(binaries, "pg_ctl", start);
}

/** Stops the server of the cluster in `folder`, if there is one and it runs. */
export async function stopCluster(folder: string): Promise<void> {
  const pid = await Deno.readTextFile(join(folder, "data/postmaster.pid")).catch(() => undefined);
  const binaries = await Deno.readTextFile(join(folder, "binaries")).catch(() => undefined);
  if (pid === undefined || binaries === undefined) return;
  const stop = ["-D", join(folder, "data"), "-m", "immediate", "-w", "stop"];
  await runAsServer(binaries, "pg_ctl", stop).catch(() => {}); // it was gone already
}

function configuration(
  folder: string,
  port: number,
  hasCron: boolean,
  durable: boolean,
  settings: Record<string, string>,
): string {
  const values: Record<string, string | number> = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    fsync: "off",
    synchronous_commit: durable ? "on" : "off",
    full_page_writes: "off",
    max_connections: 200,
    timezone: "UTC",
  };
  if (hasCron) {
    values.shared_preload_libraries = "pg_cron";
    values["cron.database_name"] = CRON_DATABASE;
    values["cron.host"] = folder;
  }
  return Object.entries({ ...values, ...settings }).map(([name, value]) => `${name} = '${value}'\n`).join("");
}

export interface SystemUser {
  uid: number;
  gid: number;
}

/** Returns the user of the servers, because Postgres and PgBouncer refuse root; undefined unless this process is root. */
export async function serverUser(): Promise<SystemUser | undefined> {
  if (Deno.uid() !== 0) return undefined;
  const users = (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody");
  if (!user) throw new Error("Postgres refuses to run as root, and there is no user postgres or nobody");
  return { uid: Number(user[2]), gid: Number(user[3]) };
}

/**
 * Runs a program of Postgres as the user that its servers run as. The server keeps its standard streams open, so they may
 * not be pipes that `output()` would wait for.
 *
 * @throws Error with the end of what it printed when it fails
 */
export async function runAsServer(
  folder: string,
  program: string,
  args: string[],
  { cwd = "/" }: { cwd?: string } = {},
): Promise<void> {
  const user = await serverUser();
  const log = await Deno.makeTempFile();
  try {
    const command = new Deno.Command("/bin/sh", {
      args: ["-c", 'log=$1; shift; exec "$@" >>"$log" 2>&1', "sh", log, join(folder, program), ...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      cwd,
      ...user,
    });
    if (user) await Deno.chown(log, user.uid, user.gid);
    const { success } = await command.spawn().status;
    if (!success) throw new Error(`${program} failed: ${(await Deno.readTextFile(log)).trim().slice(-500)}`);
  } finally {
    await Deno.remove(log);
  }
}

/** A port of 127.0.0.1 that nobody listens on. */
export function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}
