import { api, ask } from "../../data/client.ts";
import { companyId } from "../../data/company.ts";
import { type Sums, sumsOf } from "../../data/history_sums.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { type EstimatedCost, getHistory, type HistoryRow } from "../../data/sdk.ts";
import { ownZone } from "../../data/zoned_time.ts";
import { HOUR_MS, type Period, PERIODS } from "./periods.ts";

type PeriodSums = Sums & { cost: EstimatedCost | null };

/** A period, and the one before. */
export interface PeriodData {
  /** The rows of the chart. */
  rows: HistoryRow[];
  now: PeriodSums;
  /** The period of the same length before it. */
  before: PeriodSums;
}

/** Reads what happened in a period, and in the one before. */
export function usePeriod(period: Period): Query<PeriodData> {
  const company_id = companyId();
  return useQuery(`period ${company_id} ${period}`, async (signal) => {
    const { hours, step } = PERIODS[period];
    const now = Date.now();
    // Whole hours are kept: the period ends with the one that goes on.
    const from = Math.floor(now / HOUR_MS) * HOUR_MS - (hours - 1) * HOUR_MS;
    const timezone = ownZone();
    const read = (from: number, to: number) =>
      ask(getHistory({
        client: api(),
        path: { company_id },
        query: { from: time(from), to: time(to), step, timezone },
        signal,
      }));
    const [current, before] = await Promise.all([read(from, now), read(from - (now - from), from)]);
    return {
      rows: current.rows,
      now: { ...sumsOf(current.rows), cost: current.estimated_cost },
      before: { ...sumsOf(before.rows), cost: before.estimated_cost },
    };
  });
}

function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}
