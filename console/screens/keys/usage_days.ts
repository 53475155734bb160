import type { UsageOfDay } from "../../data/sdk.ts";

const DAY_MS = 86_400_000;

/** The use of all keys on a day. */
export interface DayOfUsage {
  /** Its midnight in UTC, in milliseconds since 1970. */
  at: number;
  notifications: number;
  requests: number;
}

/** Returns the date in UTC, as the API writes it. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}

/** Returns the last days, oldest first, with those on which nothing was done. */
export function daysOf(rows: UsageOfDay[], days: number): DayOfUsage[] {
  const last = Date.parse(today());
  const all = Array.from({ length: days }, (_, index) => ({
    at: last - (days - 1 - index) * DAY_MS,
    notifications: 0,
    requests: 0,
  }));
  for (const { day, notifications, requests } of rows) {
    const found = all.find(({ at }) => at === Date.parse(day));
    if (found === undefined) continue;
    found.notifications += notifications;
    found.requests += requests;
  }
  return all;
}
