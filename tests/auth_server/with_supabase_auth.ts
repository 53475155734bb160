import assert from "node:assert/strict";
import { join } from "node:path";
import { SignJWT } from "jose";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertMember } from "../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import { withPostgresDatabase } from "../setup/database/postgres_database.ts";
import { type TestServices, type TestServicesOptions, withServicesOn } from "../setup/stack/services.ts";
import { serveProgram } from "../setup/serve_program.ts";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { findBinary } from "../setup/find_binary.ts";
import { freePort } from "../setup/database/postgres_cluster.ts";
import { type Gateway, openGateway, PUBLISHABLE_KEY, SECRET_KEY } from "./gateway.ts";
import { type Mailbox, openMailbox } from "./mailbox.ts";

/** A person of a test, with the tokens of their log-in. */
export interface Person {
  email: string;
  access_token: string;
  refresh_token: string;
}

/** The service beside the auth server that Supabase runs, and a company with an owner. */
export interface SupabaseAuth extends TestServices {
  mailbox: Mailbox;
  companyId: string;
  owner: Person;
  /** Registers an address as a visitor of the project can; with a password of their own. */
  signUp(email: string, password: string): Promise<void>;
  /** Makes a confirmed account that can log in, and logs in. */
  createPerson(email?: string): Promise<Person>;
  /** Logs in; undefined when refused. */
  logIn(email: string, password: string): Promise<Person | undefined>;
  /** Follows the link of the next e-mail to an address. */
  followLink(email: string): Promise<Person>;
  /** Asks the service in a person's name. */
  as(person: Person, method: string, path: string, body?: unknown): Promise<TestAnswer<JsonObject>>;
  /** Has the owner invite an address. */
  invite(email: string): Promise<TestAnswer<JsonObject>>;
  /** Changes a user as an administrator does. */
  change(email: string, fields: JsonObject): Promise<void>;
  /** Registers an app as the operator of the project does. */
  registerApp(app: JsonObject): Promise<JsonObject & { client_id: string }>;
}

export interface SupabaseAuthOptions extends TestServicesOptions {
  /** Settings of the auth server over those of a project with open sign-up. */
  auth?: Record<string, string>;
}

/** The password of every user whom a test makes. */
export const PASSWORD = "correct horse battery 1";
/** Where the links of e-mails lead. */
export const OUTBOUND_CONSOLE_URL = "https://console.example";

/**
 * Calls `fn` with the auth server of Supabase, built from its source in the folder AUTH_SOURCE. Without that folder, or
 * without Go, `test` counts as skipped.
 */
export async function withSupabaseAuth(
  test: string,
  fn: (t: SupabaseAuth) => Promise<void>,
  { auth = {}, ...options }: SupabaseAuthOptions = {},
): Promise<void> {
  const source = Deno.env.get("AUTH_SOURCE");
  if (source === undefined) {
    return skipped(test, "AUTH_SOURCE names no folder with the source of supabase/auth");
  }
  const go = await findBinary("go");
  if (go === undefined) return skipped(test, "no go found");
  const binary = await build(go, source);
  const mailbox = openMailbox();
  const port = freePort();
  const secret = crypto.randomUUID();
  const tokens = {
    anon: await roleToken(secret, "anon"),
    service_role: await roleToken(secret, "service_role"),
  };
  const gateway = openGateway(() => `http://127.0.0.1:${port}`, () => tokens);
  try {
    await withPostgresDatabase(async ({ sql, url }) => {
      await sql`create schema auth`;
      const settings = { ...settingsOf({ url, port, secret, gateway, mailbox }), ...auth };
      await whileServing({ binary, source, port }, settings, async () => {
        const env = {
          SUPABASE_URL: gateway.url,
          SUPABASE_PUBLISHABLE_KEY: PUBLISHABLE_KEY,
          SUPABASE_SECRET_KEY: SECRET_KEY,
          OUTBOUND_CONSOLE_URL,
          ...options.env,
        };
        await withServicesOn(url, async (services) => await fn(await people(services, mailbox)), {
          ...options,
          env,
        });
      });
    });
  } finally {
    await gateway.close();
    await mailbox.close();
  }
}

