import { readExpiringToken } from "../_shared/access/access_token.ts";
import { endSession } from "../_shared/access/user_session.ts";
import type { ApiRoute } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { forgetToken } from "../_shared/http/guards/require_signed_in.ts";
import { limitTokenChecks } from "../_shared/http/guards/require_user.ts";

const route: ApiRoute = {
  method: "post",
  path: "/auth/logout",
  operationId: "logOut",
  summary: "End a session",
  description:
    "Ends the session of the access token, with its refresh token; the user's other sessions go on. A token that has " +
    "expired, or whose session has ended, is no error. Other processes may accept the token for ten more seconds.",
  tags: ["Access"],
  security: USER,
  responses: {
    204: { description: "The session has ended" },
    ...errorResponses([401, 429, 502]),
  },
};

/**
 * `POST /auth/logout` ends the session of the access token. Fails with `unauthorized` without one, `rate_limit_exceeded` or
 * `service_unavailable`.
 */
export function registerPostLogout(app: App): void {
  addRoute(app, route, async (c) => {
    const { env, outages } = c.var.services;
    const { token } = readExpiringToken(c.req.header("Authorization"));
    limitTokenChecks(c);
    await endSession(env, token.text);
    forgetToken(c, token);
    outages.worked("auth");
    return c.body(null, 204);
  });
}
