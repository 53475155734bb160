import { z } from "@hono/zod-openapi";
import { readAccessToken } from "../_shared/access/access_token.ts";
import { setPassword } from "../_shared/access/password.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { type ApiRoute, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App } from "../_shared/http/app/context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { USER } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { limitTokenChecks } from "../_shared/http/guards/require_user.ts";
import { endPushesOf } from "./end_pushes.ts";

/** bcrypt, with which the login service stores passwords, reads no more. */
const MAX_BYTES = 72;

const bodySchema = z.object({
  password: z.string({ error: "text" }).min(1, "text that is not empty").refine(
    (password) => new TextEncoder().encode(password).length <= MAX_BYTES,
    `at most ${MAX_BYTES} bytes`,
  ).openapi({ maxLength: MAX_BYTES }),
}).openapi("PasswordRequest");

const route: ApiRoute = {
  method: "post",
  path: "/auth/password",
  operationId: "setPassword",
  summary: "Set a new password",
  description:
    "Takes the access token of a log-in, or of the link in an invitation or recovery e-mail. Ends the user's other sessions, " +
    "and their notifications in browsers.",
  tags: ["Access"],
  security: USER,
  request: { body: jsonBody(bodySchema, { password: "correct horse battery staple" }) },
  responses: {
    204: { description: "The password is set" },
    ...errorResponses([400, 401, 403, 413, 429, 502]),
  },
};

/**
 * `POST /auth/password` sets the user's password. Fails with `validation_failed`, `unauthorized`, `second_factor_required`,
 * `forbidden` where the login service wants a recovery e-mail first, `rate_limit_exceeded` or `service_unavailable`.
 */
export function registerPostPassword(app: App): void {
  addRoute(app, route, async (c) => {
    const { env, outages, now } = c.var.services;
    const token = readAccessToken(c.req.header("Authorization"), now());
    const { password } = checkFields(bodySchema, (await readJson(c)).value);
    limitTokenChecks(c);
    await setPassword(env, token, password);
    endPushesOf(c.var.services, token.userId);
    outages.worked("auth");
    return c.body(null, 204);
  });
}
