const PAUSE_MS = 20;

/**
 * Repeats an assertion until it holds, for effects of another process or a webhook. Returns what the assertion returns.
 *
 * @param withinMs how long it may take; then the last failure is thrown
 */
export async function eventually<Result>(
  assertion: () => Promise<Result> | Result,
  withinMs = 60_000,
): Promise<Result> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/**
 * As `eventually`, for work that takes as long as the machine needs: fails when nothing has moved, that is when the
 * assertion has failed with one and the same message for `stuckMs`.
 */
export async function inTheEnd<Result>(
  assertion: () => Promise<Result> | Result,
  stuckMs = 90_000,
): Promise<Result> {
  let failure = "";
  let movedAt = Date.now();
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      const { message } = error as Error;
      if (message !== failure) movedAt = Date.now();
      failure = message;
      if (Date.now() > movedAt + stuckMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}
