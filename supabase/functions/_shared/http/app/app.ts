import { OpenAPIHono } from "@hono/zod-openapi";
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import { AppError } from "../../errors.ts";
import type { Services } from "../../services.ts";
import { type ApiRoute, effectOf } from "./api_route.ts";
import type { App, AppContext, AppEnv } from "./context.ts";
import { MISSING_CELLS } from "./request_cell.ts";
import { requestContext } from "./request_context.ts";
import { respondError, respondUnknownPath } from "./respond_error.ts";
import { functionPath, refuseNul } from "./urls.ts";

/**
 * Creates an app with the parts that every function shares: request id, log line, error bodies. It
 * has no routes yet.
 *
 * The rule for the order of middleware: the parts that let a client read the response (request id, CORS) come before all
 * that may refuse the request. A refusal without CORS headers is a network error to a page.
 *
 * @param options `pages`: whose pages may call the function: none, the console's, or those of any origin
 */
export function createBaseApp(
  services: Services,
  { pages = "none" }: { pages?: "none" | "console" | "any" } = {},
): App {
  const app: App = new OpenAPIHono<AppEnv>({ getPath: functionPath });
  app.use("*", requestContext(services));
  if (pages === "any") app.use("*", allowAnyOrigin());
  if (pages === "console" && services.env.OUTBOUND_CONSOLE_URL) {
    app.use("*", allowConsole(services.env.OUTBOUND_CONSOLE_URL));
  }
  app.onError(respondError);
  app.notFound(respondUnknownPath(app));
  return app;
}

/** How long a browser may keep the response to a preflight request, in seconds. */
const PREFLIGHT_MAX_AGE_S = 86_400;

/**
 * Lets pages of any origin call a function and read its responses, errors included: the contract's rule for widgets. No
 * cookie counts here, so a page can read nothing that it could not request from anywhere else.
 */
function allowAnyOrigin(): MiddlewareHandler<AppEnv> {
  return cors({
    origin: "*",
    allowMethods: ["GET", "POST", "OPTIONS"],
    allowHeaders: ["Authorization", "Content-Type", "Last-Event-ID"],
    exposeHeaders: ["X-Request-Id", "Retry-After"],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
}

/** Lets the pages of the console call a function, and those of no other origin. */
function allowConsole(consoleUrl: string): MiddlewareHandler<AppEnv> {
  return cors({
    origin: new URL(consoleUrl).origin,
    allowMethods: ["GET", "POST", "PUT", "DELETE", "OPTIONS"],
    allowHeaders: [
      "Authorization",
      "Content-Type",
      "Last-Event-ID",
      "Idempotency-Key",
      "If-Match",
      "Mcp-Protocol-Version",
    ],
    exposeHeaders: ["X-Request-Id", "Retry-After", "ETag", MISSING_CELLS],
    maxAge: PREFLIGHT_MAX_AGE_S,
  });
}

/**
 * Adds a route together with its entry in the API document, so that neither can exist without the other.
 *
 * @param options `errorShape`: `short` where the contract gives all the route's errors the form `{success: false, message}`,
 * `full` where none has it
 */
export function addRoute(
  app: App,
  route: ApiRoute,
  handle: (c: AppContext) => Promise<Response>,
  { errorShape = "mixed" }: { errorShape?: AppEnv["Variables"]["errorShape"] } = {},
): void {
  app.openAPIRegistry.registerPath(route);
  const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
  const effect = effectOf(route);
  const isAlwaysOpen = ALWAYS_OPEN.test(route.path);
  app.on(route.method.toUpperCase(), path, async (c) => {
    c.set("route", route.path);
    c.set("effect", effect);
    c.set("errorShape", errorShape);
    refuseNul(c.req.url);
    if (!isAlwaysOpen) await refuseDuringMaintenance(c);
    return await handle(c);
  });
}

/** Open during maintenance: the platform's events must not be lost, and health must stay visible. */
const ALWAYS_OPEN = /^\/(webhooks|health|dispatch)(\/|$)/;

/**
 * Throws `service_unavailable` with `details.maintenance_window` while `deno task admin maintenance on` is in force.
 * Called within the route, so that the refusal has the form of its other errors.
 */
async function refuseDuringMaintenance(c: AppContext): Promise<void> {
  const { maintenance, now } = c.get("services");
  // A failing database is for the route to report.
  const switched = await maintenance.get("maintenance").catch(() => null);
  const ended = switched?.until && new Date(switched.until) <= now();
  if (!switched?.on || ended) return;
  throw new AppError("service_unavailable", "The service is under maintenance", {
    details: { maintenance_window: { start: switched.since, end: switched.until } },
    retryAfterS: switched.until
      ? Math.ceil((Date.parse(switched.until) - now().getTime()) / 1000)
      : undefined,
  });
}
