import { join } from "node:path";
import process from "node:process";
import { stopCluster } from "./postgres_cluster.ts";

const PREFIX = "outbound-test-";

/**
 * Makes the folder that holds everything one test run writes: database cluster, templates, reports. Its name carries
 * the run's process id, so that the next run can tell a folder in use from one a killed run left behind.
 */
export async function makeRunFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: `${PREFIX}${Deno.pid}-` });
  await Deno.chmod(folder, 0o755);
  return folder;
}

/** Stops the database servers that run in a run folder, and removes the folder. */
export async function removeRunFolder(folder: string): Promise<void> {
  for await (const entry of Deno.readDir(folder)) await stopCluster(join(folder, entry.name));
  await Deno.remove(folder, { recursive: true });
}

/** Where a run folder keeps its Postgres cluster. */
export function clusterFolder(folder: string): string {
  return join(folder, "pg");
}

/** Removes the folders, and stops the servers, of runs that are no longer there to do it themselves. */
export async function sweepDeadRuns(parent: string): Promise<void> {
  for await (const entry of Deno.readDir(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(entry.name)?.[1]);
    if (!entry.isDirectory || !pid || isAlive(pid)) continue;
    await removeRunFolder(join(parent, entry.name)).catch(() => {}); // another user's, or just being swept
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code !== "ESRCH";
  }
}
