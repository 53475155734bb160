/** A `fetch` that gives up after `timeoutMs`, for libraries that would wait for ever. */
export function fetchInTime(timeoutMs: number): typeof fetch {
  return (input, init) => fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs) });
}
