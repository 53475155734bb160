import { z } from "@hono/zod-openapi";
import { DATABASE_PROBLEMS } from "../_shared/db/driver/database_health.ts";
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

const responseSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", ...DATABASE_PROBLEMS]).openapi({
    description: "Whether messages can be stored. The state is at most a second old",
  }),
  reason: z.string().optional().openapi({ description: "What is wrong with the database" }),
  cell: z.object({
    number: z.number().int(),
    state: z.enum(["active", "standby", "copy"]).openapi({
      description: "`standby` and `copy`: nothing is sent until `deno task admin cell activate`",
    }),
  }).optional().openapi({ description: "The database's part in the installation, where it can be read" }),
  cells: z.array(z.object({
    number: z.number().int(),
    database: z.enum(["ok", ...DATABASE_PROBLEMS]),
  })).optional().openapi({
    description:
      "The databases of DATABASE_URLS, where it is set. One that is not ok refuses its own companies",
  }),
  dispatcher: z.enum(["running", "pg_cron", "stopped", "unknown"]).openapi({
    description: "Who works off the queue; with pg_cron alone due messages wait for a `dispatch` call",
  }),
  outages: z.array(z.object({
    platform: z.enum(["whatsapp", "voice"]),
    since: z.iso.datetime(),
    senders: z.number().int().openapi({ description: "Our numbers to which it does not respond" }),
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
    const { ticks, outages = [], ...health } = await services.databaseHealth.get("database");
    const cells = await checkOtherCells(services);
    // A process that still serves one cell must keep getting its requests.
    const isOk = health.database === "ok" || cells.some(({ database }) => database === "ok");
    const dispatcher = ticks === undefined ? "unknown" : workerAt(ticks);
    const status = isOk ? "ok" : "unavailable";
    const described = outages.map(describeOutage);
    const others = cells.length > 0 && { cells };
    const response = { status, ...health, ...others, dispatcher, outages: described, version: VERSION };
    return c.json(response, isOk ? 200 : 503);
  });
}

async function checkOtherCells(services: Services) {
  const others = servicesOfAllCells(services).filter(({ cell }) => cell !== services.cell);
  return await Promise.all(others.map(async ({ cell, databaseHealth }) => {
    const { database } = await databaseHealth.get("database");
    return { number: cell, database };
  }));
}

function describeOutage({ channel, since, senders, next_try_at }: PlatformOutage) {
  const next = next_try_at && new Date(next_try_at).toISOString();
  return { platform: channel, since: new Date(since).toISOString(), senders, next_try_at: next };
}

function workerAt({ dispatcher, pg_cron, now }: LastTicks): "running" | "pg_cron" | "stopped" {
  const lately = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  return lately(dispatcher) ? "running" : lately(pg_cron) ? "pg_cron" : "stopped";
}
