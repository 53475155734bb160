/** One Ctrl-C reaches the process twice, from the terminal and from `deno task`. */
const SAME_REQUEST_MS = 1000;

/**
 * Returns a signal that aborts when the process is asked to stop, by Ctrl-C or SIGTERM. A second request more than a
 * second later ends the process at once.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let askedAt = 0;
  const stop = () => {
    if (controller.signal.aborted && Date.now() - askedAt > SAME_REQUEST_MS) Deno.exit(130);
    if (controller.signal.aborted) return;
    askedAt = Date.now();
    controller.abort();
  };
  Deno.addSignalListener("SIGINT", stop);
  // Windows has no SIGTERM.
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", stop);
  return controller.signal;
}

/** Waits for some work, but no longer than `ms` milliseconds; returns whether it was done by then. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), ms);
  try {
    return await Promise.race([work.then(() => true), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
