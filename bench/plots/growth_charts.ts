import type { Growth, GrowthCost } from "../growth/growth_step.ts";
import type { Chart } from "../../dev/charts/chart.ts";

/** The charts of `bench/growth.json`, by file name. */
export function growthCharts({ steps }: Growth): Record<string, Chart> {
  const linesOf = (value: keyof Omit<GrowthCost, "work">) =>
    steps[0]!.costs.map(({ work }, index) => ({
      name: work,
      points: steps.map(({ history, costs }): [number, number] => [history, costs[index]![value]]),
    }));
  return {
    "growth_time.svg": {
      kind: "line",
      title: "Time in the database",
      unit: "microseconds, median",
      logarithmic: true,
      lines: linesOf("us"),
    },
    "growth_pages.svg": {
      kind: "line",
      title: "Pages the database looks at",
      unit: "pages of 8 KiB, median",
      logarithmic: true,
      lines: linesOf("pages"),
    },
    "growth_intake.svg": {
      kind: "line",
      title: "POST /notify for one contact, 32 connections",
      unit: "requests per second, median",
      logarithmic: false,
      lines: [{
        name: "POST /notify",
        points: steps.map(({ history, intake }) => [history, intake.per_second]),
      }],
    },
  };
}
