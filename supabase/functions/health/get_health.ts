import { type RouteConfig, z } from "@hono/zod-openapi";
import { DATABASE_PROBLEMS } from "../_shared/db/database_health.ts";
import type { LastTicks } from "../_shared/db/settings.ts";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { VERSION } from "../_shared/version.ts";

/** pg_cron alone ticks once a minute; longer than this and nobody is at work. */
const SILENT_AFTER_MS = 90_000;

const answerSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", ...DATABASE_PROBLEMS]).openapi({
    description: "Whether messages can be stored. The answer is at most a second old",
  }),
  reason: z.string().optional().openapi({ description: "What is wrong with the database" }),
  dispatcher: z.enum(["running", "pg_cron", "stopped", "unknown"]).openapi({
    description: "Who works off the queue; with pg_cron alone due messages wait for a `dispatch` call",
  }),
  version: z.string(),
}).openapi("Health");

const content = { "application/json": { schema: answerSchema } };
const route: RouteConfig = {
  method: "get",
  path: "/health",
  summary: "Whether the service can take requests",
  tags: ["Operation"],
  responses: {
    ...errorResponses([]),
    200: { description: "Messages can be stored", content },
    503: { description: "The database does not answer, or stores nothing", content },
  },
};

/** `GET /health` answers 200 when messages can be stored; `dispatcher` says whether anybody is working off the queue. */
export function registerGetHealth(app: App): void {
  addRoute(app, route, async (c) => {
    const { ticks, ...health } = await c.var.services.databaseHealth.get("database");
    const isOk = health.database === "ok";
    const dispatcher = ticks === undefined ? "unknown" : whoWorks(ticks);
    const answer = { status: isOk ? "ok" : "unavailable", ...health, dispatcher, version: VERSION };
    return c.json(answer, isOk ? 200 : 503);
  });
}

function whoWorks({ dispatcher, pg_cron, now }: LastTicks): "running" | "pg_cron" | "stopped" {
  const lately = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  return lately(dispatcher) ? "running" : lately(pg_cron) ? "pg_cron" : "stopped";
}
