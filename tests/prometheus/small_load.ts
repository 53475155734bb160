import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { insertAgent, insertVoiceSender } from "../setup/fixtures/fixtures.ts";
import { createTestHttp, type TestHttp } from "../setup/http/http.ts";
import { notifyBody } from "../setup/fixtures/notify_body.ts";
import type { TestStack } from "../setup/stack/stack.ts";
import { insertWebhook } from "../setup/fixtures/webhooks.ts";

/** Gives the company of a stack an endpoint for events and a voice sender, then returns a function that loads the service. */
export async function prepareLoad(stack: TestStack, endpoint: string): Promise<() => Promise<void>> {
  const { sql, sandbox, company, key, url } = stack;
  await insertWebhook(sql, company.id, { url: endpoint });
  const voiceSender = await insertVoiceSender(sql, company.id);
  const agent = await insertAgent(sql, company.id);
  await sandbox.addVoiceAccount(voiceSender, {
    agents: [{ agentId: agent.platform_agent_id, name: agent.name, firstMessage: "Hello" }],
  });
  const http = createTestHttp(url);
  const query = { access_key: key.key };
  const call = {
    contact: { number: "34600111222", first_name: "Asha" },
    ...{ recipient_id: voiceSender.number, agent_id: agent.id },
    ...{ notification_type: "transactional", campaign_name: "Calls" },
  };

  return async () => {
    await sandbox.addFault({ times: 1, fault: { code: 131026 } });
    const ids = [];
    for (let count = 0; count < 4; count++) {
      const { status, body } = await http.post("/notify", notifyBody(stack), { query });
      assert.equal(status, 200);
      ids.push(body.inquiry_set_id);
    }
    const called = await http.post("/notify/voice", call, { query });
    assert.equal(called.status, 200);
    assert.equal((await http.get("/nothing")).status, 404);
    assert.equal((await http.post("/notify", {}, { query })).status, 400);
    for (const id of [...ids, called.body.inquiry_set_id]) {
      await untilOver(http, { ...query, campaign_id: id });
    }
  };
}

async function untilOver(http: TestHttp, query: Record<string, string>): Promise<void> {
  await eventually(async () => {
    const { body } = await http.get("/notify/status", { query });
    assert.equal(body.pending + body.processing, 0);
  });
}
