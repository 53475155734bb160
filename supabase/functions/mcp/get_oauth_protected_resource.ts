import { z } from "@hono/zod-openapi";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { baseUrl } from "../_shared/http/app/urls.ts";

const responseSchema = z.object({
  resource: z.url(),
  authorization_servers: z.array(z.url()).openapi({ description: "Whose access tokens are accepted" }),
  bearer_methods_supported: z.array(z.literal("header")),
}).openapi("ProtectedResource");

const route: ApiRoute = {
  method: "get",
  path: "/mcp/.well-known/oauth-protected-resource",
  operationId: "describeMcpResource",
  summary: "Show where agents get access tokens",
  description: "The metadata of RFC 9728, which a 401 of `POST /mcp` names in `WWW-Authenticate`.",
  tags: ["Agents"],
  security: OPEN,
  responses: {
    200: {
      description: "The metadata",
      ...json(responseSchema, {
        resource: "https://api.example.com/functions/v1/mcp",
        authorization_servers: ["https://project.supabase.co/auth/v1"],
        bearer_methods_supported: ["header"],
      }),
    },
    ...errorResponses([502]),
  },
};

/** `GET /mcp/.well-known/oauth-protected-resource` shows agents where their users log in. */
export function registerGetOauthProtectedResource(app: App): void {
  addRoute(app, route, async (c) => {
    const { env, tokenIssuer } = c.var.services;
    return c.json({
      resource: `${baseUrl(c)}/mcp`,
      authorization_servers: env.SUPABASE_URL ? [await tokenIssuer.get("issuer")] : [],
      bearer_methods_supported: ["header"],
    });
  });
}

/** Returns the `WWW-Authenticate` of a 401, which leads an agent to the metadata. */
export function challenge(c: AppContext): string {
  return `Bearer resource_metadata="${baseUrl(c)}${route.path}"`;
}
