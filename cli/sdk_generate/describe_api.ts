import { OpenAPIHono } from "@hono/zod-openapi";
import { SECTIONS } from "../../supabase/functions/_shared/http/app/api_route.ts";
import { SECURITY_SCHEMES } from "../../supabase/functions/_shared/http/app/security.ts";
import { ROOT } from "../../supabase/functions/_shared/urls.ts";
import type { App } from "../../supabase/functions/_shared/http/app/context.ts";
import { VERSION } from "../../supabase/functions/_shared/version.ts";
import { describeParameters } from "./describe_parameters.ts";
import { foldNull } from "./fold_null.ts";

export type ApiDocument = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

/** Describes the routes of `apps` in OpenAPI 3.1, made from the very schemas they check with. */
export function describeApi(apps: App[]): ApiDocument {
  const all = new OpenAPIHono();
  for (const documented of apps) all.route("/", documented);
  for (const [name, scheme] of Object.entries(SECURITY_SCHEMES)) {
    all.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  }
  return foldNull(describeParameters(all.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "outbound",
      version: VERSION,
      description: "Log in, take a company's API key, send templated chat notifications and follow them.",
    },
    servers: [{ url: ROOT }],
    tags: Object.entries(SECTIONS).map(([name, description]) => ({ name, description })),
  })));
}
