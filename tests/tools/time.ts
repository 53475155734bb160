const TICKS_PER_SECOND = 100;

/** A duration for people, such as `8 s` or `1 min 5 s`. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Returns the processor time, in seconds, of a process and of its children that have ended. Undefined where there is no
 * `/proc`, or no such process.
 */
export async function cpuSeconds(pid: number): Promise<number | undefined> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => undefined);
  if (stat === undefined) return undefined;
  // The name of the program, in parentheses, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ").map(Number);
  return fields.slice(11, 15).reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
}
