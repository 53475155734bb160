import { describeError, failureLevel, type Log } from "../log.ts";

/** Work that is repeated until it is stopped. */
export interface Repetition {
  /** Resolves when the current run, if there is one, has ended. */
  stop(): Promise<void>;
}

/**
 * Runs `work` at once and then every `everyMs` milliseconds, never twice at a time. A failure is logged, and the next run
 * comes as planned. Work that may take long ends early by its signal, which `stop` aborts.
 */
export function repeat(
  log: Log,
  { name, everyMs }: { name: string; everyMs: number },
  work: (signal: AbortSignal) => Promise<unknown>,
): Repetition {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  async function run(): Promise<void> {
    try {
      await work(stopping.signal);
    } catch (error) {
      log[failureLevel(error)]("a repeated chore failed", { chore: name, ...describeError(error) });
    } finally {
      running = null;
    }
  }

  const start = () => void (running ??= run());
  const timer = setInterval(start, everyMs);
  start();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
