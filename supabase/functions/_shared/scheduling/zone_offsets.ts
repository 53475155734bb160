import { IANAZone } from "luxon";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** A stretch of time during which a zone's clocks have one offset, in milliseconds. */
export interface OffsetSpan {
  from: number;
  until: number;
  offset: number;
}

/**
 * Returns the offsets of a zone on `days` days of UTC from day number `firstDay`, in order. A zone that does not exist is
 * UTC. At most one change per day is found; no zone ever had two.
 */
export function offsetSpans(zone: string, firstDay: number, days: number): OffsetSpan[] {
  const known = IANAZone.isValidZone(zone) ? IANAZone.create(zone) : undefined;
  const offsetAt = (at: number) => known === undefined ? 0 : known.offset(at) * MINUTE_MS;
  const from = firstDay * DAY_MS;
  const spans: OffsetSpan[] = [{ from, until: from, offset: offsetAt(from) }];
  for (let day = 1; day <= days; day++) {
    const end = from + day * DAY_MS;
    const offset = offsetAt(end);
    const last = spans.at(-1)!;
    if (offset !== last.offset) {
      last.until = changeBetween(end - DAY_MS, end, offsetAt);
      spans.push({ from: last.until, until: end, offset });
    }
    spans.at(-1)!.until = end;
  }
  return spans;
}

/** Returns the first moment of the offset at `end`, to the second. */
function changeBetween(start: number, end: number, offsetAt: (at: number) => number): number {
  const after = offsetAt(end);
  let [low, high] = [start, end];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetAt(middle) === after) high = middle;
    else low = middle;
  }
  return high;
}
