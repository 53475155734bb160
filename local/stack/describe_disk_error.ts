import { join } from "node:path";

/** What the system, Node's modules, and the embedded database (51 is its ENOSPC) say of a full disk. */
const FULL = /os error (28|122)\b|ENOSPC|EDQUOT|no space left on device|errno: 51\b/i;
const READ_ONLY = /os error 30\b|EROFS|read-only file system|errno: 69\b/i;

const TRIAL_BYTES = 1024 * 1024;

/** Says that a disk takes nothing and what to do, when that is what an error comes from. */
export function describeDiskError(error: unknown): string | undefined {
  const text = textOf(error);
  if (FULL.test(text)) {
    return "its disk is full. Free some space, or set OUTBOUND_HOME to a folder on another disk";
  }
  if (READ_ONLY.test(text)) return "its disk is read-only. Set OUTBOUND_HOME to a folder on another disk";
}

/**
 * Says in one sentence that the home's disk takes nothing, when that is what an error comes from. The embedded database
 * does not always say why it stopped: then some bytes are written to find out.
 */
export async function explainByDisk(error: unknown, home: string): Promise<string | undefined> {
  const reason = describeDiskError(error) ?? describeDiskError(await tryToWrite(home));
  return reason && `OUTBOUND_HOME ${home} cannot be used: ${reason}`;
}

/** What writing a file fails with, or nothing. */
async function tryToWrite(home: string): Promise<unknown> {
  const file = join(home, `trial-${crypto.randomUUID()}`);
  try {
    await Deno.writeFile(file, new Uint8Array(TRIAL_BYTES));
  } catch (error) {
    return error;
  } finally {
    await Deno.remove(file).catch(() => {}); // it was never made
  }
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return [error.name, error.message, code, cause === undefined ? "" : textOf(cause)].join(" ");
}
