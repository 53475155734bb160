import { stripVTControlCharacters } from "node:util";
import { cpuSeconds, duration } from "./time.ts";

export interface WatchedProcessOptions {
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Where the output goes. */
  output: "inherit" | "null";
  /** Ends the process by SIGTERM. */
  signal: AbortSignal;
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
/** `deno test` prints each result at once, and the longest test takes three minutes on a free machine. */
const MAX_SILENCE_MS = 6 * 60_000;
/** `deno test` prints this about a test after one, two, four minutes and so on: no progress. */
const STILL_RUNNING = "has been running for over";
/** The time to end after SIGINT, and for output to arrive after the end. */
const GRACE_MS = 10_000;
const KEPT_OUTPUT = 4000;
const KEPT_LINES = 8;

/** Runs `deno test`, passes its output on, and stops it by SIGINT after six minutes in which no test ended. */
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
  let [lastProgress, kept, cpuS] = [Date.now(), "", 0];
  const noted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const text = new TextDecoder().decode(chunk);
      if (!text.includes(STILL_RUNNING)) lastProgress = Date.now();
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
    if (stopped !== undefined || Date.now() - lastProgress <= MAX_SILENCE_MS) return;
    stopped = `${duration(MAX_SILENCE_MS)} without progress`;
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
