import assert from "node:assert/strict";
import { startSandbox } from "../../../local/sandbox/start.ts";
import { eventually } from "../../setup/eventually.ts";
import { insertAgent } from "../../setup/fixtures/fixtures.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { type FaultEnvironment, withFaults } from "../with_faults.ts";

const KEY = "xi-key";

interface Asked extends FaultEnvironment {
  /** Settings of a dispatcher. */
  agentEnv: Record<string, string>;
  addFault(fault: JsonObject): Promise<void>;
  sessions(): Promise<JsonObject[]>;
  conversationId: string;
  /** The texts of the conversation with their authors. */
  texts(): Promise<string[]>;
}

/** A visitor has written, and the company's agent owes a reply. */
function withOwedReply(use: (t: Asked) => Promise<void>): Promise<void> {
  return withFaults(async (t) => {
    const { platform_agent_id: agentId } = await insertAgent(t.sql, t.company.id);
    const sandbox = await startSandbox({
      ...{ port: 0, webhookUrl: null, appSecret: "secret", accounts: [] },
      voiceSessions: { accounts: [{ apiKey: KEY, agents: [{ agentId, name: "A", firstMessage: "Hello" }] }] },
    });
    try {
      const controls = `${sandbox.url}/sandbox/voice-sessions`;
      const config = { assistant: { mode: "agent", agent_id: agentId } };
      const { id: widgetId } = await insertWidget(t.sql, t.company.id, { config });
      const conversationId = crypto.randomUUID();
      await t.sql`
        insert into outbound.conversations (company_id, id, widget_id, user_id, token_hash, stored_bytes_left)
        values (${t.company.id}, ${conversationId}, ${widgetId}, gen_random_uuid(), repeat('a', 64), 16384)`;
      await t.sql`select outbound.add_visitor_message(
        ${t.company.id}, ${conversationId}, 'Where is it?', null, '{}', '{"is_owed": true, "name": "Assistant"}')`;
      await use({
        ...t,
        conversationId,
        agentEnv: { ELEVENLABS_API_URL: sandbox.url, ELEVENLABS_API_KEY: KEY },
        async addFault(fault) {
          const headers = { "content-type": "application/json" };
          const body = JSON.stringify(fault);
          await (await fetch(`${controls}/faults`, { method: "POST", headers, body })).body?.cancel();
        },
        sessions: async () => (await (await fetch(controls)).json()).data,
        async texts() {
          const rows = await t.sql`
            select author, text from outbound.conversation_messages where conversation_id = ${conversationId}
            order by sequence`;
          return rows.map(({ author, text }) => `${author}: ${text}`);
        },
      });
    } finally {
      await sandbox.close();
    }
  }, { ratePerSecond: 100 });
}

const REPLIED = ["visitor: Where is it?", "operator: You said: Where is it?"];

/** Waits for the end of what is owed, as if the leases of the dead had ended. */
async function untilReplied({ sql, texts }: Asked): Promise<void> {
  await sql`update outbound.agent_replies set run_at = now()`;
  await eventually(async () => assert.equal((await sql`select from outbound.agent_replies`).length, 0));
  assert.deepEqual(await texts(), REPLIED);
}

Deno.test("a dispatcher is killed while it asks an agent: another one does, and one reply is stored", () =>
  withOwedReply(async (t) => {
    await t.addFault({ silent: true });
    const pool = t.startDispatchers(1, () => ({ env: t.agentEnv }));
    await pool.ready();
    await eventually(async () => {
      const [session] = await t.sessions();
      assert.ok((session?.transcript as JsonObject[]).some(({ role }) => role === "user"));
    });

    await pool.killOne();

    await untilReplied(t);
    assert.equal((await t.sessions()).length, 2);
    await pool.stop();
  }));

Deno.test("a dispatcher is killed when the agent has replied, before the reply is stored: one is stored", () =>
  withOwedReply(async (t) => {
    const pool = t.startDispatchers(1, () => ({ env: t.agentEnv }));
    await t.sql.begin(async (locking) => {
      await locking`select from outbound.conversations where id = ${t.conversationId} for update`;
      await pool.ready();
      await eventually(async () => {
        const [waiting] = await t.sql`
          select from pg_stat_activity where wait_event_type = 'Lock' and query like '%finish_agent_reply%'`;
        assert.ok(waiting);
      });
      await pool.killOne();
    });

    await untilReplied(t);
    await pool.ready();
    await pool.stop();
  }));
