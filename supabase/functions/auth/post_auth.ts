import { z } from "@hono/zod-openapi";
import { signIn } from "../_shared/access/sign_in.ts";
import { checkFields, checkQuery } from "../_shared/check_fields.ts";
import { refundLoginAttempt } from "../_shared/db/access/login_attempts.ts";
import { AppError } from "../_shared/errors.ts";
import { describeError } from "../_shared/log.ts";
import { type ApiRoute, json, jsonBody } from "../_shared/http/app/api_route.ts";
import { addRoute } from "../_shared/http/app/app.ts";
import type { App, AppContext } from "../_shared/http/app/context.ts";
import { clientAddress } from "../_shared/http/app/request_context.ts";
import { errorResponses } from "../_shared/http/app/error_responses.ts";
import { OPEN } from "../_shared/http/app/security.ts";
import { readJson } from "../_shared/http/body/read_body.ts";
import { countLogin } from "./limit_logins.ts";
import { SESSION_EXAMPLE, sessionOf, sessionSchema } from "./session_schema.ts";

const credentialsSchema = z.object({
  email: z.string({ error: "text" }).trim().min(1, "an e-mail address").max(320, "an e-mail address"),
  password: z.string({ error: "text" }).min(1, "text that is not empty").max(1000, "at most 1000 characters"),
}).openapi("Credentials");

const querySchema = z.object({
  grant_type: z.literal("password", { error: "password, the only supported method" }),
});

const route: ApiRoute = {
  method: "post",
  path: "/auth",
  operationId: "logIn",
  summary: "Log in with e-mail and password",
  tags: ["Access"],
  security: OPEN,
  request: {
    query: querySchema,
    body: jsonBody(credentialsSchema, { email: "ana@example.com", password: "correct horse battery staple" }),
  },
  responses: {
    200: {
      description: "A session",
      ...json(sessionSchema, SESSION_EXAMPLE),
    },
    ...errorResponses([400, 401, 413, 429, 502]),
  },
};

/**
 * `POST /auth?grant_type=password` responds with a session. Fails with `validation_failed`, `unauthorized`,
 * `rate_limit_exceeded` after too many wrong passwords, or `service_unavailable`.
 */
export function registerPostAuth(app: App): void {
  addRoute(app, route, async (c) => {
    checkQuery(querySchema, c.req.query());
    const credentials = checkFields(credentialsSchema, (await readJson(c)).value);
    return c.json(await signInWithinLimits(c, credentials));
  });
}

/**
 * Counts only a password that the auth server refused: not a right one, nor an attempt while the auth server is down or
 * busy.
 */
async function signInWithinLimits(c: AppContext, credentials: { email: string; password: string }) {
  const { sql, env, outages, log } = c.var.services;
  const counted = await countLogin(c, credentials.email);
  /** If this fails, the attempt counts as a failed one. The auth server's response is passed on all the same. */
  const takeOffLimits = (result: { succeeded: boolean }) =>
    refundLoginAttempt(sql, counted, result).catch((error) => {
      const fields = { request_id: c.get("requestId"), ...result, ...describeError(error) };
      log.warn("a login was not taken off the limits", fields);
    });
  try {
    const session = sessionOf(await signIn(env, credentials, clientAddress(c)));
    outages.worked("auth");
    await takeOffLimits({ succeeded: true });
    return session;
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === "unauthorized";
    if (isRefused) outages.worked("auth");
    else await takeOffLimits({ succeeded: false });
    throw error;
  }
}
