import { z } from "@hono/zod-openapi";
import { signIn } from "../_shared/access/sign_in.ts";
import { checkFields, checkQuery } from "../_shared/check_fields.ts";
import { forgiveLoginAttempt } from "../_shared/db/login_attempts.ts";
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

const credentialsSchema = z.object({
  email: z.string({ error: "text" }).trim().min(1, "an e-mail address").max(320, "an e-mail address"),
  password: z.string({ error: "text" }).min(1, "text that is not empty").max(1000, "at most 1000 characters"),
}).openapi("Credentials");

const querySchema = z.object({
  grant_type: z.literal("password", { error: "password, the only supported method" }),
});

const identitySchema = z.object({
  identity_id: z.string(),
  id: z.string(),
  user_id: z.string(),
  identity_data: z.object({
    email: z.string().optional(),
    email_verified: z.boolean().optional(),
    phone_verified: z.boolean().optional(),
    sub: z.string().optional(),
  }),
  provider: z.string(),
  last_sign_in_at: z.string().optional(),
  created_at: z.string().optional(),
  updated_at: z.string().optional(),
  email: z.string().optional(),
}).openapi("Identity");

/** Exactly the contract's fields: whatever else the auth server adds is left out by parsing. */
const sessionSchema = z.object({
  access_token: z.string(),
  token_type: z.literal("bearer"),
  expires_in: z.number().int(),
  expires_at: z.number().int().optional(),
  refresh_token: z.string(),
  user: z.object({
    id: z.string(),
    aud: z.string(),
    role: z.string().optional(),
    email: z.string().optional(),
    email_confirmed_at: z.string().optional(),
    phone: z.string().default(""),
    confirmed_at: z.string().optional(),
    last_sign_in_at: z.string().optional(),
    app_metadata: z.object({ provider: z.string().optional(), providers: z.array(z.string()).optional() }),
    user_metadata: z.object({ email_verified: z.boolean().optional(), name: z.string().optional() }),
    identities: z.array(identitySchema).default([]),
    created_at: z.string(),
    updated_at: z.string().optional(),
    is_anonymous: z.boolean().default(false),
  }).openapi("User"),
}).openapi("Session");

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
      ...json(sessionSchema, {
        access_token: "eyJhbGciOiJFUzI1NiJ9.e30.x",
        token_type: "bearer",
        expires_in: 3600,
        expires_at: 1796122800,
        refresh_token: "v4s7k2m9",
        user: {
          id: "7c1d2e3f-4a5b-4c6d-8e7f-9a0b1c2d3e4f",
          aud: "authenticated",
          role: "authenticated",
          email: "ana@example.com",
          phone: "",
          app_metadata: { provider: "email", providers: ["email"] },
          user_metadata: { email_verified: true, name: "Ana" },
          identities: [],
          created_at: "2026-12-01T09:00:00Z",
          is_anonymous: false,
        },
      }),
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
    const session = await signInWithinLimits(c, credentials);
    return c.json(sessionSchema.parse(session));
  });
}

/** Counts only a password that the auth server refused: not a right one, nor a try while the auth server is down or busy. */
async function signInWithinLimits(c: AppContext, credentials: { email: string; password: string }) {
  const { sql, env, outages, log } = c.var.services;
  const counted = await countLogin(c, credentials.email);
  try {
    const session = await signIn(env, credentials, clientAddress(c));
    outages.worked("auth");
    // If this fails, the try counts as a failed one; the session is good all the same.
    await forgiveLoginAttempt(sql, counted, { succeeded: true })
      .catch((error) => {
        const fields = { request_id: c.get("requestId"), ...describeError(error) };
        log.warn("a successful login was not taken off the limits", fields);
      });
    return session;
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === "unauthorized";
    if (isRefused) outages.worked("auth");
    else await forgiveLoginAttempt(sql, counted, { succeeded: false });
    throw error;
  }
}
