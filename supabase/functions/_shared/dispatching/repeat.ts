import { describeError } from "../log.ts";
import type { Services } from "../services.ts";

/**
 * Does `work` at once and then every `ms` milliseconds, never twice at a time; a failure is logged and the next turn
 * tries again. `stop` resolves when the running turn is over; a turn that may take long ends early by its signal.
 */
export function repeat(
  services: Services,
  ms: number,
  work: (signal: AbortSignal) => Promise<unknown>,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  async function turn(): Promise<void> {
    try {
      await work(stopping.signal);
    } catch (error) {
      services.log.error("a repeated chore failed", describeError(error));
    } finally {
      running = null;
    }
  }

  const start = () => void (running ??= turn());
  const timer = setInterval(start, ms);
  start();
  return {
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await running;
    },
  };
}
