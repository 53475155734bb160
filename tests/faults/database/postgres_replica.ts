import { join } from "node:path";
import type { PostgresBinaries } from "../../setup/database/postgres_binaries.ts";
import { freePort, runAsServer } from "../../setup/database/postgres_cluster.ts";

/**
 * Makes a streaming replica of a running cluster in `folder`, and starts it on a free port.
 *
 * @param primaryUrl of the maintenance database; its user may replicate
 * @param name what `synchronous_standby_names` knows it by
 * @returns the URL of its maintenance database
 */
export async function startReplica(
  binaries: Pick<PostgresBinaries, "folder">,
  folder: string,
  { primaryUrl, name }: { primaryUrl: string; name: string },
): Promise<string> {
  const data = join(folder, "data");
  const { hostname, port: primaryPort, username } = new URL(primaryUrl);
  const port = freePort();
  await Deno.mkdir(folder);
  await Deno.chmod(folder, 0o777); // the server's user makes its data folder in it
  await runAsServer(binaries.folder, "pg_basebackup", [
    ...[
      "-D",
      data,
      "-h",
      hostname,
      "-p",
      primaryPort,
      "-U",
      username,
      "--no-sync",
      "-c",
      "fast",
      "-X",
      "stream",
    ],
  ]);
  const connection = `host=${hostname} port=${primaryPort} user=${username} application_name=${name}`;
  // Later lines win over those of the primary.
  await Deno.writeTextFile(
    join(data, "postgresql.auto.conf"),
    `port = ${port}\nunix_socket_directories = '${folder}'\nprimary_conninfo = '${connection}'\n` +
      `synchronous_standby_names = ''\n`,
    { append: true },
  );
  await Deno.writeTextFile(join(data, "standby.signal"), "");
  await Deno.writeTextFile(join(folder, "binaries"), binaries.folder);
  const start = ["-D", data, "-w", "-t", "60", "-l", join(folder, "log"), "start"];
  await runAsServer(binaries.folder, "pg_ctl", start);
  return `postgres://${username}@${hostname}:${port}/postgres`;
}

/** Makes a replica a primary of its own. Returns when it takes writes. */
export async function promoteReplica(folder: string): Promise<void> {
  const binaries = await Deno.readTextFile(join(folder, "binaries"));
  await runAsServer(binaries, "pg_ctl", ["-D", join(folder, "data"), "-w", "-t", "60", "promote"]);
}
