import { IANAZone } from "luxon";
import { WEEKDAYS, type WeekWindows } from "./week_windows.ts";

/** A stretch of time in milliseconds since 1970: the first moment inside, and the first that is outside again. */
export type Interval = [from: number, until: number];

/** Returns the same time as few intervals in order. */
function mergeIntervals(intervals: Interval[]): Interval[] {
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

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** 1 January 1970 was a Thursday. */
const WEEKDAY_OF_DAY_0 = 4;
/** So that a clock change right before the first day is seen. */
const DAYS_BEFORE = 1;

/** The hours of a week by the clocks of one zone. */
export interface ZoneHours {
  zone: string;
  windows: WeekWindows;
  /** Whether a day, counted from 1970, has no windows. */
  isClosed: (day: number) => boolean;
}

/** Some days of UTC, counted from 1970. */
export interface DayRange {
  firstDay: number;
  days: number;
}

/**
 * Returns when the hours are open on some days of UTC. The hours are those that a clock on the wall shows: in an hour that
 * happens twice they are open twice. Where a clock change skips the time at which a window begins, the window begins later
 * by the length of the gap; a window that lies in the gap does not open.
 */
export function openIntervals({ zone, windows, isClosed }: ZoneHours, range: DayRange): Interval[] {
  const spans = spansOf(zone, range);
  const open: Interval[] = [];
  spans.forEach((span, index) => {
    const { offset } = span;
    // The wall clock before the change at which this span begins.
    const offsetBefore = spans[index - 1]?.offset ?? offset;
    const lastDay = Math.floor((span.until - 1 + offset) / DAY_MS);
    for (let day = Math.floor((span.from + offset) / DAY_MS); day <= lastDay; day++) {
      const weekday = WEEKDAYS[(day + WEEKDAY_OF_DAY_0) % 7]!;
      const ofDay = windows[weekday] ?? [];
      if (ofDay.length === 0 || isClosed(day)) continue;
      for (const [begins, ends] of ofDay) {
        const begin = day * DAY_MS + minutesOf(begins) * MINUTE_MS;
        const isSkipped = begin >= span.from + offsetBefore && begin < span.from + offset;
        const from = Math.max(begin - (isSkipped ? offsetBefore : offset), span.from);
        const until = Math.min(day * DAY_MS + minutesOf(ends) * MINUTE_MS - offset, span.until);
        if (from < until) open.push([from, until]);
      }
    }
  });
  const [first, last] = [range.firstDay * DAY_MS, (range.firstDay + range.days) * DAY_MS];
  return mergeIntervals(open)
    .map(([from, until]): Interval => [Math.max(from, first), Math.min(until, last)])
    .filter(([from, until]) => from < until);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
}

/** An offset takes the engine 5 µs, and a country may have thirty zones. */
const knownSpans = new Map<string, OffsetSpan[]>();
const MAX_KNOWN_SPANS = 2000;

function spansOf(zone: string, { firstDay, days }: DayRange): OffsetSpan[] {
  const id = `${zone} ${firstDay} ${days}`;
  let spans = knownSpans.get(id);
  if (spans === undefined) {
    spans = offsetSpans(zone, firstDay - DAYS_BEFORE, days + DAYS_BEFORE);
    if (knownSpans.size >= MAX_KNOWN_SPANS) knownSpans.clear();
    knownSpans.set(id, spans);
  }
  return spans;
}

/** A stretch of time during which a zone's clocks have one offset, in milliseconds. */
interface OffsetSpan {
  from: number;
  until: number;
  offset: number;
}

/**
 * Returns the offsets of a zone on `days` days of UTC from day number `firstDay`, in order. A zone that does not exist is
 * UTC. At most one change per day is found; no zone ever had two.
 */
function offsetSpans(zone: string, firstDay: number, days: number): OffsetSpan[] {
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
