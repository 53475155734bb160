import { isIP } from "node:net";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { AuthError, errorResponse } from "./errors.ts";
import type { AuthContext } from "./context.ts";
import { createUser } from "./users/create_user.ts";
import { appTokens } from "./oauth/app_tokens.ts";
import { consent, showAuthorization } from "./oauth/consent.ts";
import { createPendingApps } from "./oauth/pending_apps.ts";
import { authorize, registerApp } from "./oauth/register_app.ts";
import { deleteUser, listUsers, loadUser, updateUser } from "./users/admin_users.ts";
import { challengeFactor, enrollFactor, removeFactor, verifyFactor } from "./factors.ts";
import { inviteUser } from "./users/invite_user.ts";
import { followLink, recover } from "./email_links.ts";
import { logout, type Origin } from "./sessions.ts";
import { passwordGrant } from "./password_grant.ts";
import { refreshGrant } from "./refresh_grant.ts";
import { requireApiKey, requireSecretKey, requireUser } from "./guards.ts";
import { TokenLimit } from "./token_limit.ts";
import { updateOwnUser } from "./users/update_user.ts";
import { userBody } from "./users/users.ts";

export interface AuthAppOptions {
  /** Where apps lead a person who is to let them in. @default none: no app can ask */
  consoleUrl?: string | undefined;
  /** Called for unexpected errors. */
  onError?: (error: unknown) => void;
}

/**
 * Builds the routes of Supabase Auth that supabase-js needs to log in, stay logged in, log out, set a password, show
 * codes of a second factor and manage users, and those of its OAuth 2.1 server, with which apps get tokens of a user.
 */
export function createAuthApp(context: AuthContext, options: AuthAppOptions = {}): Hono {
  const app = new Hono().basePath("/auth/v1");
  const limit = new TokenLimit();
  const pending = createPendingApps();

  app.onError((error, c) => {
    if (!(error instanceof AuthError)) options.onError?.(error);
    return errorResponse(error, c.req.header("x-supabase-api-version"));
  });
  app.get("/health", (c) => c.json({ name: "outbound local auth", version: "1" }));
  app.get("/.well-known/jwks.json", (c) => {
    return c.json(context.signer.jwks, 200, { "cache-control": "public, max-age=600" });
  });
  const metadata = metadataOf(context.signer.issuer);
  for (const name of ["openid-configuration", "oauth-authorization-server"]) {
    app.get(`/.well-known/${name}`, (c) => c.json(metadata, 200, { "cache-control": "public, max-age=600" }));
  }
  // A link in an e-mail, which a browser opens.
  app.get("/verify", (c) => followLink(context, new URL(c.req.url), originOf(context, c)));
  // Apps have no key of the project.
  const { consoleUrl } = options;
  if (consoleUrl !== undefined) {
    app.post("/oauth/clients/register", (c) => registerApp(pending, c.req.raw));
    app.get("/oauth/authorize", (c) => authorize(pending, new URL(c.req.url), consoleUrl));
    app.post("/oauth/token", (c) => appTokens(context, { pending, origin: originOf(context, c) }, c.req.raw));
  }
  app.use(async (c, next) =>
    requireApiKey(context, c.req.header("apikey") ?? bearerKey(c.req.raw)) ?? await next()
  );

  app.post("/token", async (c) => {
    const grant = GRANTS[c.req.query("grant_type") ?? ""];
    if (!grant) throw unsupportedGrantType();
    const origin = originOf(context, c);
    limit.take(origin.ip);
    return await grant(context, c.req.raw, origin);
  });
  app.get("/settings", (c) => c.json({ disable_signup: true, mailer_autoconfirm: false }));
  app.post("/otp", (c) => recover(context, c.req.raw));
  app.get("/user", async (c) => {
    return c.json(userBody((await requireUser(context, c.req.header("authorization"))).user));
  });
  app.put("/user", (c) => updateOwnUser(context, c.req.header("authorization"), c.req.raw));
  app.post("/recover", (c) => recover(context, c.req.raw));
  app.post("/logout", (c) => logout(context, c.req.header("authorization"), c.req.query("scope")));

  app.post("/factors", (c) => enrollFactor(context, c.req.header("authorization"), c.req.raw));
  app.post("/factors/:id/challenge", (c) => {
    return challengeFactor(context, c.req.header("authorization"), c.req.param("id"));
  });
  app.post("/factors/:id/verify", (c) => {
    return verifyFactor(context, c.req.header("authorization"), c.req.param("id"), c.req.raw);
  });
  app.delete("/factors/:id", (c) => removeFactor(context, c.req.header("authorization"), c.req.param("id")));

  app.get("/oauth/authorizations/:id", (c) => showAuthorization(context, askedOf(c)));
  app.post("/oauth/authorizations/:id/consent", (c) => consent(context, askedOf(c), c.req.raw));

  app.post("/invite", requireAdmin(context), (c) => inviteUser(context, c.req.raw));
  app.use("/admin/*", requireAdmin(context));
  app.post("/admin/users", (c) => createUser(context, c.req.raw));
  app.get("/admin/users", (c) => listUsers(context, new URL(c.req.url)));
  app.get("/admin/users/:id", async (c) => c.json(userBody(await loadUser(context, c.req.param("id")))));
  app.put("/admin/users/:id", (c) => updateUser(context, c.req.param("id"), c.req.raw));
  app.delete("/admin/users/:id", (c) => deleteUser(context, c.req.param("id"), c.req.raw));
  return app;

  function askedOf(c: Context) {
    return { pending, authorization: c.req.header("authorization"), id: c.req.param("id")! };
  }
}

/** The metadata that an app reads first (RFC 8414). */
function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    registration_endpoint: `${issuer}/oauth/clients/register`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    token_endpoint_auth_methods_supported: ["none"],
    code_challenge_methods_supported: ["S256"],
    scopes_supported: ["email"],
  };
}

function requireAdmin(context: AuthContext): MiddlewareHandler {
  return async function secretKeyOnly(c, next) {
    await requireSecretKey(context, c.req.header("apikey"), c.req.header("authorization"));
    await next();
  };
}

const GRANTS: Record<string, typeof passwordGrant> = {
  password: passwordGrant,
  refresh_token: refreshGrant,
};

function unsupportedGrantType(): AuthError {
  return new AuthError(400, "invalid_credentials", "unsupported_grant_type");
}

/** Admin requests may carry the secret key only as their Bearer token. */
function bearerKey(request: Request): string | undefined {
  return /^bearer\s+(sb_\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1];
}

function originOf(context: AuthContext, { req }: Context): Origin {
  const ip = forwardedAddress(context, req.header("apikey"), req.header("sb-forwarded-for"));
  return { userAgent: req.header("user-agent"), ip };
}

/** The client's address from a request with the secret key; other requests could name any address. */
function forwardedAddress(
  context: AuthContext,
  apiKey: string | undefined,
  header = "",
): string | undefined {
  if (apiKey !== context.secretKey) return undefined;
  const [first = ""] = header.split(",");
  return isIP(first.trim()) ? first.trim() : undefined;
}
