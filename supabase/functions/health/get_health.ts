import { z } from "@hono/zod-openapi";
import { DATABASE_PROBLEMS } from "../_shared/db/database_health.ts";
import type { LastTicks } from "../_shared/db/settings.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { VERSION } from "../_shared/version.ts";

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
  version: z.string(),
}).openapi("Health");

const healthy = { status: "ok", database: "ok", dispatcher: "running", version: "1.0.0" } as const;
const ill = { ...healthy, status: "unavailable", database: "unreachable" } as const;
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
    const { ticks, ...health } = await c.var.services.databaseHealth.get("database");
    const isOk = health.database === "ok";
    const dispatcher = ticks === undefined ? "unknown" : workerAt(ticks);
    const response = { status: isOk ? "ok" : "unavailable", ...health, dispatcher, version: VERSION };
    return c.json(response, isOk ? 200 : 503);
  });
}

function workerAt({ dispatcher, pg_cron, now }: LastTicks): "running" | "pg_cron" | "stopped" {
  const lately = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  return lately(dispatcher) ? "running" : lately(pg_cron) ? "pg_cron" : "stopped";
}
