import { statfs } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { stopCluster } from "../setup/database/postgres_cluster.ts";

const PREFIX = "outbound-test-";

const MEMORY_DISK = "/dev/shm";
const MIN_FREE_BYTES = 3 * 1024 ** 3;

/**
 * Makes the folder that holds everything one test run writes. Its name carries the run's process id, so that the next
 * run can distinguish a folder in use from one that a killed run left behind.
 *
 * @param parent the folder to make it in
 */
export async function makeRunFolder(parent?: string): Promise<string> {
  const folder = await Deno.makeTempDir({
    prefix: `${PREFIX}${Deno.pid}-`,
    ...parent === undefined ? {} : { dir: parent },
  });
  await Deno.chmod(folder, 0o755);
  return folder;
}

/** Returns the disk in memory where databases are quicker to copy, or undefined where there is none with enough room. */
export async function memoryDisk(): Promise<string | undefined> {
  const disk = await statfs(MEMORY_DISK).catch(() => undefined);
  return disk && disk.bavail * disk.bsize >= MIN_FREE_BYTES ? MEMORY_DISK : undefined;
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
