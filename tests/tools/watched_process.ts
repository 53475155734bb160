import { stripVTControlCharacters } from "node:util";
import { cpuSeconds } from "./cpu_time.ts";
import { duration } from "./duration.ts";

export interface WatchedProcessOptions {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Where the output goes. */
  output: "inherit" | "null";
  /** Ends the process by SIGTERM. */
  signal: AbortSignal;
  /** Whether a piece of output shows that the process gets on. */
  isProgress: (output: string) => boolean;
  /** The process is stopped after this time without progress, in milliseconds. */
  maxSilenceMs: number;
  /** The process is stopped after this time, in milliseconds. */
  maxRunMs: number;
}

export interface WatchedProcessResult {
  code: number;
  /** Processor time of the process and of the processes that it ended, in seconds; 0 if unknown. */
  cpuS: number;
  /** Why it was stopped, such as "6 min 0 s without progress"; undefined if it ended by itself. */
  stopped?: string;
  /** The end of its standard output, without colours. */
  lastLines: string[];
}

const WATCH_MS = 500;
/** The time to end after SIGINT, and for output to arrive after the end. */
const GRACE_MS = 10_000;
const KEPT_OUTPUT = 4000;
const KEPT_LINES = 8;

/** Runs this Deno, passes its output on, and stops it by SIGINT when it gets on no more or goes on for too long. */
export async function runWatchedProcess(options: WatchedProcessOptions): Promise<WatchedProcessResult> {
  const child = new Deno.Command(Deno.execPath(), {
    args: options.args,
    cwd: options.cwd,
    env: { ...Deno.stdout.isTerminal() ? { FORCE_COLOR: "1" } : {}, ...options.env },
    stdin: "null",
    stdout: "piped",
    stderr: options.output,
    signal: options.signal,
  }).spawn();
  const started = Date.now();
  let [lastProgress, kept, cpuS] = [started, "", 0];
  const noted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = new TextDecoder().decode(chunk);
      if (options.isProgress(text)) lastProgress = Date.now();
      kept = (kept + text).slice(-KEPT_OUTPUT);
      controller.enqueue(chunk);
    },
  });
  const passing = new AbortController();
  const target = options.output === "inherit" ? Deno.stdout.writable : new WritableStream();
  const passed = child.stdout.pipeThrough(noted)
    .pipeTo(target, { signal: passing.signal, preventClose: true, preventAbort: true })
    .catch(() => {});
  let stopped: string | undefined;
  let kill: ReturnType<typeof setTimeout> | undefined;
  const watch = setInterval(() => {
    void cpuSeconds(child.pid).then((seconds) => cpuS = seconds ?? cpuS);
    if (stopped !== undefined) return;
    const now = Date.now();
    if (now - lastProgress > options.maxSilenceMs) {
      stopped = `${duration(options.maxSilenceMs)} without progress`;
    } else if (now - started > options.maxRunMs) stopped = duration(options.maxRunMs);
    else return;
    child.kill("SIGINT");
    kill = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
  }, WATCH_MS);
  const { code } = await child.status;
  clearInterval(watch);
  clearTimeout(kill);
  // A process that the child left behind may keep its output open.
  const grace = setTimeout(() => passing.abort(), GRACE_MS);
  await passed;
  clearTimeout(grace);
  const lastLines = stripVTControlCharacters(kept).trim().split("\n").slice(-KEPT_LINES);
  return { code, cpuS, ...stopped === undefined ? {} : { stopped }, lastLines };
}
