import type { BarChart } from "./chart.ts";
import { renderSvg } from "./render_svg.ts";

const OURS = "#0b6e99";
const THEIRS = "#b9c3cb";

/** Draws a lying bar a contestant, with its value behind it. */
export function barChart({ title, unit, bars }: BarChart): string {
  return renderSvg({
    title: { text: title, left: "center", textStyle: { fontSize: 15 } },
    grid: { left: 210, right: 70, top: 45, bottom: 50 },
    xAxis: {
      type: "value",
      name: unit,
      nameLocation: "middle",
      nameGap: 30,
      axisLabel: { formatter: (value: number) => value.toLocaleString("en") },
    },
    yAxis: { type: "category", inverse: true, data: bars.map(({ name }) => name), axisTick: { show: false } },
    series: [{
      type: "bar",
      barWidth: "60%",
      data: bars.map(({ value }, index) => ({ value, itemStyle: { color: index === 0 ? OURS : THEIRS } })),
      label: {
        show: true,
        position: "right",
        formatter: ({ value }) => Math.round(Number(value)).toLocaleString("en"),
      },
    }],
  }, 110 + 34 * bars.length);
}
