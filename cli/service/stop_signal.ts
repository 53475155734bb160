/** One Ctrl-C reaches the process twice, from the terminal and from `deno task`. */
const SAME_REQUEST_MS = 1000;

/**
 * A signal that aborts when the process is asked to stop, by Ctrl-C or SIGTERM. Whoever asks again a moment later does
 * not want to wait: the process ends at once.
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
