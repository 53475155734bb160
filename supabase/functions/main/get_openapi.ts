import { OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { addRoute, type App } from "../_shared/http/app.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { VERSION } from "../_shared/version.ts";

const route: RouteConfig = {
  method: "get",
  path: "/openapi.json",
  summary: "This document",
  tags: ["Operation"],
  responses: {
    200: { description: "OpenAPI 3.1", content: { "application/json": { schema: z.looseObject({}) } } },
    ...errorResponses([]),
  },
};

/** `GET /openapi.json` describes the routes of `apps`, made from the very schemas they check with. */
export function registerGetOpenapi(app: App, apps: App[], root: string): void {
  const all = new OpenAPIHono();
  for (const documented of [app, ...apps]) all.route("/", documented);
  addRoute(app, route, (c) => Promise.resolve(c.json(document)));
  all.openAPIRegistry.registerPath(route);
  all.openAPIRegistry.registerComponent("securitySchemes", "userToken", { type: "http", scheme: "bearer" });
  all.openAPIRegistry.registerComponent("securitySchemes", "dispatchSecret", {
    type: "http",
    scheme: "bearer",
  });
  for (const name of ["visitorToken", "sessionToken"]) {
    all.openAPIRegistry.registerComponent("securitySchemes", name, { type: "http", scheme: "bearer" });
  }
  const document = all.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "outbound",
      version: VERSION,
      description: "Log in, take a company's API key, send templated chat notifications and follow them.",
    },
    servers: [{ url: root }],
  });
}
