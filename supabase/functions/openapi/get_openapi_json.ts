import { z } from "@hono/zod-openapi";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { documentText } from "./document_text.ts";

const route: ApiRoute = {
  method: "get",
  path: "/openapi.json",
  operationId: "getApiDocumentAsFile",
  summary: "Read this document at a file's path",
  description: "Not on Supabase, where no function's name may have a dot",
  tags: ["Operation"],
  security: OPEN,
  responses: {
    200: { description: "OpenAPI 3.1", content: { "application/json": { schema: z.looseObject({}) } } },
    ...errorResponses([]),
  },
};

/** `GET /openapi.json` returns the same document as `GET /openapi`. */
export function registerGetOpenapiJson(app: App): void {
  addRoute(
    app,
    route,
    (c) => Promise.resolve(c.body(documentText(), 200, { "Content-Type": "application/json" })),
  );
}
