import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type postgres from "postgres";
import { startAuthServer } from "../../../local/auth/start.ts";
import { newSigningKey } from "../../../local/auth/token_signer.ts";
import { withBareDatabase } from "../../setup/database/database.ts";

export const PUBLISHABLE_KEY = "sb_publishable_test";
export const SECRET_KEY = "sb_secret_test";
export const PASSWORD = "correct horse 1";

export interface AuthFixture {
  url: string;
  sql: postgres.Sql;
  /** A client as a server makes it: nothing kept, nothing refreshed by itself. */
  client(key?: string): SupabaseClient;
  /** Makes a user of its own, who can log in with PASSWORD. */
  createUser(overrides?: Record<string, unknown>): Promise<{ id: string; email: string }>;
  /** A request without supabase-js, with the publishable key. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** POST of a JSON body. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

/** Calls `fn` with an auth server on a database of its own. */
export async function withAuthServer(fn: (fixture: AuthFixture) => Promise<void>): Promise<void> {
  await withBareDatabase(async ({ sql, url: databaseUrl }) => {
    const server = await startAuthServer({
      port: 0,
      databaseUrl,
      signingKey: await newSigningKey(),
      publishableKey: PUBLISHABLE_KEY,
      secretKey: SECRET_KEY,
      consoleUrl: "https://console.example",
    });
    try {
      await fn(makeFixture(server.url, sql));
    } finally {
      await server.close();
    }
  });
}

function makeFixture(url: string, sql: postgres.Sql): AuthFixture {
  const client = (key = PUBLISHABLE_KEY) =>
    createClient(url, key, {
      auth: { persistSession: false, autoRefreshToken: false, detectSessionInUrl: false },
    });
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`${url}/auth/v1${path}`, { ...init, headers: { apikey: PUBLISHABLE_KEY, ...init.headers } });
  return {
    url,
    sql,
    client,
    send,
    post: (path, body, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    async createUser(overrides = {}) {
      const email = `user-${crypto.randomUUID()}@example.com`;
      const { data, error } = await client(SECRET_KEY).auth.admin.createUser({
        email,
        password: PASSWORD,
        email_confirm: true,
        ...overrides,
      });
      if (error) throw error;
      return { id: data.user.id, email: data.user.email! };
    },
  };
}
