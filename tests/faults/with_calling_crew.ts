import assert from "node:assert/strict";
import { type CallingCompany, insertCallingCompany } from "../queue/calls.ts";
import { BASE_PATH } from "../setup/http.ts";
import { eventually } from "../setup/eventually.ts";
import { withPostgresDatabase } from "../setup/postgres_database.ts";
import { type TestSandbox, withSandbox } from "../setup/sandbox.ts";
import { TEST_ENV, type TestServices, withServicesOn } from "../setup/services.ts";
import { type Crew, startCrew } from "./crew.ts";
import { DISPATCHER_ENV } from "./with_faults.ts";
import { startWitness } from "./witness.ts";

/** The service, a voice platform without limits of its own, a company that may call, and dispatchers in processes of their own. */
export interface CallingWorld extends TestServices {
  calling: CallingCompany;
  platform: TestSandbox;
  crew: Crew;
  /** Resolves when every call has come to its end. */
  settle(withinMs: number): Promise<void>;
}

/** Calls `fn` with such a world; all the while a witness holds the counters of every campaign against their law. */
export async function withCallingCrew(
  { dispatchers, concurrency }: { dispatchers: number; concurrency: number },
  fn: (t: CallingWorld) => Promise<void>,
): Promise<void> {
  await withPostgresDatabase(({ url }) =>
    withSandbox(TEST_ENV.WHATSAPP_APP_SECRET, (platform) =>
      withServicesOn(url, async (services) => {
        const server = Deno.serve(
          { hostname: "127.0.0.1", port: 0, onListen: () => {} },
          (request, info) => services.app.fetch(request, info),
        );
        const calling = await insertCallingCompany(services.sql, { concurrency });
        const { provider_agent_id: agentId, name } = calling.agent;
        await platform.addVoiceAccount(calling.sender, {
          agents: [{ agentId, name, firstMessage: "Hello {{name}}" }],
          concurrency: 0,
        });
        await platform.configureVoice({
          webhook_url: `http://127.0.0.1:${server.addr.port}${BASE_PATH}/webhooks/voice`,
        });
        const env = {
          ...TEST_ENV,
          ...DISPATCHER_ENV,
          CALL_CHECK_AFTER_S: "1",
          DATABASE_URL: url,
          ELEVENLABS_API_URL: platform.url,
        };
        const crew = startCrew(Array.from({ length: dispatchers }, () => ({ env })));
        const witness = startWitness(url);
        try {
          await crew.ready();
          await fn({
            ...services,
            calling,
            platform,
            crew,
            settle: (withinMs) => eventually(() => assertOver(services), withinMs),
          });
        } finally {
          await crew.kill();
          await platform.configureVoice({ webhooks: false });
          await witness.stop();
          await server.shutdown();
        }
      }))
  );
}

async function assertOver({ sql }: TestServices): Promise<void> {
  const open = await sql`
    select status, count(*)::int from outbound.notifications
    where status in ('scheduled', 'queued', 'sending', 'unconfirmed', 'sent') group by status`;
  assert.deepEqual([...open], []);
}
