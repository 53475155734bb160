import type { Log } from "../../supabase/functions/_shared/log.ts";

/** The first wait before a worker starts again; each further one is twice as long. */
const MIN_RESTART_MS = 1000;
const MAX_RESTART_MS = 30_000;
/** A worker that ran for this long was well: its next wait is the first again. */
const STABLE_MS = 60_000;
/** A worker finishes what is under way within ten seconds. */
const KILL_AFTER_MS = 15_000;

export interface Supervision {
  count: number;
  /** Stops the workers. */
  signal: AbortSignal;
  log: Log;
  /** Returns the arguments that only one worker gets, by its number from 1. */
  argsOf?: (worker: number) => string[];
  /** @default 1000 */
  minRestartMs?: number;
}

/**
 * Runs `count` processes of one command until `signal` aborts. Starts one again that ended before. Passes the request to
 * stop on as SIGTERM. The standard input of a worker ends when this process does.
 *
 * @returns 0 when every worker exited 0 after it was asked to stop, else 1
 */
export async function supervise(command: string[], supervision: Supervision): Promise<number> {
  const numbers = Array.from({ length: supervision.count }, (_, index) => index + 1);
  const clean = await Promise.all(numbers.map((number) => keepRunning(command, number, supervision)));
  return clean.every(Boolean) ? 0 : 1;
}

async function keepRunning(
  command: string[],
  worker: number,
  { signal, log, argsOf = () => [], minRestartMs = MIN_RESTART_MS }: Supervision,
): Promise<boolean> {
  for (let waitMs = minRestartMs; !signal.aborted;) {
    const startedAt = performance.now();
    const { code, signal: killedBy } = await runOnce([...command, ...argsOf(worker)], signal);
    if (signal.aborted) return code === 0;
    if (performance.now() - startedAt >= STABLE_MS) waitMs = minRestartMs;
    log.error("a dispatcher ended and will be started again", {
      worker,
      code,
      signal: killedBy,
      in_ms: waitMs,
    });
    await wait(waitMs, signal);
    waitMs = Math.min(2 * waitMs, MAX_RESTART_MS);
  }
  return true;
}

/** Runs one process to its end. */
async function runOnce(
  [path, ...args]: string[],
  signal: AbortSignal,
): Promise<Deno.CommandStatus> {
  const child = new Deno.Command(path!, { args, stdin: "piped" }).spawn();
  let killing: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    kill(child, "SIGTERM");
    killing = setTimeout(() => kill(child, "SIGKILL"), KILL_AFTER_MS);
  };
  signal.addEventListener("abort", stop);
  try {
    return await child.status;
  } finally {
    signal.removeEventListener("abort", stop);
    clearTimeout(killing);
    await child.stdin.close().catch(() => {});
  }
}

function kill(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch (error) {
    // It has ended already.
    if (!(error instanceof TypeError)) throw error;
  }
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
