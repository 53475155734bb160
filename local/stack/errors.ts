import { join } from "node:path";

/** The reason why the stack cannot start, in one line for the person who started it. */
export class StackError extends Error {
  override readonly name = "StackError";
}

/** The errors of the system, Node's modules and the embedded database (51 is its ENOSPC) for a full disk. */
const FULL = /os error (28|122)\b|ENOSPC|EDQUOT|no space left on device|errno: 51\b/i;
const READ_ONLY = /os error 30\b|EROFS|read-only file system|errno: 69\b/i;

const IN_THE_WAY = /os error (20|21)\b|ENOTDIR|EISDIR/i;

const TRIAL_BYTES = 1024 * 1024;

/**
 * Explains an error that comes from a full or read-only disk, or from a folder where a file belongs or the reverse, with
 * what to do.
 */
export function describeDiskError(error: unknown): string | undefined {
  const text = textOf(error);
  if (FULL.test(text)) {
    return "its disk is full. Free some space, or set OUTBOUND_HOME to a folder on another disk";
  }
  if (READ_ONLY.test(text)) return "its disk is read-only. Set OUTBOUND_HOME to a folder on another disk";
  if (IN_THE_WAY.test(text)) return `move away what is in the way: ${(error as Error).message}`;
}

/**
 * Explains in one sentence an error that comes from the disk of the home. The embedded database does not always name
 * its reason; then a trial file finds out.
 */
export async function explainDiskError(error: unknown, home: string): Promise<string | undefined> {
  const reason = describeDiskError(error) ?? describeDiskError(await tryToWrite(home));
  return reason && `OUTBOUND_HOME ${home} cannot be used: ${reason}`;
}

/** Returns the error of writing a file, if any. */
async function tryToWrite(home: string): Promise<unknown> {
  const file = join(home, `trial-${crypto.randomUUID()}`);
  try {
    await Deno.writeFile(file, new Uint8Array(TRIAL_BYTES));
  } catch (error) {
    return error;
  } finally {
    await Deno.remove(file).catch(() => {}); // it does not exist
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return [error.name, error.message, code, cause === undefined ? "" : textOf(cause)].join(" ");
}
