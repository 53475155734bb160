/** The most series of one metric: labels have few values, and one that has more than expected must not fill memory. */
const MAX_SERIES = 2000;
const OVERFLOW = "other";

/** One series of a metric: the values of its labels, in the order of the label names. */
export interface Series<Value> {
  labels: string[];
  value: Value;
}

/** The name and the meaning of a metric, and the labels that split it. */
export interface MetricDefinition {
  name: string;
  help: string;
  labelNames: readonly string[];
}

/** A number that only grows, per combination of labels. */
export interface Counter extends MetricDefinition {
  kind: "counter";
  add(labels: readonly string[], by?: number): void;
  series(): Iterable<Series<number>>;
}

/** Observed durations in seconds, per combination of labels. */
export interface Histogram extends MetricDefinition {
  kind: "histogram";
  /** The upper bounds of the buckets, ascending, without infinity. */
  bounds: readonly number[];
  observe(labels: readonly string[], seconds: number): void;
  series(): Iterable<Series<Observations>>;
}

/** The observations of a histogram. */
export interface Observations {
  /** Per bucket, not cumulated; the last one is above all bounds. */
  counts: number[];
  sum: number;
  count: number;
}

/**
 * Creates a counter at zero. Where all values of its labels are known beforehand, every series is exported as 0 from the
 * start: Prometheus sees no growth in a series that begins with its first event, so no alert would fire for that one.
 *
 * @param labels each with the values that are known beforehand; none where a value may be anything
 */
export function createCounter(
  name: string,
  help: string,
  labels: Record<string, readonly string[]> = {},
): Counter {
  const labelNames = Object.keys(labels);
  const table = createTable(labelNames, () => 0);
  Object.values(labels)
    .reduce<string[][]>((rows, values) => rows.flatMap((row) => values.map((value) => [...row, value])), [[]])
    .forEach((row) => table.find(row));
  return {
    kind: "counter",
    ...{ name, help, labelNames },
    add(labels, by = 1) {
      table.find(labels).value += by;
    },
    series: table.all,
  };
}

/** Creates an empty histogram. */
export function createHistogram(
  name: string,
  help: string,
  { labelNames = [], bounds }: { labelNames?: readonly string[]; bounds: readonly number[] },
): Histogram {
  const table = createTable<Observations>(labelNames, () => ({
    counts: new Array(bounds.length + 1).fill(0),
    sum: 0,
    count: 0,
  }));
  return {
    kind: "histogram",
    ...{ name, help, labelNames, bounds },
    observe(labels, seconds) {
      const { value } = table.find(labels);
      let bucket = 0;
      while (bucket < bounds.length && seconds > bounds[bucket]!) bucket++;
      value.counts[bucket]!++;
      value.sum += seconds;
      value.count++;
    },
    series: table.all,
  };
}

function createTable<Value>(labelNames: readonly string[], empty: () => Value) {
  const table = new Map<string, Series<Value>>();

  function find(labels: readonly string[]): Series<Value> {
    const known = table.get(labels.join("\n"));
    if (known) return known;
    const kept = table.size < MAX_SERIES ? [...labels] : labelNames.map(() => OVERFLOW);
    const id = kept.join("\n");
    const series = table.get(id) ?? { labels: kept, value: empty() };
    table.set(id, series);
    return series;
  }

  return { find, all: () => table.values() };
}
