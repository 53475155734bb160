import { describeError } from "../log.ts";
import type { Services } from "../services.ts";

/**
 * Does `work` at once and then every `ms` milliseconds, never twice at a time; a failure is logged and the next turn
 * tries again. `stop` resolves when the running turn is over.
 */
export function repeat(
  services: Services,
  ms: number,
  work: () => Promise<unknown>,
): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;

  async function turn(): Promise<void> {
    try {
      await work();
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
      await running;
    },
  };
}
