import assert from "node:assert/strict";
import { startSandbox } from "../../../local/sandbox/start.ts";
import { type CallingCompany, insertCallingCompany } from "../../setup/fixtures/calling_company.ts";
import { closeServer } from "../../setup/http/close_server.ts";
import { BASE_PATH, type JsonObject } from "../../setup/http/http.ts";
import { inTheEnd } from "../../setup/eventually.ts";
import { withPostgresDatabase } from "../../setup/database/postgres_database.ts";
import { sandboxControls, type TestSandbox, VOICE_WEBHOOK_SECRET } from "../../setup/stack/sandbox.ts";
import { TEST_ENV, type TestServices, withServicesOn } from "../../setup/stack/services.ts";
import { withTempFolder } from "../../setup/temp_folder.ts";
import { type DispatcherPool, startDispatcherPool } from "../dispatchers/dispatcher_pool.ts";
import { DISPATCHER_ENV } from "../with_faults.ts";
import { startCounterMonitor } from "../counter_monitor.ts";

/** A voice platform without limits of its own that can go down and come back knowing what it did. */
interface CallPlatform extends Pick<TestSandbox, "url" | "addVoiceFault" | "calls" | "voiceStats"> {
  /** Changes settings; they outlive a restart. */
  configure(settings: JsonObject): Promise<void>;
  /** Every connection breaks and no other can be made. */
  goDown(): Promise<void>;
  comeBack(): Promise<void>;
}

/** The service, a company that may call, and dispatchers in processes of their own. */
export interface CallingEnvironment extends TestServices {
  calling: CallingCompany;
  platform: CallPlatform;
  pool: DispatcherPool;
  /** Resolves when every call has come to its end; fails when nothing moves any more. */
  settle(): Promise<void>;
}

/** Calls `fn` with such an environment. Meanwhile a monitor checks the counters of every campaign. */
export async function withCallingPool(
  { dispatchers, concurrency }: { dispatchers: number; concurrency: number },
  fn: (t: CallingEnvironment) => Promise<void>,
): Promise<void> {
  await withPostgresDatabase(({ url }) =>
    withServicesOn(url, async (services) => {
      const server = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        (request, info) => services.app.fetch(request, info),
      );
      const calling = await insertCallingCompany(services.sql, { concurrency });
      const webhookUrl = `http://127.0.0.1:${server.addr.port}${BASE_PATH}/webhooks/voice`;
      try {
        await withCallPlatform(calling, webhookUrl, async (platform) => {
          const env = { ...TEST_ENV, ...DISPATCHER_ENV, OUTBOUND_CALL_CHECK_AFTER_S: "1", DATABASE_URL: url };
          const pool = startDispatcherPool(
            Array.from(
              { length: dispatchers },
              () => ({ env: { ...env, ELEVENLABS_API_URL: platform.url } }),
            ),
          );
          const monitor = startCounterMonitor(url);
          try {
            await pool.ready();
            const settle = () => inTheEnd(() => assertOver(services));
            await fn({ ...services, calling, platform, pool, settle });
          } finally {
            await pool.kill();
            await platform.configure({ webhooks: false });
            await monitor.stop();
          }
        });
      } finally {
        await closeServer(server);
      }
    })
  );
}

async function withCallPlatform(
  { sender, agent }: CallingCompany,
  webhookUrl: string,
  fn: (platform: CallPlatform) => Promise<void>,
): Promise<void> {
  const account = {
    id: sender.id,
    apiKey: sender.token,
    concurrency: 0,
    agents: [{ agentId: agent.platform_agent_id, name: agent.name, firstMessage: "Hello {{name}}" }],
    phoneNumbers: [
      { phoneNumberId: sender.platform_id, phoneNumber: `+${sender.number}`, provider: "twilio" as const },
    ],
  };
  await withTempFolder(async (directory) => {
    const start = (port: number) =>
      startSandbox({
        ...{ port, directory, webhookUrl: null, accounts: [], appSecret: TEST_ENV.WHATSAPP_APP_SECRET },
        voice: { webhookUrl, webhookSecret: VOICE_WEBHOOK_SECRET, accounts: [account] },
      });
    let running = await start(0);
    const controls = sandboxControls(running.url);
    let settings: JsonObject = { ring_ms: 0, no_answer_ms: 0, analysis_ms: 0 };
    await controls.configureVoice(settings);
    try {
      await fn({
        ...controls,
        async configure(changes) {
          settings = { ...settings, ...changes };
          await controls.configureVoice(changes);
        },
        goDown: () => running.close(),
        async comeBack() {
          running = await start(Number(new URL(controls.url).port));
          await controls.configureVoice(settings);
        },
      });
    } finally {
      await running.close();
    }
  });
}

async function assertOver({ sql }: TestServices): Promise<void> {
  const open = await sql`
    select status, count(*)::int from outbound.notifications
    where status in ('scheduled', 'queued', 'sending', 'unconfirmed', 'sent') group by status`;
  assert.deepEqual([...open], []);
}
