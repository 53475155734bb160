import { type RouteConfig, z } from "@hono/zod-openapi";
import { type LastTicks, readLastTicks } from "../_shared/db/settings.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { describeError } from "../_shared/log.ts";
import { VERSION } from "../_shared/version.ts";

/** pg_cron alone ticks once a minute; longer than this and nobody is at work. */
const SILENT_AFTER_MS = 90_000;

const answerSchema = z.object({
  status: z.enum(["ok", "unavailable"]),
  database: z.enum(["ok", "unreachable"]),
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
    200: { description: "The database answers", content },
    503: { description: "The database does not answer", content },
  },
};

/** `GET /health` answers 200 when the database does; `dispatcher` tells whether anybody is working off the queue. */
export function registerGetHealth(app: App): void {
  addRoute(app, route, async (c) => {
    const health = await look(c);
    return c.json({ ...health, version: VERSION }, health.status === "ok" ? 200 : 503);
  });
}

async function look(c: AppContext): Promise<Omit<z.infer<typeof answerSchema>, "version">> {
  try {
    return { status: "ok", database: "ok", dispatcher: whoWorks(await readLastTicks(c.var.services.sql)) };
  } catch (error) {
    c.var.services.log.error("health: the database does not answer", describeError(error));
    return { status: "unavailable", database: "unreachable", dispatcher: "unknown" };
  }
}

function whoWorks({ dispatcher, pg_cron, now }: LastTicks): "running" | "pg_cron" | "stopped" {
  const lately = (tick: Date | null) => tick !== null && now.getTime() - tick.getTime() < SILENT_AFTER_MS;
  return lately(dispatcher) ? "running" : lately(pg_cron) ? "pg_cron" : "stopped";
}
