const PAUSE_MS = 20;

/**
 * Tries an assertion again and again until it holds, for what another process or a webhook brings about; answers what
 * the assertion does.
 *
 * @param withinMs how long it may take; its last failure is thrown then
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
