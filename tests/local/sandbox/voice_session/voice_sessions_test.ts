import assert from "node:assert/strict";
import { VoiceSessions } from "../../../../local/sandbox/voice_session/voice_sessions.ts";

const AGENT = { agentId: "agent_demo1", name: "Demo", firstMessage: "Hello" };
const ACCOUNT = { apiKey: "key", agents: [AGENT] };

Deno.test("VoiceSessions.verify() opens the agent it was signed for, for fifteen minutes", () => {
  let now = 1_780_000_000_000;
  const sessions = new VoiceSessions({ accounts: [ACCOUNT] }, () => now);
  const signature = sessions.sign(ACCOUNT, AGENT);

  assert.equal(sessions.verify(signature, AGENT.agentId)?.agent, AGENT);
  assert.equal(sessions.verify(signature, "agent_demo2"), undefined);
  assert.equal(sessions.verify(null, AGENT.agentId), undefined);
  now += 15 * 60_000 - 1;
  assert.equal(sessions.verify(signature, AGENT.agentId)?.account, ACCOUNT);
  now += 1;
  assert.equal(sessions.verify(signature, AGENT.agentId), undefined);
});

Deno.test("VoiceSessions.drawFault() keeps faults of the request and of the socket apart, and counts them", () => {
  const sessions = new VoiceSessions(undefined);
  sessions.faults = [{ http: 503, times: 2 }, { drop_after_ms: 5, times: 1 }];

  assert.equal(sessions.drawFault("socket")?.drop_after_ms, 5);
  assert.equal(sessions.drawFault("socket"), undefined);
  assert.equal(sessions.drawFault("request")?.http, 503);
  assert.equal(sessions.drawFault("request")?.http, 503);
  assert.equal(sessions.drawFault("request"), undefined);
});

Deno.test("VoiceSessions.verify() opens a signature for one conversation once", () => {
  const sessions = new VoiceSessions(undefined, () => 0);
  const signature = sessions.sign(ACCOUNT, AGENT, "conv_1");

  assert.equal(sessions.verify(signature, AGENT.agentId)?.conversationId, "conv_1");
  assert.equal(sessions.verify(signature, AGENT.agentId), undefined);
});

Deno.test("VoiceSessions.account() knows every agent that a key may use, also of workspaces made later", () => {
  const workspaces = [{
    apiKey: "key",
    agents: [{ agentId: "agent_calls", name: "Calls", firstMessage: "Hi" }],
  }];
  const sessions = new VoiceSessions({ accounts: [ACCOUNT] }, Date.now, () => workspaces);
  const agentsOf = (key: string) => sessions.account(key)?.agents.map(({ agentId }) => agentId);

  assert.deepEqual([agentsOf("key"), agentsOf("later"), sessions.account(undefined)], [
    ["agent_demo1", "agent_calls"],
    undefined,
    undefined,
  ]);
  workspaces.push({
    apiKey: "later",
    agents: [{ agentId: "agent_later", name: "Later", firstMessage: "Hi" }],
  });
  assert.deepEqual(agentsOf("later"), ["agent_later"]);
});
