import { runDispatcher } from "../../supabase/functions/_shared/dispatching/dispatcher.ts";
import { missingForProbes } from "../../supabase/functions/_shared/dispatching/webhook_probe.ts";
import { describeError } from "../../supabase/functions/_shared/log.ts";
import { type Services, servicesOfAllCells } from "../../supabase/functions/_shared/services.ts";
import { createMainApp } from "../../supabase/functions/main/app.ts";
import { createDocsPage } from "../docs/docs_page.ts";
import { type MetricsAddress, serveMetrics } from "../metrics/serve_metrics.ts";
import { serveHttp } from "./serve_http.ts";
import { within } from "./stopping.ts";

/** How long requests and messages under way may take to finish once the service is asked to stop. */
const GRACE_MS = 10_000;

export interface RunningService {
  port: number;
  /** Where the metrics are; undefined where there are none. */
  metricsUrl: string | undefined;
  /** Stops accepting, finishes what is under way, ten seconds at most, and releases what was not sent. */
  stop(): Promise<void>;
}

/**
 * Runs the API with its docs page, a dispatcher and the metrics, in this process.
 *
 * @param options `metrics`: where they are served. @default as OUTBOUND_METRICS_PORT and OUTBOUND_METRICS_TOKEN say
 * @throws Deno.errors.AddrInUse when the port is taken
 */
export async function runService(
  services: Services,
  { hostname, port, metrics: metricsAddress }: { hostname: string; port: number; metrics?: MetricsAddress },
): Promise<RunningService> {
  const app = createMainApp(services);
  const docs = createDocsPage();
  const server = await serveHttp((request, info) => docs(request) ?? app.fetch(request, info), {
    hostname,
    port,
  });
  const dispatcher = startDispatchers(servicesOfAllCells(services));
  const metrics = await serveMetrics(services, metricsAddress);
  return {
    port: server.port,
    metricsUrl: metrics?.url,
    stop: async () => {
      // Event streams would go on for minutes; their readers reconnect to another process.
      for (const { conversations, companyEvents } of servicesOfAllCells(services)) {
        conversations.end();
        companyEvents.end();
      }
      const done = Promise.all([server.stop(), dispatcher.stop(), metrics?.stop()]).then(() =>
        services.close()
      );
      if (!await within(GRACE_MS, done)) services.log.warn("stopping with work under way");
    },
  };
}

/** Runs a dispatcher for each cell until they are stopped. */
export function startDispatchers(cells: Services[]): { stop(): Promise<void> } {
  const dispatchers = cells.map(startDispatcher);
  return {
    stop: async () => {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
    },
  };
}

/** Runs a dispatcher until it is stopped. Warns when it lacks a setting for probing our webhook. */
function startDispatcher(services: Services): { stop(): Promise<void> } {
  const missing = missingForProbes(services.env);
  if (missing.length > 0) {
    services.log.warn("this dispatcher cannot probe our webhook", {
      missing,
      consequence: "a message with an unknown outcome is retried only after an event of its account arrived",
    });
  }
  const controller = new AbortController();
  const running = runDispatcher(services, { signal: controller.signal })
    .catch((error) => services.log.error("the dispatcher ended", describeError(error)));
  return {
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}
