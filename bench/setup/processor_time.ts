import { processTree } from "./process_tree.ts";

/** Of `/proc/PID/stat`, on every Linux. */
const TICKS_PER_SECOND = 100;
/** The indexes of utime, stime, cutime and cstime after the name of the process. */
const TIMES = [11, 12, 13, 14] as const;

/** Returns the seconds of processor time that a process and its children took so far, those that have ended included. */
export async function processorTime(pid: number): Promise<number> {
  const tree = await processTree(pid);
  const times = await Promise.all(tree.map((each) => timeOf(each.pid)));
  return times.reduce((sum, time) => sum + time, 0);
}

/** Returns the process that started another one: of a backend of Postgres, the server. */
export async function parentOf(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^PPid:\s*(\d+)$/m.exec(status)![1]);
}

async function timeOf(pid: number): Promise<number> {
  // It may have ended just now; then it is in its parent's time.
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return TIMES.reduce((sum, index) => sum + Number(fields[index] ?? 0), 0) / TICKS_PER_SECOND;
}
