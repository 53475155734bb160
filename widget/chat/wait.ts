/** Waits. Ends early when the browser is online again, when the page becomes visible, or when a signal is aborted. */
export function wait(milliseconds: number, ...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const listening = new AbortController();
    const done = () => {
      clearTimeout(timer);
      listening.abort();
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    const { signal: until } = listening;
    addEventListener("online", done, { signal: until });
    document.addEventListener("visibilitychange", () => document.hidden || done(), { signal: until });
    for (const signal of signals) signal.addEventListener("abort", done, { signal: until });
    if (signals.some(({ aborted }) => aborted)) done();
  });
}

/** The waits for a retry, which end early once the server responds to another request. */
export interface RetryWaits {
  /** Is aborted by `end`. */
  readonly signal: AbortSignal;
  end(): void;
}

export function createRetryWaits(): RetryWaits {
  let controller = new AbortController();
  return {
    get signal() {
      return controller.signal;
    },
    end() {
      controller.abort();
      controller = new AbortController();
    },
  };
}

const FIRST_MS = 500;
const MAX_MS = 30_000;

/** Returns the delay after this many failures in a row. It is random, so that visitors do not return all at once. */
export function retryDelay(failures: number): number {
  return Math.min(FIRST_MS * 2 ** failures, MAX_MS) * (0.75 + Math.random() / 2);
}
