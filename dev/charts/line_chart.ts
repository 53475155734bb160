import type { LineChart } from "./chart.ts";
import { renderSvg } from "./render_svg.ts";

/** Draws lines over a logarithmic axis of messages. */
export function lineChart({ title, unit, logarithmic, lines }: LineChart): string {
  const several = lines.length > 1;
  return renderSvg({
    title: { text: title, left: "center", textStyle: { fontSize: 15 } },
    legend: { show: several, orient: "vertical", left: 530, top: "middle", itemGap: 14 },
    grid: { left: 70, right: several ? 250 : 50, top: 50, bottom: 50 },
    xAxis: {
      type: "log",
      name: "messages of history",
      nameLocation: "middle",
      nameGap: 28,
      min: "dataMin",
      axisLabel: { formatter: (value: number) => value.toLocaleString("en") },
    },
    yAxis: {
      type: logarithmic ? "log" : "value",
      name: unit,
      nameLocation: "middle",
      nameGap: 50,
      ...logarithmic ? {} : { min: 0 },
      axisLabel: { formatter: (value: number) => value.toLocaleString("en") },
    },
    series: lines.map(({ name, points }) => ({
      type: "line" as const,
      name,
      data: points,
      symbol: "circle",
      symbolSize: 7,
    })),
  }, 400);
}
