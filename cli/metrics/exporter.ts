import { type Metric, Registry } from "prom-client";
import { createExpiringCache } from "../../supabase/functions/_shared/concurrency/expiring_cache.ts";
import type { OperatingFigures } from "../../supabase/functions/_shared/db/queue/operating_figures.ts";
import type { Metrics } from "../../supabase/functions/_shared/telemetry/metrics.ts";
import type { Counter, Histogram } from "../../supabase/functions/_shared/telemetry/series.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { DATABASE_GAUGES, DATABASE_READ, type Gauge, PROCESS_GAUGES, type ProcessFigures } from "./gauges.ts";

/** Any number of scrapes cost the database one query per this time. */
const FIGURES_MS = 5000;
/** Less than the time-out of a scrape. */
const MAX_WAIT_MS = 4000;

/** A database whose figures are shown. */
export interface ReadDatabase {
  /** Of its figures: which cell it is, where there are several. */
  labels: Record<string, string>;
  readFigures: () => Promise<OperatingFigures>;
}

/** Writes the figures of a process and of its databases in Prometheus' text format. */
export interface Exporter {
  contentType: string;
  /** Never rejects because of a database: its figures are then left out. */
  write(): Promise<string>;
}

/** One line of the exposition, as prom-client writes it. */
interface Sample {
  metricName?: string;
  labels: Record<string, string | number>;
  value: number;
}

/**
 * Creates the exporter. prom-client formats; what the service counts is read where it was counted.
 *
 * @param databases their failures are passed to `onError`
 */
export function createExporter(
  { metrics, databases, onError }: {
    metrics: Metrics;
    databases: ReadDatabase[];
    onError: (error: unknown) => void;
  },
): Exporter {
  const registry = new Registry();
  const sources = databases.map(({ labels, readFigures }) => ({
    labels,
    figures: createExpiringCache(() => readFigures(), { ttlMs: FIGURES_MS, maxEntries: 1 }),
  }));
  let current: { labels: Record<string, string>; figures: OperatingFigures | undefined }[] = [];
  const own: ProcessFigures = { version: VERSION, pool: metrics.pool, eventLoopDelayS: 0 };
  for (const metric of Object.values(metrics)) {
    if ("kind" in metric) register(registry, metric, () => samplesOf(metric));
  }
  for (const gauge of DATABASE_GAUGES) {
    register(
      registry,
      gauge,
      () => current.flatMap(({ labels, figures }) => figures ? valuesOf(gauge, figures, labels) : []),
    );
  }
  for (const gauge of PROCESS_GAUGES) register(registry, gauge, () => valuesOf(gauge, own));
  register(
    registry,
    DATABASE_READ,
    () => current.flatMap(({ labels, figures }) => valuesOf(DATABASE_READ, figures !== undefined, labels)),
  );
  return {
    contentType: registry.contentType,
    async write() {
      current = await Promise.all(sources.map(async ({ labels, figures }) => ({
        labels,
        figures: await within(MAX_WAIT_MS, figures.get("figures")).catch((error) => {
          onError(error);
          return undefined;
        }),
      })));
      own.eventLoopDelayS = await eventLoopDelayS();
      return await registry.metrics();
    },
  };
}

/** Registers a metric whose samples are read with each scrape: the registry only asks a metric for `get`. */
function register(
  registry: Registry,
  { name, help, kind = "gauge" }: { name: string; help: string; kind?: "counter" | "histogram" | "gauge" },
  read: () => Sample[],
): void {
  const metric = {
    name,
    get: () => Promise.resolve({ name, help, type: kind, aggregator: "sum", values: read() }),
  };
  registry.registerMetric(metric as unknown as Metric);
}

function valuesOf<Source>(
  gauge: Gauge<Source>,
  source: Source,
  labelsOfSource: Record<string, string> = {},
): Sample[] {
  return gauge.read(source).map(([labels, value]) => ({ labels: { ...labels, ...labelsOfSource }, value }));
}

function samplesOf(metric: Counter | Histogram): Sample[] {
  if (metric.kind === "histogram") return bucketsOf(metric);
  return [...metric.series()].map(({ labels, value }) => ({
    labels: named(metric.labelNames, labels),
    value,
  }));
}

function bucketsOf({ name, labelNames, bounds, series }: Histogram): Sample[] {
  return [...series()].flatMap(({ labels: values, value: { counts, sum, count } }) => {
    const labels = named(labelNames, values);
    let below = 0;
    const buckets = bounds.map((bound, index) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: bound },
      value: below += counts[index]!,
    }));
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { ...labels, le: "+Inf" }, value: count },
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  });
}

function named(names: readonly string[], values: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}

/** Returns how long something that is ready waits until it is run. */
async function eventLoopDelayS(): Promise<number> {
  const started = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 0));
  return (performance.now() - started) / 1000;
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("the database did not respond in time")), ms);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
