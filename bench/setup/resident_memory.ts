import type { BenchProcess } from "./processes.ts";

/** Reads from a process's status, which Linux keeps. */
export interface ResidentMemory {
  /** Now, in MB. */
  now(): Promise<number>;
  /** The most since the process began, in MB. */
  peak(): Promise<number>;
}

/** The memory of a process that is really taken. */
export function residentMemory({ pid }: BenchProcess): ResidentMemory {
  const read = async (name: string) => {
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
    if (kilobytes === undefined) throw new Error(`/proc says nothing of ${name}`);
    return Number(kilobytes) / 1024;
  };
  return { now: () => read("VmRSS"), peak: () => read("VmHWM") };
}
