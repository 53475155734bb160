import { type RouteConfig, z } from "@hono/zod-openapi";
import { signIn } from "../_shared/access/sign_in.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { forgiveLoginAttempt } from "../_shared/db/login_attempts.ts";
import { AppError, badFormat, missingField } from "../_shared/errors.ts";
import { describeError } from "../_shared/log.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { clientAddress } from "../_shared/http/client_address.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readJson } from "../_shared/http/read_json.ts";
import { countLogin } from "./limit_logins.ts";

const credentialsSchema = z.object({
  email: z.string({ error: "text" }).trim().min(1, "an e-mail address").max(320, "an e-mail address"),
  password: z.string({ error: "text" }).min(1, "text that is not empty").max(1000, "at most 1000 characters"),
}).openapi("Credentials");

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
});

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
  }),
}).openapi("Session");

const route: RouteConfig = {
  method: "post",
  path: "/auth",
  summary: "Log in with e-mail and password",
  tags: ["Access"],
  request: {
    query: z.object({ grant_type: z.literal("password") }),
    body: { required: true, content: { "application/json": { schema: credentialsSchema } } },
  },
  responses: {
    200: { description: "A session", content: { "application/json": { schema: sessionSchema } } },
    ...errorResponses([400, 401, 413, 429, 502]),
  },
};

/**
 * `POST /auth?grant_type=password` responds with a session. Fails with `validation_failed`, `unauthorized`,
 * `rate_limit_exceeded` after too many wrong passwords, or `service_unavailable`.
 */
export function registerPostAuth(app: App): void {
  addRoute(app, route, async (c) => {
    const grantType = c.req.query("grant_type");
    if (!grantType) throw missingField("grant_type");
    if (grantType !== "password") {
      throw badFormat("grant_type", grantType, "password, the only supported method");
    }
    const credentials = checkFields(credentialsSchema, (await readJson(c)).value);
    const session = await signInWithinLimits(c, credentials);
    return c.json(sessionSchema.parse(session));
  });
}

/** Only a password that the auth server refused counts: not a right one, and not an auth server that is away or busy. */
async function signInWithinLimits(c: AppContext, credentials: { email: string; password: string }) {
  const { sql, env, outages, log } = c.var.services;
  const counted = await countLogin(c, credentials.email);
  try {
    const session = await signIn(env, credentials, clientAddress(c));
    outages.worked("auth");
    // Without it the try counts as a failure; the session is good all the same.
    await forgiveLoginAttempt(sql, counted, { succeeded: true })
      .catch((error) =>
        log.warn("a successful log-in could not be taken off the limits", describeError(error))
      );
    return session;
  } catch (error) {
    const isRefused = error instanceof AppError && error.code === "unauthorized";
    if (isRefused) outages.worked("auth");
    else await forgiveLoginAttempt(sql, counted, { succeeded: false });
    throw error;
  }
}
