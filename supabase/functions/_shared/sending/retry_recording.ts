import { causeOf } from "../error_cause.ts";

const RETRY_MS = 250;
const MAX_RETRY_MS = 2000;

/**
 * Calls `write` until it succeeds, for as long as the process lives: a lost result would leave its message's outcome
 * unknown. Throws only an error that the data itself causes; `waits` receives any other.
 */
export async function retryRecording(
  write: () => Promise<unknown>,
  waits: (error: unknown) => void,
): Promise<void> {
  for (let delay = RETRY_MS;; delay = Math.min(2 * delay, MAX_RETRY_MS)) {
    try {
      await write();
      return;
    } catch (error) {
      if (causeOf(error) === "data") throw error;
      waits(error);
    }
    await new Promise((resolve) => setTimeout(resolve, delay));
  }
}
