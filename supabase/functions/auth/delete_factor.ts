import { removeFactor } from "../_shared/access/factors.ts";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { factorParams, readFactorId, readOwner } from "./factor_route.ts";

const route: ApiRoute = {
  method: "delete",
  path: "/auth/factors/{factor_id}",
  operationId: "removeFactor",
  summary: "Remove a second factor",
  tags: ["Access"],
  security: USER,
  request: { params: factorParams },
  responses: {
    204: { description: "The factor is removed" },
    ...errorResponses([401, 403, 404, 429, 502]),
  },
};

/**
 * `DELETE /auth/factors/{factor_id}` removes a second factor. Fails with `unauthorized`, `second_factor_required`,
 * `not_found`, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerDeleteFactor(app: App): void {
  addRoute(app, route, async (c) => {
    await removeFactor(readOwner(c), readFactorId(c));
    c.var.services.outages.worked("auth");
    return c.body(null, 204);
  });
}
