import assert from "node:assert/strict";
import { KEY_PERMISSIONS } from "../../../supabase/functions/_shared/access/permissions.ts";
import { demoAccount, demoVoiceAccount } from "../../../local/demo/demo_data.ts";
import { DEMO_AGENT } from "../../../local/demo/demo_data.ts";
import { type DemoContext, makeDemo } from "../../../local/demo/make_demo.ts";
import { startSandbox } from "../../../local/sandbox/start.ts";
import { createSealer } from "../../../supabase/functions/_shared/crypto/seal.ts";
import { withAuthServer } from "../../cli/with_auth_server.ts";
import { TEST_SECRETS_KEY } from "../../setup/fixtures/fixtures.ts";

const OPTIONS = { password: "demo password", sandboxToken: "EAAtoken", sandboxVoiceKey: "sk_key" };

/** Calls `fn` with a database, an auth server and a sandbox to make demo data on. */
async function withDemoContext(fn: (context: DemoContext) => Promise<void>): Promise<void> {
  await withAuthServer(async ({ sql, supabaseUrl, supabaseSecretKey }) => {
    const sandbox = await startSandbox({
      port: 0,
      webhookUrl: null,
      appSecret: "app-secret",
      accounts: [demoAccount(OPTIONS.sandboxToken)],
      voice: {
        webhookUrl: null,
        webhookSecret: "wsec",
        accounts: [demoVoiceAccount(OPTIONS.sandboxVoiceKey)],
      },
    });
    try {
      const whatsapp = { apiUrl: sandbox.url, apiVersion: "v25.0" };
      await fn({ sql, sealer: createSealer(TEST_SECRETS_KEY), supabaseUrl, supabaseSecretKey, whatsapp });
    } finally {
      await sandbox.close();
    }
  });
}

async function counts({ sql }: DemoContext): Promise<unknown> {
  const [row] = await sql`
    select (select count(*)::int from outbound.companies) as companies,
      (select count(*)::int from outbound.company_members) as members,
      (select count(*)::int from outbound.api_keys) as keys,
      (select count(*)::int from outbound.senders) as senders,
      (select count(*)::int from outbound.voice_agents) as agents,
      (select count(*)::int from outbound.widgets) as widgets,
      (select count(*)::int from outbound.publishable_keys) as publishable_keys,
      (select count(*)::int from auth.users) as users`;
  return { ...row };
}

Deno.test("makeDemo() makes a company with a user, a key, senders, agents and the sandbox's templates", () =>
  withDemoContext(async (context) => {
    const demo = await makeDemo(context, OPTIONS);

    assert.deepEqual(await counts(context), {
      ...{ companies: 1, members: 1, keys: 1, users: 1 },
      ...{ senders: 2, agents: 2 },
      ...{ widgets: 2, publishable_keys: 1 },
    });
    const [agent] = await context
      .sql`select id from outbound.voice_agents where platform_agent_id = ${DEMO_AGENT.platformAgentId}`;
    assert.equal(demo.agent_id, agent!.id);
    assert.ok(demo.templates?.includes("order_update"));
    const [key] = await context.sql`select permissions from outbound.api_keys`;
    assert.deepEqual(key!.permissions, KEY_PERMISSIONS);
  }));

Deno.test("makeDemo() a second time keeps everything and returns the same", () =>
  withDemoContext(async (context) => {
    const first = await makeDemo(context, OPTIONS);
    const before = await counts(context);

    const second = await makeDemo(context, OPTIONS);

    assert.deepEqual(second, first);
    assert.deepEqual(await counts(context), before);
  }));

Deno.test("makeDemo() without a sandbox makes no sender", () =>
  withDemoContext(async (context) => {
    const demo = await makeDemo(context, {
      ...OPTIONS,
      sandboxToken: undefined,
      sandboxVoiceKey: undefined,
    });

    assert.deepEqual([demo.sender, demo.waba_id, demo.templates], [undefined, undefined, undefined]);
    assert.deepEqual([...await context.sql`select id from outbound.senders`], []);
  }));
