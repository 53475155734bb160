import type { HistoryRow } from "./sdk.ts";

const SUMS = ["sent", "delivered", "read", "replied", "failed"] as const;

/** The outcomes of messages. */
export type Sums = Record<typeof SUMS[number], number>;

/** Adds up the rows of a history. */
export function sumsOf(rows: Pick<HistoryRow, keyof Sums>[]): Sums {
  const sums = SUMS.map((name) => [name, rows.reduce((total, row) => total + row[name], 0)]);
  return Object.fromEntries(sums) as Sums;
}

/** Adds up the rows of each template or sender, by its id. */
export function sumsByKey(rows: HistoryRow[]): Map<string | null, Sums> {
  const groups = Map.groupBy(rows, ({ key }) => key);
  return new Map([...groups].map(([key, same]) => [key, sumsOf(same)]));
}
