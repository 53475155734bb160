import { type EChartsOption, init } from "echarts";

const WIDTH = 760;

/** The options all charts share: readable on any page, whatever its background. */
const COMMON = {
  animation: false,
  backgroundColor: "#fff",
  textStyle: { fontFamily: "system-ui, sans-serif", color: "#222" },
  color: ["#0b6e99", "#d9730d", "#6940a5", "#0f7b6c", "#ad1a72", "#b58900", "#444", "#c0392b"],
} satisfies EChartsOption;

/** Draws a chart as SVG, without a browser. `height` in pixels. */
export function renderSvg(option: EChartsOption, height: number): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: WIDTH, height });
  chart.setOption({ ...COMMON, ...option });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}
