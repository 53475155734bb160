import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { registerGetOpenapi } from "./get_openapi.ts";
import { registerGetOpenapiJson } from "./get_openapi_json.ts";

/** `GET /openapi` and `GET /openapi.json`: the document of all routes, as `deno task sdk:generate` wrote it. */
export function createApp(services: Services): App {
  const app = createBaseApp(services);
  registerGetOpenapi(app);
  registerGetOpenapiJson(app);
  return app;
}
