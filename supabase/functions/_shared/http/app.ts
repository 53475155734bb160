import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Services } from "../services.ts";
import { answerError } from "./answer_error.ts";
import { answerUnknownPath } from "./answer_unknown_path.ts";
import { allowAnyOrigin } from "./any_origin.ts";
import { refuseDuringMaintenance } from "./maintenance.ts";
import { functionPath } from "./path.ts";
import { refuseNul } from "./refuse_nul.ts";
import { requestContext } from "./request_context.ts";

export interface AppEnv {
  Bindings: {
    /** The other end of the socket, where the runtime tells. */
    remoteAddr?: Deno.Addr;
  };
  Variables: {
    services: Services;
    requestId: string;
    /** The pattern of the route that answers, for the log. */
    route: string | undefined;
    /** The company whose key or user is calling, for the log. */
    companyId: string | undefined;
    /** The form the contract gives this endpoint's errors. */
    errorShape: "full" | "short";
    /** The key the caller presents, as `services.knownKeys` knows it. */
    presentedKey: string | undefined;
    /** Whether the caller has shown who it is: by a good key, or by a platform's signature before. */
    isKnown: boolean;
    /** Called when the response is made. */
    onResponse: (() => void)[];
  };
}

export type App = OpenAPIHono<AppEnv>;
export type AppContext = Context<AppEnv>;

/**
 * An app with what every function shares: request id, log line, maintenance switch, error bodies. No routes yet.
 *
 * The rule for the order of middleware: what lets a client read the response (request id, CORS) comes before all that may
 * refuse the request. A refusal without CORS headers is a network error to a page.
 *
 * @param options `anyOrigin`: whether pages of any origin may call the function
 */
export function createBaseApp(
  services: Services,
  { anyOrigin = false }: { anyOrigin?: boolean } = {},
): App {
  const app: App = new OpenAPIHono<AppEnv>({ getPath: functionPath });
  app.use("*", requestContext(services));
  if (anyOrigin) app.use("*", allowAnyOrigin());
  app.use("*", refuseDuringMaintenance());
  app.onError(answerError);
  app.notFound(answerUnknownPath(app));
  return app;
}

/**
 * Adds a route together with its entry in the API document, so that neither can exist without the other.
 *
 * @param options `errorShape`: `short` where the contract gives all the route's errors the form `{success: false, message}`
 */
export function addRoute(
  app: App,
  route: RouteConfig,
  handle: (c: AppContext) => Promise<Response>,
  { errorShape = "full" }: { errorShape?: AppEnv["Variables"]["errorShape"] } = {},
): void {
  app.openAPIRegistry.registerPath(route);
  const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
  app.on(route.method.toUpperCase(), path, (c) => {
    c.set("route", route.path);
    c.set("errorShape", errorShape);
    refuseNul(c.req.url);
    return handle(c);
  });
}
