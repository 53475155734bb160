import assert from "node:assert/strict";
import {
  newSessionToken,
  readSessionToken,
} from "../../../supabase/functions/_shared/widgets/session_token.ts";

const [OLD, NEW] = ["o".repeat(32), "n".repeat(32)] as const;
const NOW = new Date("2026-01-01T12:00:00Z");
const SESSION = {
  companyId: crypto.randomUUID(),
  widgetId: crypto.randomUUID(),
  agentId: "agent_test",
  sessionId: crypto.randomUUID(),
};

Deno.test("a session goes on while OUTBOUND_SECRETS_KEY is rotated, and ends with its key", async () => {
  const { token: before } = await newSessionToken(OLD, { ...SESSION, now: NOW });
  const { token: after } = await newSessionToken(`${NEW},${OLD}`, { ...SESSION, now: NOW });

  assert.deepEqual(await readSessionToken(`${NEW},${OLD}`, before, NOW), SESSION);
  assert.deepEqual(await readSessionToken(`${OLD},${NEW}`, after, NOW), SESSION);
  assert.deepEqual(await readSessionToken(NEW, after, NOW), SESSION);
  await assert.rejects(readSessionToken(NEW, before, NOW), { code: "unauthorized" });
});
