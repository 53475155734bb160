import { runDevProgram } from "../../cli/dev_program.ts";
import type { Chart } from "../../dev/charts/chart.ts";

/** Draws charts as SVG, by file name. */
export function drawCharts(charts: Record<string, Chart>): Promise<Record<string, string>> {
  return runDevProgram("draw_charts.ts", charts);
}
