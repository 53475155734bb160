import type { App } from "../_shared/http/app/context.ts";
import { createBaseApp } from "../_shared/http/app/app.ts";
import type { Services } from "../_shared/services.ts";
import { type ApiDocument, describeApi } from "./api_document.ts";
import { registerGetOpenapi } from "./get_openapi.ts";
import { registerGetOpenapiJson } from "./get_openapi_json.ts";

/** `GET /openapi` and `GET /openapi.json`: the document of these two routes and of all routes of `apps`. */
export function createApp(services: Services, apps: App[]): App {
  const app = createBaseApp(services);
  let document: ApiDocument | undefined;
  const readDocument = () => document ??= describeApi([app, ...apps]);
  registerGetOpenapi(app, readDocument);
  registerGetOpenapiJson(app, readDocument);
  return app;
}
