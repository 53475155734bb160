const PAUSE_MS = 20;

/**
 * Repeats an assertion until it holds, for effects of another process or a webhook. Returns what the assertion returns.
 *
 * @param withinMs how long it may take; then the last failure is thrown
 */
export async function eventually<Result>(
  assertion: () => Promise<Result> | Result,
  withinMs = 10_000,
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
