import type { HistoryRow } from "../../data/sdk.ts";

/** The history is kept by hours. */
export const HOUR_MS = 3_600_000;

/** The periods to choose from, in hours, and the steps of their charts. */
export const PERIODS = {
  "24h": { hours: 24, step: "hour" },
  "7d": { hours: 7 * 24, step: "day" },
  "30d": { hours: 30 * 24, step: "day" },
} as const;

export type Period = keyof typeof PERIODS;

/** Returns the period that the address names. */
export function periodOf(query: Record<string, string>): Period {
  return (Object.keys(PERIODS) as Period[]).find((each) => each === query.period) ?? "24h";
}

/** Returns a value for each step of a period, zero where nothing happened. */
export function stepsOf(
  rows: Pick<HistoryRow, "start" | "sent" | "failed">[],
  period: Period,
  now: number,
): { at: number; sent: number; failed: number }[] {
  const { hours, step } = PERIODS[period];
  const known = new Map(rows.map((row) => [Date.parse(row.start), row]));
  return startsOf(hours, step, now).map((at) => {
    const { sent = 0, failed = 0 } = known.get(at) ?? {};
    return { at, sent, failed };
  });
}

/** Days begin at midnight of the viewer, which is not always 24 hours after the one before. */
function startsOf(hours: number, step: "hour" | "day", now: number): number[] {
  const first = Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
  if (step === "hour") return Array.from({ length: hours }, (_, index) => first + index * HOUR_MS);
  const day = new Date(first);
  day.setHours(0, 0, 0, 0);
  const starts: number[] = [];
  for (; day.getTime() <= now; day.setDate(day.getDate() + 1)) starts.push(day.getTime());
  return starts;
}
