import { z } from "@hono/zod-openapi";
import { refreshSession } from "../_shared/access/user_session.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { clientAddress } from "../_shared/http/app/request_context.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitTokenChecks } from "../_shared/http/guards/require_user.ts";
import { SESSION_EXAMPLE, sessionOf, sessionSchema } from "./session_schema.ts";

const bodySchema = z.object({
  refresh_token: z.string({ error: "text" }).min(1, "text that is not empty").max(
    1000,
    "at most 1000 characters",
  ),
}).openapi("RefreshToken");

const route: ApiRoute = {
  method: "post",
  path: "/auth/refresh",
  operationId: "refreshSession",
  summary: "Go on with a session",
  description:
    "Returns a new access token and the refresh token that follows. Each refresh token works once. One that comes again " +
    "later ends the session: ten seconds on, none of its refresh tokens works, and the access token ends by itself.",
  tags: ["Access"],
  security: OPEN,
  request: { body: jsonBody(bodySchema, { refresh_token: SESSION_EXAMPLE.refresh_token }) },
  responses: {
    200: { description: "The session", ...json(sessionSchema, SESSION_EXAMPLE) },
    ...errorResponses([400, 401, 413, 429, 502]),
  },
};

/**
 * `POST /auth/refresh` exchanges a refresh token for a new session. Fails with `validation_failed`, `unauthorized` when
 * the session has ended, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostRefresh(app: App): void {
  addRoute(app, route, async (c) => {
    const { env, outages } = c.var.services;
    const { refresh_token } = checkFields(bodySchema, (await readJson(c)).value);
    limitTokenChecks(c);
    const session = sessionOf(await refreshSession(env, refresh_token, clientAddress(c)));
    outages.worked("auth");
    return c.json(session);
  });
}
