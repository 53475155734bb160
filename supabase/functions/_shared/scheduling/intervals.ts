/** A stretch of time in milliseconds since 1970: the first moment inside, and the first that is outside again. */
export type Interval = [from: number, until: number];

/** Returns the same time as few intervals in order. */
export function mergeIntervals(intervals: Interval[]): Interval[] {
  const merged: Interval[] = [];
  for (const [from, until] of intervals.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], until);
    else merged.push([from, until]);
  }
  return merged;
}

/** Returns the time that is in both lists. Each list is in order and without overlaps. */
export function intersectIntervals(some: Interval[], others: Interval[]): Interval[] {
  const both: Interval[] = [];
  let [i, j] = [0, 0];
  while (i < some.length && j < others.length) {
    const from = Math.max(some[i]![0], others[j]![0]);
    const until = Math.min(some[i]![1], others[j]![1]);
    if (from < until) both.push([from, until]);
    if (some[i]![1] < others[j]![1]) i++;
    else j++;
  }
  return both;
}
