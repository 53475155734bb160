/** Calls `work` at most once in `ms` milliseconds; what comes in between is left out. */
export function oncePer<Args extends unknown[]>(
  ms: number,
  work: (...args: Args) => void,
): (...args: Args) => void {
  let last = -Infinity;
  return (...args) => {
    if (performance.now() - last < ms) return;
    last = performance.now();
    work(...args);
  };
}
