import { useEffect, useRef, useState } from "preact/hooks";
import type uPlotClass from "uplot";
import { theme } from "../../data/theme.ts";
import { count, moment } from "../../i18n/format.ts";
import { words } from "../../i18n/words.ts";

export interface Series {
  name: string;
  /** One of the chart's colours in `styles/tokens.css`. */
  tone: "accent" | "good" | "bad" | "warn";
  values: (number | null)[];
  /** Bars for sums of a stretch of time; a line if left out. */
  shape?: "bars";
}

interface TimeChartProps {
  /** Names it as a heading would. */
  label: string;
  /** Milliseconds since 1970, ascending. */
  times: number[];
  series: Series[];
  /** Each time begins a minute, an hour or a day; moments if left out. */
  step?: keyof typeof STEPS_S | undefined;
  /** Whose days they are; the viewer's if left out. */
  zone?: "UTC" | undefined;
}

const HEIGHT = 180;

const MIN_RANGE_S = 300;

/** The clock of an axis shows no seconds. */
const DAY_S = 86_400;

const STEPS_S = { minute: 60, hour: 3600, day: DAY_S };

const WHOLE_MINUTES_S = [60, 120, 300, 600, 1800, 3600, 10_800, 21_600, DAY_S];

const WHOLE_DAYS_S = [1, 2, 7, 14].map((days) => days * DAY_S);

/** Values over time, with the same as a table. The library is loaded with the first chart. */
export function TimeChart({ label, times, series, step, zone }: TimeChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlotClass | undefined>(undefined);
  const [isLoaded, setLoaded] = useState(false);
  const names = series.map(({ name }) => name).join();
  const data = [
    times.map((time) => time / 1000),
    // A line along the axis would cover that of another series, and a bar of nothing is a line.
    ...series.map(({ values, shape }) => {
      const isEmpty = !values.some((value) => value);
      return shape === "bars" || isEmpty ? values.map((value) => value || null) : values;
    }),
  ] as uPlotClass.AlignedData;

  useEffect(() => {
    let isGone = false;
    const watcher = new ResizeObserver(([entry]) =>
      chart.current?.setSize({ width: Math.floor(entry!.contentRect.width), height: HEIGHT })
    );
    void import("uplot").then(({ default: uPlot }) => {
      if (isGone || !box.current) return;
      chart.current = new uPlot(optionsOf(uPlot, box.current, { series, step, zone }), data, box.current);
      watcher.observe(box.current);
      setLoaded(true);
    });
    return () => {
      isGone = true;
      watcher.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [names, step, theme.value]);
  useEffect(() => chart.current?.setData(data), [times, series, isLoaded]);

  return (
    <figure class="chart">
      <figcaption>
        <span class="unseen">{label}</span>
        {series.map(({ name, tone }) => <span key={name} class={`chart-key ${tone}`}>{name}</span>)}
      </figcaption>
      <div ref={box} class="chart-box" aria-hidden="true" />
      <details>
        <summary>{words().common.showTable}</summary>
        <div class="chart-table" tabIndex={0} role="region" aria-label={label}>
          <table>
            <thead>
              <tr>
                <th scope="col">{step === "day" ? words().common.day : words().common.time}</th>
                {series.map(({ name }) => <th key={name} scope="col" class="end">{name}</th>)}
              </tr>
            </thead>
            <tbody>
              {times.map((time, row) => (
                <tr key={time}>
                  <th scope="row">{step === "day" ? dayOf(time, zone) : moment(time)}</th>
                  {series.map(({ name, values }) => <td key={name} class="end">{count(values[row] ?? 0)}
                  </td>)}
                </tr>
              )).reverse()}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}

/** The canvas knows no custom properties, so the colours are read when it is made. */
function optionsOf(
  uPlot: typeof uPlotClass,
  box: HTMLElement,
  { series, step, zone }: Pick<TimeChartProps, "series" | "step" | "zone">,
): uPlotClass.Options {
  const isDays = step === "day";
  // The first and the last bar have half of their width beside them.
  const halfS = step ? STEPS_S[step] / 2 : 0;
  const color = (name: string) => colorOf(box, name);
  const axis = { stroke: color("--text-soft"), font: "12px system-ui", ticks: { show: false } };
  return {
    width: Math.floor(box.clientWidth),
    height: HEIGHT,
    // The last label is wider than half a step.
    padding: [8, 32, 0, 0],
    legend: { show: false },
    cursor: { y: false },
    ...(zone && { tzDate: (at: number) => uPlot.tzDate(new Date(at * 1000), `Etc/${zone}`) }),
    scales: {
      x: {
        range: (_, from, to) => // A line of a few seconds would look like a trend.
        [Math.min(from - halfS, to - (isDays ? 0 : MIN_RANGE_S)), to + halfS],
      },
      y: { range: (_, __, top) => [0, Math.max(5, top * 1.1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: isDays ? WHOLE_DAYS_S : WHOLE_MINUTES_S,
        values: (_, at) =>
          at.map((time) => isDays ? dayOf(time * 1000, zone) : moment(time * 1000, { style: "clock" })),
      },
      {
        ...axis,
        size: 48,
        grid: { stroke: color("--line"), width: 1 },
        values: (_, at) => at.map((value) => Number.isInteger(value) ? count(value) : ""),
      },
    ],
    series: [
      {},
      ...series.map(({ name, tone, shape }) => ({
        label: name,
        ...(shape === "bars" &&
          { paths: uPlot.paths.bars!({ size: [0.6, 32] }), fill: color(`--chart-${tone}`) }),
        stroke: color(`--chart-${tone}`),
        width: 2,
        points: { show: false },
      })),
    ],
  };
}

function dayOf(time: number, zone: "UTC" | undefined): string {
  return moment(time, { zone, style: "day" });
}

/** `light-dark()` has a value only as a color of an element. */
function colorOf(box: HTMLElement, name: string): string {
  box.style.color = `var(${name})`;
  const { color } = getComputedStyle(box);
  box.style.color = "";
  return color;
}
