import { z } from "@hono/zod-openapi";
import { DATABASE_PROBLEMS } from "../_shared/db/driver/database_health.ts";
import type { LastTicks, PlatformOutage } from "../_shared/db/queue/settings.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { VERSION } from "../_shared/values/version.ts";

/** pg_cron alone ticks once per minute; without a tick for longer, the queue is not worked off. */
const SILENT_AFTER_MS = 90_000;

const responseSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", ...DATABASE_PROBLEMS]).openapi({
    description: "Whether messages can be stored. The state is at most a second old",
  }),
  reason: z.string().optional().openapi({ description: "What is wrong with the database" }),
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
  dispatcher: "running",
  outages: [],
  version: "1.0.0",
};
const ill: z.input<typeof responseSchema> = { ...healthy, status: "unavailable", database: "unreachable" };
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
    const { ticks, outages = [], ...health } = await c.var.services.databaseHealth.get("database");
    const isOk = health.database === "ok";
    const dispatcher = ticks === undefined ? "unknown" : workerAt(ticks);
    const status = isOk ? "ok" : "unavailable";
    const described = outages.map(describeOutage);
    const response = { status, ...health, dispatcher, outages: described, version: VERSION };
    return c.json(response, isOk ? 200 : 503);
  });
}

function describeOutage({ channel, since, senders, next_try_at }: PlatformOutage) {
  const next = next_try_at && new Date(next_try_at).toISOString();
  return { platform: channel, since: new Date(since).toISOString(), senders, next_try_at: next };
}

function workerAt({ dispatcher, pg_cron, now }: LastTicks): "running" | "pg_cron" | "stopped" {
  const lately = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  return lately(dispatcher) ? "running" : lately(pg_cron) ? "pg_cron" : "stopped";
}
