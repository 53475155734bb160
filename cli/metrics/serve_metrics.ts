import { databasesOf } from "../../supabase/functions/_shared/cells.ts";
import { equalSecrets } from "../../supabase/functions/_shared/crypto/digests.ts";
import {
  openFiguresConnection,
  readOperatingFigures,
} from "../../supabase/functions/_shared/db/queue/operating_figures.ts";
import { describeError, oncePer } from "../../supabase/functions/_shared/log.ts";
import type { Services } from "../../supabase/functions/_shared/services.ts";
import { hostInUrl, LOOPBACK_HOSTS } from "../../supabase/functions/_shared/values/urls.ts";
import { serveHttp } from "../service/serve_http.ts";
import type { Exporter } from "./exporter.ts";

const LOG_EVERY_MS = 60_000;
const LOOPBACK = "127.0.0.1";
const ALL_ADDRESSES = ["0.0.0.0", "::"];

/** The metrics of a process, while they are served. */
export interface MetricsServer {
  /** Where they are, on this machine. */
  url: string;
  stop(): Promise<void>;
}

/** Where metrics are served. */
export interface MetricsAddress {
  port?: number | undefined;
  hostname?: string;
}

type MetricsServices = Pick<Services, "env" | "log" | "metrics">;

/**
 * Serves `GET /metrics` on OUTBOUND_METRICS_PORT: on this machine only, or with OUTBOUND_METRICS_TOKEN on HOST, to callers that present it.
 * Returns undefined when no port is set. Never fails: a port in use is logged, and the service runs without.
 *
 * @param options the address, in place of OUTBOUND_METRICS_PORT and of the one above
 */
export async function serveMetrics(
  services: MetricsServices,
  { port = services.env.OUTBOUND_METRICS_PORT, hostname }: MetricsAddress = {},
): Promise<MetricsServer | undefined> {
  if (port === undefined) return undefined;
  const { env, log, metrics } = services;
  const connections = [...databasesOf(env)].map(([cell, url]) => ({ cell, sql: openFiguresConnection(url) }));
  const databases = connections.map(({ cell, sql }) => ({
    labels: connections.length > 1 ? { cell: String(cell) } : {},
    readFigures: () => readOperatingFigures(sql),
  }));
  const end = () => Promise.all(connections.map(({ sql }) => sql.end({ timeout: 1 })));
  const onError = oncePer(
    LOG_EVERY_MS,
    (error: unknown) => log.warn("metrics: the figures of a database cannot be read", describeError(error)),
  );
  // With the first scrape: the libraries behind it take longer to load than the rest of this.
  let exporter: Promise<Exporter> | undefined;
  const openExporter = () =>
    exporter ??= import("./exporter.ts").then(({ createExporter }) =>
      createExporter({ metrics, databases, onError })
    );
  const address = hostname ?? (env.OUTBOUND_METRICS_TOKEN ? env.HOST : LOOPBACK);
  try {
    const handler = (request: Request) => respond(request, openExporter, env.OUTBOUND_METRICS_TOKEN);
    const server = await serveHttp(handler, { hostname: address, port });
    return {
      url: `http://${hostInUrl(ALL_ADDRESSES.includes(address) ? LOOPBACK : address)}:${server.port}/metrics`,
      stop: async () => {
        await server.stop();
        await end();
      },
    };
  } catch (error) {
    log.error("metrics are not served", { port, ...describeError(error) });
    await end();
    return undefined;
  }
}

async function respond(
  request: Request,
  openExporter: () => Promise<Exporter>,
  token: string | undefined,
): Promise<Response> {
  const { hostname, pathname } = new URL(request.url);
  if (token !== undefined && !isBearer(request, token)) {
    return refusal(401, "unauthorized", "Send OUTBOUND_METRICS_TOKEN as 'Authorization: Bearer …'", {
      "WWW-Authenticate": "Bearer",
    });
  }
  // A page in a browser of this machine could otherwise read it under a name of its own that leads here.
  if (token === undefined && !LOOPBACK_HOSTS.has(hostname)) {
    return refusal(
      403,
      "forbidden",
      "Without OUTBOUND_METRICS_TOKEN, only this machine may read the metrics",
    );
  }
  if (pathname !== "/metrics") return refusal(404, "not_found", "Only GET /metrics is here");
  if (request.method !== "GET") {
    return refusal(405, "method_not_allowed", "Use GET", { Allow: "GET" });
  }
  const exporter = await openExporter();
  const headers = { "Content-Type": exporter.contentType, "Cache-Control": "no-store" };
  return new Response(await exporter.write(), { headers });
}

function isBearer(request: Request, token: string): boolean {
  const [, given = ""] = /^Bearer +(\S+)$/i.exec(request.headers.get("Authorization") ?? "") ?? [];
  return equalSecrets(given, token);
}

function refusal(
  status: number,
  error: string,
  message: string,
  headers: Record<string, string> = {},
): Response {
  return Response.json({ error, message }, { status, headers });
}
