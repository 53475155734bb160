import { z } from "zod";
import { pause } from "../setup/pause.ts";
import { processTree } from "../setup/process_tree.ts";
import { PROCESS_NAMES, type ProcessName, type SoakStack } from "./stack.ts";

const memorySchema = z.partialRecord(z.enum(PROCESS_NAMES), z.number());

/** The state of everything at one moment. Rates are per second since the sample before; memory is in MB. */
export const sampleSchema = z.object({
  /** Seconds since the load began. */
  at_s: z.number(),
  accepted_per_s: z.number(),
  taken_per_s: z.number(),
  /** Notifications that are due and wait. */
  due: z.number(),
  oldest_due_s: z.number(),
  /** Events of the platform that wait to be applied. */
  unapplied: z.number(),
  events_per_s: z.number(),
  /** Memory that a process has for itself; a process that has just been killed has none. */
  memory: memorySchema,
});

export type Sample = z.infer<typeof sampleSchema>;

/** The counters that only grow, at one moment. */
export interface Totals {
  atMs: number;
  accepted: number;
  taken: number;
  events: number;
}

/** Reads the present state, with the rates since `before`. */
export async function readSample(
  stack: SoakStack,
  { before, now, beganMs }: { before: Totals; now: Totals; beganMs: number },
): Promise<Sample> {
  const [metrics, memory] = await Promise.all([
    readMetrics(stack.metricsUrl),
    readMemory(await stack.pids()),
  ]);
  const perSecond = (of: "accepted" | "taken" | "events") =>
    round((now[of] - before[of]) / ((now.atMs - before.atMs) / 1000));
  return {
    at_s: Math.round((now.atMs - beganMs) / 1000),
    accepted_per_s: perSecond("accepted"),
    taken_per_s: perSecond("taken"),
    due: metrics('outbound_queue{state="due"}'),
    oldest_due_s: round(metrics("outbound_queue_oldest_due_seconds")),
    unapplied: metrics("outbound_platform_events_unapplied"),
    events_per_s: perSecond("events"),
    memory,
  };
}

const MAX_READS = 10;
const READ_AGAIN_MS = 1000;

/**
 * Returns a function from a metric with its labels to its value. While the database is too busy, its figures are missing
 * from a scrape; then it scrapes anew.
 */
async function readMetrics(url: string): Promise<(name: string) => number> {
  for (let reads = 1;; reads++) {
    const lines = (await (await fetch(url)).text()).split("\n");
    const valueOf = (name: string) =>
      Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
    if (valueOf("outbound_metrics_database_up") === 1) return valueOf;
    if (reads === MAX_READS) throw new Error(`${url} had no figures of the database ${reads} times`);
    await pause(READ_AGAIN_MS);
  }
}

/** The private memory of each process; of Postgres, that of all its processes. */
async function readMemory(pids: Record<ProcessName, number>): Promise<Sample["memory"]> {
  const entries = await Promise.all(
    Object.entries(pids).map(async ([name, pid]) => {
      const family = name === "postgres" ? (await processTree(pid)).map(({ pid }) => pid) : [pid];
      const all = await Promise.all(family.map(privateMemory));
      return [name, round(all.reduce((sum, each) => sum + each, 0))];
    }),
  );
  return Object.fromEntries(entries.filter(([, megabytes]) => megabytes !== 0));
}

/** In MB; 0 for a process that has ended. */
async function privateMemory(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`).catch(() => "");
  return Number(/^RssAnon:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

function round(figure: number): number {
  return Math.round(figure * 10) / 10;
}
