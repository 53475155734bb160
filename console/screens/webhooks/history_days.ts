import type { WebhookHour } from "../../data/sdk.ts";

/** The tries of a day in the viewer's time zone. */
export interface DayOfHistory {
  /** Its date, by which it is known. */
  day: string;
  /** The beginning of an hour in it. */
  at: string;
  succeeded: number;
  failed: number;
}

/** Sums hours up to days, in the order of the hours. */
export function daysOfHistory(hours: WebhookHour[]): DayOfHistory[] {
  const days = new Map<string, DayOfHistory>();
  for (const { hour, succeeded, failed } of hours) {
    const day = new Date(hour).toDateString();
    const known = days.get(day) ?? { day, at: hour, succeeded: 0, failed: 0 };
    days.set(day, {
      ...known,
      succeeded: known.succeeded + succeeded,
      failed: known.failed + failed,
    });
  }
  return [...days.values()];
}
