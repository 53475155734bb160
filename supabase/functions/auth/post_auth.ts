import { type RouteConfig, z } from "@hono/zod-openapi";
import { signIn } from "../_shared/access/sign_in.ts";
import { checkFields } from "../_shared/check_fields.ts";
import { sha256Hex } from "../_shared/crypto/sha256_hex.ts";
import {
  countLoginAttempt,
  forgiveLoginAttempt,
  LOGIN_WINDOW_S,
  type LoginSubject,
  type LoginVerdict,
} from "../_shared/db/login_attempts.ts";
import { AppError, badFormat, missingField } from "../_shared/errors.ts";
import { addRoute, type App, type AppContext } from "../_shared/http/app.ts";
import { clientAddress } from "../_shared/http/client_address.ts";
import { errorResponses } from "../_shared/http/error_responses.ts";
import { readJson } from "../_shared/http/read_json.ts";

/** Wrong passwords in `LOGIN_WINDOW_S`. An address may be an office, so it gets more than a single account. */
const TRIES_PER_EMAIL = 10;
const TRIES_PER_ADDRESS = 50;

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
 * `POST /auth?grant_type=password` answers a session. Fails with `validation_failed`, `unauthorized`,
 * `rate_limit_exceeded` after too many wrong tries against one e-mail or from one address, or `service_unavailable`.
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

/** Only a wrong password counts: not a success, and not a login server that was away. */
async function signInWithinLimits(c: AppContext, credentials: { email: string; password: string }) {
  const { sql, env, now, outages } = c.var.services;
  const subjects = subjectsOf(c, credentials.email);
  const verdict = await countLoginAttempt(sql, subjects);
  if (verdict.wait_s > 0) throw tooManyTries(verdict, now());
  try {
    const session = await signIn(env, credentials);
    outages.worked("auth");
    await forgiveLoginAttempt(sql, subjects, { afresh: true });
    return session;
  } catch (error) {
    if (error instanceof AppError && error.status >= 500) {
      await forgiveLoginAttempt(sql, subjects, { afresh: false });
    }
    throw error;
  }
}

function subjectsOf(c: AppContext, email: string): LoginSubject[] {
  const address = clientAddress(c);
  return [
    { subject: sha256Hex(`email:${email.toLowerCase()}`), limit: TRIES_PER_EMAIL },
    ...(address ? [{ subject: sha256Hex(`address:${address}`), limit: TRIES_PER_ADDRESS }] : []),
  ];
}

function tooManyTries({ wait_s, reached }: LoginVerdict, now: Date): AppError {
  return new AppError("rate_limit_exceeded", `Too many failed logins; wait ${wait_s} s`, {
    retryAfter: wait_s,
    details: {
      limit: reached,
      window: `${LOGIN_WINDOW_S}s`,
      reset_time: new Date(now.getTime() + wait_s * 1000).toISOString(),
    },
  });
}
