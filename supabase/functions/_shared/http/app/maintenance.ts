import type { MiddlewareHandler } from "hono";
import { AppError } from "../../errors.ts";
import type { AppEnv } from "./context.ts";

/** Open during maintenance: the platform's events must not be lost, and health must stay visible. */
const ALWAYS_OPEN = /^\/(webhooks|health|dispatch)(\/|$)/;

/** Responds 503 with `details.maintenance_window` while `deno task admin maintenance on` is in force. */
export function refuseDuringMaintenance(): MiddlewareHandler<AppEnv> {
  return async function maintenance(c, next) {
    if (ALWAYS_OPEN.test(c.req.path)) return await next();
    // A failing database is for the route to report, in the shape that the contract gives its errors.
    const switched = await c.get("services").maintenance.get("maintenance").catch(() => null);
    const ended = switched?.until && new Date(switched.until) <= c.get("services").now();
    if (!switched?.on || ended) return await next();
    throw new AppError("service_unavailable", "The service is under maintenance", {
      details: { maintenance_window: { start: switched.since, end: switched.until } },
      retryAfterS: switched.until
        ? Math.ceil((Date.parse(switched.until) - c.get("services").now().getTime()) / 1000)
        : undefined,
    });
  };
}
