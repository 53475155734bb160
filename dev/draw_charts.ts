import { respond } from "./respond.ts";
import { barChart } from "./charts/bar_chart.ts";
import type { Chart } from "./charts/chart.ts";
import { lineChart } from "./charts/line_chart.ts";
import { timeChart } from "./charts/time_chart.ts";

function draw(chart: Chart): string {
  switch (chart.kind) {
    case "bar":
      return barChart(chart);
    case "line":
      return lineChart(chart);
    case "time":
      return timeChart(chart);
  }
}

/** Draws charts, by file name, as SVG. */
if (import.meta.main) {
  await respond((charts: Record<string, Chart>) =>
    Object.fromEntries(Object.entries(charts).map(([name, chart]) => [name, draw(chart)]))
  );
}
