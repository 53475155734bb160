import { readBillingCurrency } from "../db/access/companies.ts";
import type { HistoryRow } from "../db/campaigns/history.ts";
import { readRateDays } from "../db/campaigns/rates.ts";
import type { Sql } from "../db/driver/connect.ts";
import { type Estimate, estimateCost } from "./estimate.ts";

/** Returns what the priced messages of a history cost, in total and per row; "0" for a row without any. */
export async function historyCost(sql: Sql, companyId: string, rows: HistoryRow[]): Promise<Estimate> {
  const priced = rows.filter((row) => row.priced > 0);
  const rateDays = await readRateDays(sql);
  const { total, costs } = await estimateCost(
    sql,
    priced.map(({ country, category, priced, day }) => ({
      country,
      category,
      messages: priced,
      // Days between two changes of the card have the same rates, so they are looked up together.
      day: rateDays.find((from) => from <= day!) ?? day!,
    })),
    await readBillingCurrency(sql, companyId),
  );
  const costOf = new Map(priced.map((row, index) => [row, costs[index]!]));
  return { total, costs: rows.map((row) => costOf.has(row) ? costOf.get(row)! : "0") };
}
