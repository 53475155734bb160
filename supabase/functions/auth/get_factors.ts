import { z } from "@hono/zod-openapi";
import { listFactors } from "../_shared/access/factors.ts";
import { type ApiRoute, json } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { readOwner } from "./factor_route.ts";

const factorsSchema = z.object({
  factors: z.array(
    z.object({
      factor_id: z.guid(),
      type: z.string().openapi({ description: "`totp`: an app that shows codes" }),
      name: z.string(),
      is_verified: z.boolean().openapi({ description: "False while its set-up is not finished" }),
      created_at: z.string(),
    }).openapi("Factor"),
  ),
}).openapi("Factors");

const route: ApiRoute = {
  method: "get",
  path: "/auth/factors",
  operationId: "listFactors",
  summary: "List your second factors",
  description: "Takes the token of the password alone too, so that a client can ask for the code.",
  tags: ["Access"],
  security: USER,
  responses: {
    200: {
      description: "The factors",
      ...json(factorsSchema, {
        factors: [{
          factor_id: "0192f8c0-1111-4222-8333-444455556666",
          type: "totp",
          name: "Ana's phone",
          is_verified: true,
          created_at: "2026-12-01T09:00:00Z",
        }],
      }),
    },
    ...errorResponses([401, 429, 502]),
  },
};

/** `GET /auth/factors` lists the user's second factors. Fails with `unauthorized`, `rate_limit_exceeded` or `service_unavailable`. */
export function registerGetFactors(app: App): void {
  addRoute(app, route, async (c) => {
    const factors = await listFactors(readOwner(c));
    c.var.services.outages.worked("auth");
    return c.json({
      factors: factors.map(({ id, factor_type, friendly_name, status, created_at }) => ({
        factor_id: id,
        type: factor_type,
        name: friendly_name,
        is_verified: status === "verified",
        created_at,
      })),
    });
  });
}
