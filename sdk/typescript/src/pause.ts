/** Waits, and throws the reason of `signal` as soon as that aborts. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  signal?.throwIfAborted();
  const abort = () => reject(signal!.reason);
  const timer = setTimeout(resolve, ms);
  signal?.addEventListener("abort", abort);
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}
