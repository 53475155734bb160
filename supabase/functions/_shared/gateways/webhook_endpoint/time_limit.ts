import { EndpointError } from "./endpoint_error.ts";

/** The time for several steps together was over. */
export class TimeUpError extends EndpointError {}

export interface TimeLimit {
  /**
   * The same promise, except that it rejects when the time is up.
   *
   * @throws {TimeUpError}
   */
  limit<T>(work: Promise<T>): Promise<T>;
  /** Must be called when the last step is over. */
  stop(): void;
}

/** Starts the clock. Steps that are too late go on unheard: the caller closes what they work on. */
export function startTimeLimit(ms: number): TimeLimit {
  const { promise: timeUp, reject } = Promise.withResolvers<never>();
  timeUp.catch(() => {});
  const error = new TimeUpError(`The endpoint did not answer within ${ms / 1000} seconds`);
  const timer = setTimeout(() => reject(error), ms);
  return {
    limit(work) {
      work.catch(() => {});
      return Promise.race([work, timeUp]);
    },
    stop: () => clearTimeout(timer),
  };
}