/** Builds once per process: Go keeps what it built. */
async function build(go: string, source: string): Promise<string> {
  const binary = join(Deno.env.get("TEST_RUN_FOLDER")!, `supabase-auth-${Deno.pid}`);
  const { success, stderr } = await new Deno.Command(go, {
    args: ["build", "-o", binary, "."],
    cwd: source,
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  return binary;
}

async function roleToken(secret: string, role: string): Promise<string> {
  return await new SignJWT({ role }).setProtectedHeader({ alg: "HS256" }).setExpirationTime("1h")
    .sign(new TextEncoder().encode(secret));
}

interface Parts {
  url: string;
  port: number;
  secret: string;
  gateway: Gateway;
  mailbox: Mailbox;
}

/** The settings of a new project: any visitor may sign up, and an address has to be confirmed. */
function settingsOf({ url, port, secret, gateway, mailbox }: Parts): Record<string, string> {
  const path = "/auth/v1/verify";
  return {
    DATABASE_URL: `${url}?search_path=auth`,
    GOTRUE_DB_DRIVER: "postgres",
    GOTRUE_DB_NAMESPACE: "auth",
    GOTRUE_API_HOST: "127.0.0.1",
    GOTRUE_API_PORT: String(port),
    API_EXTERNAL_URL: gateway.url,
    GOTRUE_SITE_URL: "https://site.example",
    GOTRUE_URI_ALLOW_LIST: OUTBOUND_CONSOLE_URL,
    GOTRUE_DISABLE_SIGNUP: "false",
    GOTRUE_JWT_SECRET: secret,
    GOTRUE_JWT_EXP: "3600",
    GOTRUE_JWT_AUD: "authenticated",
    GOTRUE_JWT_DEFAULT_GROUP_NAME: "authenticated",
    GOTRUE_JWT_ADMIN_ROLES: "service_role",
    GOTRUE_JWT_ISSUER: `${gateway.url}/auth/v1`,
    GOTRUE_EXTERNAL_EMAIL_ENABLED: "true",
    GOTRUE_MAILER_AUTOCONFIRM: "false",
    GOTRUE_MAILER_URLPATHS_INVITE: path,
    GOTRUE_MAILER_URLPATHS_CONFIRMATION: path,
    GOTRUE_MAILER_URLPATHS_RECOVERY: path,
    GOTRUE_SMTP_HOST: "127.0.0.1",
    GOTRUE_SMTP_PORT: String(mailbox.port),
    GOTRUE_SMTP_ADMIN_EMAIL: "auth@example.com",
    GOTRUE_SMTP_MAX_FREQUENCY: "60s",
    GOTRUE_MFA_TOTP_ENROLL_ENABLED: "true",
    GOTRUE_MFA_TOTP_VERIFY_ENABLED: "true",
    GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED: "true",
    GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: "10",
    GOTRUE_RATE_LIMIT_EMAIL_SENT: "1000",
    GOTRUE_LOG_LEVEL: "error",
  };
}

async function whileServing(
  { binary, source, port }: { binary: string; source: string; port: number },
  env: Record<string, string>,
  fn: () => Promise<void>,
): Promise<void> {
  await withTempFolder(async (folder) => {
    // Reads its migrations from where it starts.
    const end = await serveProgram({
      binary,
      folder,
      cwd: source,
      env,
      url: `http://127.0.0.1:${port}/health`,
    });
    try {
      await fn();
    } finally {
      await end("SIGTERM");
    }
  });
}

async function people(services: TestServices, mailbox: Mailbox): Promise<SupabaseAuth> {
  const { sql, http, env } = services;
  const request = async (method: string, path: string, key: string, body?: JsonObject) => {
    const response = await fetch(`${env.SUPABASE_URL}/auth/v1${path}`, {
      method,
      headers: { apikey: key, "content-type": "application/json" },
      ...body && { body: JSON.stringify(body) },
    });
    const answer = await response.json() as JsonObject;
    assert.ok(response.ok, JSON.stringify(answer));
    return answer;
  };
  const logIn: SupabaseAuth["logIn"] = async (email, password) => {
    const { status, body } = await http.post("/auth", { email, password }, {
      query: { grant_type: "password" },
    });
    assert.ok(status === 200 || status === 401, JSON.stringify(body));
    const { access_token, refresh_token } = body;
    return status === 200 ? { email, access_token, refresh_token } : undefined;
  };
  const createPerson: SupabaseAuth["createPerson"] = async (email = newAddress()) => {
    await request("POST", "/admin/users", SECRET_KEY, { email, password: PASSWORD, email_confirm: true });
    return (await logIn(email, PASSWORD))!;
  };
  const as: SupabaseAuth["as"] = ({ access_token }, method, path, body) =>
    http.request(method, path, body, { headers: { authorization: `Bearer ${access_token}` } });
  const company = await insertCompany(sql, { name: "Acme" });
  const owner = await createPerson();
  await insertMember(sql, company.id, userIdOf(owner), "owner");
  return {
    ...services,
    mailbox,
    companyId: company.id,
    owner,
    createPerson,
    logIn,
    as,
    signUp: async (email, password) =>
      void await request("POST", "/signup", PUBLISHABLE_KEY, { email, password }),
    invite: (email) =>
      as(owner, "POST", `/manage/companies/${company.id}/members`, { email, role: "operator", name: "Asha" }),
    async followLink(email) {
      const link = await mailbox.nextLink(email);
      // The auth server sends an e-mail before it commits what the link opens.
      return await eventually(async () => {
        const response = await fetch(link, { redirect: "manual" });
        await response.body?.cancel();
        const location = response.headers.get("location") ?? "";
        assert.ok(location.startsWith(OUTBOUND_CONSOLE_URL), `${response.status} ${location}`);
        const { access_token, refresh_token } = Object.fromEntries(
          new URLSearchParams(location.split("#")[1]),
        );
        assert.ok(access_token && refresh_token, location);
        return { email, access_token, refresh_token };
      });
    },
    async change(email, fields) {
      const [user] = await sql`select id from auth.users where email = ${email}`;
      await request("PUT", `/admin/users/${user!.id}`, SECRET_KEY, fields);
    },
    registerApp: async (app) =>
      await request("POST", "/admin/oauth/clients", SECRET_KEY, app) as JsonObject & { client_id: string },
  };
}

/** Returns an address that no account has. */
export function newAddress(): string {
  return `person-${crypto.randomUUID().slice(0, 8)}@example.com`;
}

/** Returns the user whose access token it is. */
export function userIdOf({ access_token }: Person): string {
  return JSON.parse(atob(access_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"))).sub;
}
