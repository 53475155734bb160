import { z } from "@hono/zod-openapi";
import { DATABASE_PROBLEMS, type DatabaseHealth } from "../_shared/db/driver/database_health.ts";
import type { LastTicks, PlatformOutage } from "../_shared/db/queue/settings.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { type Services, servicesOfAllCells } from "../_shared/services.ts";
import { VERSION } from "../_shared/values/version.ts";

/** pg_cron alone ticks once per minute; without a tick for longer, the queue is not worked off. */
const SILENT_AFTER_MS = 90_000;

const cellStateSchema = z.enum(["active", "standby", "copy"]).openapi({
  description: "`standby` and `copy`: nothing is sent until `deno task admin cell activate`",
});
const dispatcherSchema = z.enum(["running", "pg_cron", "stopped", "unknown"]).openapi({
  description: "Who works off the queue; with pg_cron alone due messages wait for a `dispatch` call",
});

const responseSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", ...DATABASE_PROBLEMS]).openapi({
    description: "Whether messages can be stored. The state is at most a second old",
  }),
  reason: z.string().optional().openapi({ description: "What is wrong with the database" }),
  cell: z.object({ number: z.number().int(), state: cellStateSchema }).optional().openapi({
    description: "The database's part in the installation, where it can be read",
  }),
  cells: z.array(z.object({
    number: z.number().int(),
    database: z.enum(["ok", ...DATABASE_PROBLEMS]),
    state: cellStateSchema.optional(),
    dispatcher: dispatcherSchema,
  })).optional().openapi({
    description:
      "The databases of DATABASE_URLS, where it is set. One that is not ok refuses its own companies",
  }),
  dispatcher: dispatcherSchema,
  outages: z.array(z.object({
    platform: z.enum(["whatsapp", "voice"]),
    since: z.iso.datetime(),
    senders: z.number().int().openapi({
      description: "Our numbers to which it does not respond, in all cells",
    }),
    next_try_at: z.iso.datetime().nullable(),
  })).openapi({
    description: "Platforms that do not respond. Requests are stored all the same, and leave when they do",
  }),
  version: z.string(),
}).openapi("Health");

const healthy: z.input<typeof responseSchema> = {
  status: "ok",
  database: "ok",
  cell: { number: 0, state: "active" },
  dispatcher: "running",
  outages: [],
  version: "1.0.0",
};
const { cell: _, ...known } = healthy;
const ill: z.input<typeof responseSchema> = { ...known, status: "unavailable", database: "unreachable" };
const route: ApiRoute = {
  method: "get",
  path: "/health",
  operationId: "getHealth",
  summary: "Report whether the service can store messages",
  tags: ["Operation"],
  security: OPEN,
  responses: {
    ...errorResponses([]),
    200: { description: "Messages can be stored", ...json(responseSchema, healthy) },
    503: { description: "The database does not respond, or stores nothing", ...json(responseSchema, ill) },
  },
};

/** `GET /health` responds 200 when messages can be stored; `dispatcher` says what works off the queue. */
export function registerGetHealth(app: App): void {
  addRoute(app, route, async (c) => {
    const { services } = c.var;
    const { ticks, outages, ...health } = await services.databaseHealth.get("database");
    const others = await checkOtherCells(services);
    // A process that still serves one cell must keep getting its requests.
    const isOk = health.database === "ok" || others.some(({ database }) => database === "ok");
    const response = {
      status: isOk ? "ok" as const : "unavailable" as const,
      ...health,
      ...(others.length > 0 && { cells: others.map(describeCell) }),
      dispatcher: workerAt(ticks),
      outages: describeOutages([outages, ...others.map(({ outages }) => outages)]),
      version: VERSION,
    };
    return c.json(response, isOk ? 200 : 503);
  });
}

type CellHealth = DatabaseHealth & { number: number };

async function checkOtherCells(services: Services): Promise<CellHealth[]> {
  const others = servicesOfAllCells(services).filter(({ cell }) => cell !== services.cell);
  return await Promise.all(others.map(async ({ cell, databaseHealth }) => ({
    number: cell,
    ...await databaseHealth.get("database"),
  })));
}

function describeCell({ number, database, cell, ticks }: CellHealth) {
  return { number, database, ...(cell && { state: cell.state }), dispatcher: workerAt(ticks) };
}

/** A platform that does not respond to the senders of several cells has one outage. */
function describeOutages(cells: (PlatformOutage[] | undefined)[]) {
  const byPlatform = Map.groupBy(cells.flatMap((outages = []) => outages), ({ channel }) => channel);
  return [...byPlatform].map(([platform, outages]) => ({
    platform,
    since: earliest(outages.map(({ since }) => since))!,
    senders: outages.reduce((sum, { senders }) => sum + senders, 0),
    next_try_at: earliest(outages.map(({ next_try_at }) => next_try_at)),
  }));
}

function earliest(times: (string | null)[]): string | null {
  const [first] = times.flatMap((time) => time === null ? [] : new Date(time).toISOString()).sort();
  return first ?? null;
}

function workerAt(ticks: LastTicks | undefined): "running" | "pg_cron" | "stopped" | "unknown" {
  if (ticks === undefined) return "unknown";
  const { dispatcher, pg_cron, now } = ticks;
  const lately = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  return lately(dispatcher) ? "running" : lately(pg_cron) ? "pg_cron" : "stopped";
}
