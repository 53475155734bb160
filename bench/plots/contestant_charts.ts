import type { Results } from "../output/results.ts";
import type { Chart } from "../../dev/charts/chart.ts";

/** The measures that have contestants, and what their figures count. */
const UNITS: Record<string, string> = {
  intake: "requests per second",
  bulk: "contacts per second",
  dispatch: "messages per second",
};

/** The charts of `bench/results.json`, by file name: of each measure with contestants its first work. */
export function contestantCharts({ measures }: Results): Record<string, Chart> {
  const charts: Record<string, Chart> = {};
  for (const [measure, { rows }] of Object.entries(measures)) {
    const unit = UNITS[measure];
    const [first] = rows;
    if (unit === undefined || first === undefined) continue;
    const compared = rows.filter(({ work, theirs }) => work === first.work && isRate(theirs));
    const bars = [
      { name: "ours", value: rateOf(first.ours) },
      ...compared.map(({ against, theirs }) => ({ name: against, value: rateOf(theirs) })),
    ];
    charts[`${measure}.svg`] = { kind: "bar", title: first.work, unit, bars };
  }
  return charts;
}

function isRate(figure: string): boolean {
  return figure.endsWith("/s");
}

function rateOf(figure: string): number {
  return Number(figure.slice(0, -"/s".length).replaceAll(",", ""));
}
