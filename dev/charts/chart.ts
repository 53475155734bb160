/** Contestants at the same work. */
export interface BarChart {
  kind: "bar";
  title: string;
  /** The meaning of the values, with their unit. */
  unit: string;
  /** The first is ours. */
  bars: { name: string; value: number }[];
}

/** Some lines over the size of the history. */
export interface LineChart {
  kind: "line";
  title: string;
  /** The meaning of the values, with their unit. */
  unit: string;
  /** Logarithmic values, for lines that are far from each other. */
  logarithmic: boolean;
  /** Of each line the points [messages of history, value]. */
  lines: { name: string; points: [number, number][] }[];
}

/** Some lines over the minutes of a run. */
export interface TimeChart {
  kind: "time";
  title: string;
  /** The meaning of the values. */
  unit: string;
  /** Of each line the points [minute, value]. */
  lines: { name: string; points: [number, number][] }[];
}

/** A chart of one of the kinds, as data. */
export type Chart = BarChart | LineChart | TimeChart;
