import { TimeUpError } from "./endpoint_error.ts";

/** One limit for the time that several steps take together. */
export interface TimeLimit {
  /**
   * Returns the same promise, except that it rejects when the time is up.
   *
   * @throws {TimeUpError}
   */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Must be called when the last step is over. */
  stop(): void;
}

/** Starts the clock. A step that is too late goes on unobserved: the caller closes what it works on. */
export function startTimeLimit(ms: number): TimeLimit {
  const { promise: timeUp, reject } = Promise.withResolvers<never>();
  timeUp.catch(() => {});
  const error = new TimeUpError(`The endpoint did not respond within ${ms / 1000} seconds`);
  const timer = setTimeout(() => reject(error), ms);
  return {
    limit(work) {
      work.catch(() => {});
      return Promise.race([work, timeUp]);
    },
    stop: () => clearTimeout(timer),
  };
}
