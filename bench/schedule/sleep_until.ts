/** Waits until a time, in milliseconds since 1970. */
export async function sleepUntil(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms - Date.now())));
}
