import assert from "node:assert/strict";
import { createExporter } from "../../cli/metrics/exporter.ts";
import { serveMetrics } from "../../cli/metrics/serve_metrics.ts";
import {
  openFiguresConnection,
  type OperatingFigures,
  readOperatingFigures,
} from "../../supabase/functions/_shared/db/queue/operating_figures.ts";
import { createMetrics } from "../../supabase/functions/_shared/telemetry/metrics.ts";
import type { DispatcherPool } from "../faults/dispatchers/dispatcher_pool.ts";
import { type FaultEnvironment, withFaults } from "../faults/with_faults.ts";
import { type Prometheus, type PrometheusOptions, withPrometheus } from "../prometheus/with_prometheus.ts";
import { closeServer } from "../setup/http/close_server.ts";
import { eventually } from "../setup/eventually.ts";
import { skipped } from "../setup/skipped.ts";
import { findBinary } from "../setup/find_binary.ts";
import { freePort } from "../setup/database/postgres_cluster.ts";

/** The longest time of a scaled rule, and what a busy machine needs. */
const FIRES_MS = 240_000;

/** The API in this process and dispatchers in their own, as a Prometheus sees them. */
export interface WatchedService extends FaultEnvironment {
  prometheus: Prometheus;
  /** Each a pool of one, so that it can end for good. */
  dispatchers: DispatcherPool[];
  /** Runs `cause`, and fails unless each of the alerts, none of which has fired before, fires. */
  provoke(alerts: string[], cause: () => unknown): Promise<void>;
}

export interface WatchedOptions extends PrometheusOptions {
  databaseUrl?: string;
  /** Figures of the database that one more process reports instead of those that it read. */
  replaced?: Partial<OperatingFigures>;
}

/** Calls `fn` with a service whose every process is scraped; without Prometheus, `test` counts as skipped. */
export async function withWatchedService(
  test: string,
  { databaseUrl, replaced, ...options }: WatchedOptions,
  fn: (t: WatchedService) => Promise<void>,
): Promise<void> {
  const binary = await findBinary("prometheus");
  if (binary === undefined) return skipped(test, "no prometheus found");
  await withFaults(async (t) => {
    const api = (await serveMetrics(t.services, { port: 0 }))!;
    const replacing = replaced && serveReplaced(t, replaced);
    const ports = [freePort(), freePort()];
    const dispatchers = ports.map((port) =>
      t.startDispatchers(1, () => ({ env: { OUTBOUND_METRICS_PORT: String(port) } }))
    );
    const hosts = [new URL(api.url).host, ...ports.map((port) => `127.0.0.1:${port}`)];
    try {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.ready()));
      await withPrometheus(binary, replacing ? [...hosts, replacing.host] : hosts, async (prometheus) => {
        await prometheus.scrapes(2);
        await fn({ ...t, prometheus, dispatchers, provoke: provoker(prometheus) });
      }, options);
    } finally {
      await api.stop();
      await replacing?.stop();
    }
  }, { ratePerSecond: 400, ...databaseUrl !== undefined && { databaseUrl } });
}

function provoker(prometheus: Prometheus): WatchedService["provoke"] {
  return async (alerts, cause) => {
    const early = await prometheus.alerts("ever");
    assert.deepEqual(alerts.filter((alert) => early.includes(alert)), [], "fired before their cause");
    await cause();
    await eventually(async () => {
      const fired = await prometheus.alerts("ever");
      assert.deepEqual(alerts.filter((alert) => !fired.includes(alert)), [], "have not fired");
    }, FIRES_MS);
  };
}

/** Serves what the exporter of a process writes that reads other figures. */
function serveReplaced(
  { databaseUrl }: FaultEnvironment,
  replaced: Partial<OperatingFigures>,
): { host: string; stop(): Promise<void> } {
  const sql = openFiguresConnection(databaseUrl);
  const exporter = createExporter({
    metrics: createMetrics(),
    databases: [{
      labels: {},
      readFigures: async () => ({ ...await readOperatingFigures(sql), ...replaced }),
    }],
    onError() {},
  });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async () => {
    const headers = { "Content-Type": exporter.contentType };
    return new Response(await exporter.write(), { headers });
  });
  return {
    host: `127.0.0.1:${server.addr.port}`,
    async stop() {
      await closeServer(server);
      await sql.end({ timeout: 1 });
    },
  };
}
