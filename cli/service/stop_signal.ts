/**
 * A signal that aborts when the process is asked to stop, by Ctrl-C or SIGTERM. Whoever asks a second time does not
 * want to wait: the process ends at once.
 */
export function stopSignal(): AbortSignal {
  const controller = new AbortController();
  const stop = () => {
    if (controller.signal.aborted) Deno.exit(130);
    controller.abort();
  };
  Deno.addSignalListener("SIGINT", stop);
  // Windows has no SIGTERM.
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGTERM", stop);
  return controller.signal;
}
