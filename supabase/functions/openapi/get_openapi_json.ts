import { type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import type { ApiDocument } from "./api_document.ts";

const route: RouteConfig = {
  method: "get",
  path: "/openapi.json",
  summary: "The same as /openapi",
  description: "Not on Supabase, where no function's name may have a dot",
  tags: ["Operation"],
  responses: {
    200: { description: "OpenAPI 3.1", content: { "application/json": { schema: z.looseObject({}) } } },
    ...errorResponses([]),
  },
};

/** `GET /openapi.json` returns the same document as `GET /openapi`. */
export function registerGetOpenapiJson(app: App, readDocument: () => ApiDocument): void {
  addRoute(app, route, (c) => Promise.resolve(c.json(readDocument())));
}
