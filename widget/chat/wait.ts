/** Waits, but no longer than until the browser is online again, the page is looked at again, or one of `signals` says so. */
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

const FIRST_MS = 500;
const LONGEST_MS = 30_000;

/** How long to wait after so many failures in a row; spread, so that not all visitors come back in the same moment. */
export function retryDelay(failures: number): number {
  return Math.min(FIRST_MS * 2 ** failures, LONGEST_MS) * (0.75 + Math.random() / 2);
}
