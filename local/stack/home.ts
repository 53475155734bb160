import { join } from "node:path";
import { type FileLock, lockFile } from "../lock_file.ts";
import { describeDiskError, StackError } from "./errors.ts";

/**
 * Makes the folder that holds data and secrets, for its owner only, and locks it for this process.
 *
 * @throws StackError when it cannot be used, belongs to another user, or another process runs on it
 */
export async function openHome(home: string): Promise<FileLock> {
  try {
    await Deno.mkdir(home, { recursive: true, mode: 0o700 });
    await refuseForeignFolder(home);
    // Windows has no such modes.
    if (Deno.build.os !== "windows") await Deno.chmod(home, 0o700);
    const lock = await lockFile(join(home, LOCK));
    if (lock) return lock;
  } catch (error) {
    throw error instanceof StackError ? error : new StackError(`OUTBOUND_HOME ${home} ${explain(error)}`);
  }
  throw new StackError(`OUTBOUND_HOME ${home} is in use: "deno task start" is running on it already`);
}

const LOCK = "start.lock";

/** Refuses a folder with other content: its mode must not change, and it must not get secrets. */
async function refuseForeignFolder(home: string): Promise<void> {
  const names = (await Array.fromAsync(Deno.readDir(home))).map((entry) => entry.name);
  if (names.length === 0 || names.includes(LOCK)) return;
  throw new StackError(`OUTBOUND_HOME ${home} holds other things: give it a folder that is empty or new`);
}

function explain(error: unknown): string {
  if (error instanceof Deno.errors.PermissionDenied || error instanceof Deno.errors.NotCapable) {
    return "cannot be used: permission denied";
  }
  if (error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory) {
    return "cannot be used: a file is in the way";
  }
  return `cannot be used: ${describeDiskError(error) ?? (error as Error).message}`;
}

/** Writes a file that only its owner may read, entirely or not at all. */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  await Deno.remove(unfinished).catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  await Deno.writeTextFile(unfinished, text, { mode: 0o600, createNew: true });
  await Deno.rename(unfinished, path);
}
