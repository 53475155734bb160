import { openIntervals } from "../scheduling/open_intervals.ts";
import type { ChatConfig } from "./widget_config.ts";

const DAY_MS = 86_400_000;

/** How far ahead a widget knows its hours. */
const DAYS_AHEAD = 31;
const MAX_TIMES = 20;

/** Times at which members reply, in order: each begins at `from`, and ends before `until`. */
export interface OpenTime {
  from: string;
  until: string;
}

/**
 * Returns when members reply, from now on and up to a month ahead: the time that is going on, and the next ones. The hours
 * are those of the clock on the wall in their zone; holidays have none.
 */
export function openTimes(
  { timezone, days, holidays }: NonNullable<ChatConfig["office_hours"]>,
  now: Date,
): OpenTime[] {
  const closed = new Set(holidays.map((date) => Date.parse(date) / DAY_MS));
  const today = Math.floor(now.getTime() / DAY_MS);
  const hours = { zone: timezone, windows: days, isClosed: (day: number) => closed.has(day) };
  return openIntervals(hours, { firstDay: today - 1, days: DAYS_AHEAD + 1 })
    .filter(([, until]) => until > now.getTime())
    .slice(0, MAX_TIMES)
    .map(([from, until]) => ({ from: new Date(from).toISOString(), until: new Date(until).toISOString() }));
}
