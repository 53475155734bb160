import assert from "node:assert/strict";
import type { JWK } from "jose";
import { startAuthServer } from "../../../local/auth/start.ts";
import { newSigningKey } from "../../../local/auth/token_signer.ts";
import { withTestDatabase } from "../database/database.ts";
import { type TestServices, type TestServicesOptions, withServicesOn } from "./services.ts";

export interface TestUser {
  id: string;
  email: string;
  password: string;
}

/** The service together with the auth server that its users log in to. */
export interface TestLogin extends TestServices {
  /** For tokens of the tests' own. */
  signingKey: JWK;
  authUrl: string;
  /** Makes a user who can log in. */
  createUser(overrides?: { email?: string; password?: string; name?: string }): Promise<TestUser>;
  /** Logs a user in through the service and returns the access token. */
  logIn(user: TestUser): Promise<string>;
}

const PUBLISHABLE_KEY = "sb_publishable_test";
const SECRET_KEY = "sb_secret_test";

/** Calls `fn` with the service and an auth server, both on one migrated database. */
export async function withLogin(
  fn: (t: TestLogin) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  await withTestDatabase(({ url }) => withLoginOn({ service: url, auth: url }, fn, options));
}

/** As `withLogin`, on a database that is already there, by an URL for each of the two. */
export async function withLoginOn(
  urls: { service: string; auth: string },
  fn: (t: TestLogin) => Promise<void>,
  options: TestServicesOptions = {},
): Promise<void> {
  const signingKey = { ...await newSigningKey(), alg: "ES256" };
  const keys = { publishableKey: PUBLISHABLE_KEY, secretKey: SECRET_KEY };
  const auth = await startAuthServer({ port: 0, databaseUrl: urls.auth, signingKey, ...keys });
  const env = {
    SUPABASE_URL: auth.url,
    SUPABASE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
    SUPABASE_SECRET_KEY: SECRET_KEY,
    ...options.env,
  };
  const createUser = (overrides = {}) => insertUser(auth.url, overrides);
  try {
    await withServicesOn(urls.service, async (t) => {
      const logIn = (user: TestUser) => accessToken(t, user);
      await fn({ ...t, signingKey, authUrl: auth.url, createUser, logIn });
    }, { ...options, env });
  } finally {
    await auth.close();
  }
}

async function insertUser(
  authUrl: string,
  { name = "Test User", ...overrides }: { email?: string; password?: string; name?: string },
): Promise<TestUser> {
  const user = {
    email: `user-${crypto.randomUUID().slice(0, 8)}@example.com`,
    password: "correct horse battery",
    ...overrides,
  };
  const response = await fetch(`${authUrl}/auth/v1/admin/users`, {
    method: "POST",
    headers: { apikey: SECRET_KEY, "content-type": "application/json" },
    body: JSON.stringify({ ...user, email_confirm: true, user_metadata: { name } }),
  });
  const answer = await response.json() as { id: string };
  assert.ok(response.ok, JSON.stringify(answer));
  return { id: answer.id, ...user };
}

async function accessToken({ http }: TestServices, { email, password }: TestUser): Promise<string> {
  const answer = await http.post("/auth", { email, password }, { query: { grant_type: "password" } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.access_token;
}
