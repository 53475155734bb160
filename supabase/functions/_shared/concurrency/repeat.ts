import { describeError, failureLevel, type Log } from "../log.ts";

/** Work that is done again and again until it is stopped. */
export interface Repetition {
  /** Resolves when the current run, if there is one, has ended. */
  stop(): Promise<void>;
}

/** Work that is done when a caller requests it. */
export interface RateLimited extends Repetition {
  /** Starts a run, unless one is under way, one began less than `everyMs` milliseconds ago, or it was stopped. */
  start(): void;
}

/** The name of some work in the log, and the milliseconds between two runs. */
interface Options {
  name: string;
  everyMs: number;
}

/** Work that may take long ends early by its signal, which `stop` aborts. */
type Work = (signal: AbortSignal) => Promise<unknown>;

/**
 * Makes work that runs when `start` is called, never twice at a time, and at most every `everyMs` milliseconds. A failure
 * is logged, and the next run comes as planned.
 */
export function limitRate(log: Log, { name, everyMs }: Options, work: Work): RateLimited {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;
  let startedAt = -Infinity;

  async function run(): Promise<void> {
    try {
      await work(stopping.signal);
    } catch (error) {
      log[failureLevel(error)]("a repeated chore failed", { chore: name, ...describeError(error) });
    } finally {
      running = null;
    }
  }

  return {
    start() {
      const now = performance.now();
      if (running || stopping.signal.aborted || now - startedAt < everyMs) return;
      startedAt = now;
      running = run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Runs `work` at once and then every `everyMs` milliseconds, as `limitRate` does. */
export function repeat(log: Log, { name, everyMs }: Options, work: Work): Repetition {
  const { start, stop } = limitRate(log, { name, everyMs: 0 }, work);
  const timer = setInterval(start, everyMs);
  start();
  return {
    async stop() {
      clearInterval(timer);
      await stop();
    },
  };
}
