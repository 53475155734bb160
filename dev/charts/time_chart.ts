import type { TimeChart } from "./chart.ts";
import { renderSvg } from "./render_svg.ts";

/** Draws lines over minutes. */
export function timeChart({ title, unit, lines }: TimeChart): string {
  return renderSvg({
    title: { text: title, left: "center", textStyle: { fontSize: 15 } },
    legend: { orient: "vertical", left: 590, top: "middle", itemGap: 14 },
    grid: { left: 70, right: 190, top: 50, bottom: 50 },
    xAxis: { type: "value", name: "minutes", nameLocation: "middle", nameGap: 28, max: "dataMax" },
    yAxis: {
      type: "value",
      name: unit,
      nameLocation: "middle",
      nameGap: 50,
      min: 0,
      axisLabel: { formatter: (value: number) => value.toLocaleString("en") },
    },
    series: lines.map(({ name, points }) => ({
      type: "line" as const,
      name,
      data: points,
      symbol: "none",
      lineStyle: { width: 1.5 },
    })),
  }, 320);
}
