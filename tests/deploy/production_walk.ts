import assert from "node:assert/strict";
import type postgres from "postgres";
import { withAuthServer } from "../cli/with_auth_server.ts";
import { eventually } from "../setup/eventually.ts";
import { insertMember, TEST_SECRETS_KEY } from "../setup/fixtures/fixtures.ts";
import { BASE_PATH, createTestHttp, type JsonObject } from "../setup/http/http.ts";
import { type EventReceiver, withReceiver } from "../setup/http/receiver.ts";
import { type TestSandbox, withSandbox } from "../setup/stack/sandbox.ts";
import { insertTenant } from "../setup/stack/stack.ts";
import { insertWebhook } from "../setup/fixtures/webhooks.ts";

const APP_SECRET = "app-secret-of-production";
const START_MS = 60_000;
const SEND_MS = 30_000;

/** All that the service needs around it; the service itself is started by the test, with `env`. */
export interface Production {
  databaseUrl: string;
  /** Every setting of production. */
  env: Record<string, string>;
  /** Fails unless a user gets a key, sends a notification with it, and the company receives the event that it was read. */
  walk(): Promise<void>;
}

/** Calls `fn` with a database, an auth server, a platform and a company's own server. */
export async function withProduction(fn: (production: Production) => Promise<void>): Promise<void> {
  await withAuthServer(({ sql, url, supabaseUrl, supabaseSecretKey }) =>
    withSandbox(APP_SECRET, (sandbox) =>
      withReceiver(async (receiver) => {
        const origin = `http://127.0.0.1:${freePort()}`;
        await sandbox.configure({ webhook_url: `${origin}${BASE_PATH}/webhooks/whatsapp` });
        const auth = { supabaseUrl, supabaseSecretKey };
        await fn({
          databaseUrl: url,
          env: {
            DATABASE_URL: url,
            OUTBOUND_SECRETS_KEY: TEST_SECRETS_KEY,
            SUPABASE_URL: supabaseUrl,
            SUPABASE_PUBLISHABLE_KEY: "sb_publishable_test",
            SUPABASE_SECRET_KEY: supabaseSecretKey,
            WHATSAPP_API_URL: sandbox.url,
            WHATSAPP_APP_SECRET: APP_SECRET,
            WHATSAPP_VERIFY_TOKEN: "verify-token",
            OUTBOUND_PUBLIC_URL: origin,
            PORT: new URL(origin).port,
            OUTBOUND_LOG_LEVEL: "warn",
            OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true",
          },
          walk: () => walk({ origin, sql, sandbox, receiver, auth }),
        });
        await sandbox.configure({ webhooks: false });
      }))
  );
}

interface Surroundings {
  origin: string;
  sql: postgres.Sql;
  sandbox: TestSandbox;
  receiver: EventReceiver;
  auth: { supabaseUrl: string; supabaseSecretKey: string };
}

async function walk({ origin, sql, sandbox, receiver, auth }: Surroundings): Promise<void> {
  const http = createTestHttp(origin);
  await eventually(async () => {
    const { body } = await http.get("/health");
    assert.deepEqual([body.status, body.dispatcher], ["ok", "running"]);
  }, START_MS);
  const { company, sender, template } = await insertTenant({ sql }, sandbox);
  await insertWebhook(sql, company.id, { url: receiver.url });
  const user = await createUser(auth);
  await insertMember(sql, company.id, user.id);

  const { body: session } = await http.post("/auth", user, { query: { grant_type: "password" } });
  const headers = { authorization: `Bearer ${session.access_token}` };
  const { body: keys } = await http.post("/api_keys", undefined, { headers });
  const accepted = await http.post("/notify", {
    contact: { number: "34600111222" },
    language_template: template.language,
    name_template: template.name,
    recipient_id: sender.number,
    notification_type: "transactional",
    campaign_name: "First order",
    components_push: { body_text_0: "Asha", body_text_1: "A-17" },
  }, { query: { access_key: keys.validApiKeys[0].key } });

  assert.equal(accepted.status, 200, JSON.stringify(accepted.body));
  await eventually(() => {
    const types = receiver.received.map(({ text }) => (JSON.parse(text) as JsonObject).type);
    assert.ok(types.includes("notification.read"), `the company received ${types}`);
    return Promise.resolve();
  }, SEND_MS);
  const page = await fetch(`${origin}${BASE_PATH}/docs/swagger-ui-bundle.js`);
  assert.deepEqual([page.status, (await page.text()).length > 100_000], [200, true]);
}

async function createUser({ supabaseUrl, supabaseSecretKey }: Surroundings["auth"]) {
  const user = { email: `user-${crypto.randomUUID()}@example.com`, password: "correct horse battery" };
  const response = await fetch(`${supabaseUrl}/auth/v1/admin/users`, {
    method: "POST",
    headers: { apikey: supabaseSecretKey, "content-type": "application/json" },
    body: JSON.stringify({ ...user, email_confirm: true }),
  });
  const { id } = await response.json() as { id: string };
  return { ...user, id };
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
