import { openToken } from "../crypto/sender_token.ts";
import { failEndlessCalls, takeCallsToCheck, type UnendedCall } from "../db/calls/calls.ts";
import { type PlatformEvent, storePlatformEvents } from "../db/queue/platform_events.ts";
import { findConversations, readConversation } from "../gateways/voice/conversations.ts";
import type { Services } from "../services.ts";
import { callEvent, startedEvent } from "./call_events.ts";
import { type Reference, writeReference } from "./reference.ts";

const CALLS_PER_BATCH = 20;
const MAX_EXPIRED = 1000;

/**
 * Polls the platform about calls whose event never came, and fails those that never end. The platform's response is
 * stored as an event, so it does not matter which of the two comes first, or that both come.
 */
export async function checkCalls(services: Services): Promise<void> {
  const { env, sql, log } = services;
  const expired = await failEndlessCalls(sql, { limit: MAX_EXPIRED, afterS: env.OUTBOUND_CALL_FAIL_AFTER_S });
  if (expired > 0) {
    log.warn("calls marked failed: the platform never reported how they ended", { calls: expired });
  }
  while (await checkBatch(services) === CALLS_PER_BATCH);
}

/** Polls one batch of calls, and returns how many events it stored. */
async function checkBatch(services: Services): Promise<number> {
  const { env, sql, newWork } = services;
  const calls = await takeCallsToCheck(sql, {
    limit: CALLS_PER_BATCH,
    afterS: env.OUTBOUND_CALL_CHECK_AFTER_S,
  });
  const events = (await Promise.all(calls.map((call) => readEvents(services, call)))).flat();
  if (events.length === 0) return 0;
  await storePlatformEvents(sql, events);
  await services.applyEvents();
  // A call that has ended frees its line.
  newWork.notify();
  return events.length;
}

async function readEvents(services: Services, call: UnendedCall): Promise<PlatformEvent[]> {
  const { env, now, sealer } = services;
  const opened = await openToken(sealer, call, env.ELEVENLABS_API_KEY);
  if (opened.kind !== "opened") return [];
  const apiKey = opened.token;
  const reference = { companyId: call.company_id, notificationId: call.notification_id, fence: call.fence };
  const conversationId = call.conversation_id ?? await findConversation(services, reference, apiKey);
  if (conversationId === null) return [];
  const state = await readConversation(
    { apiUrl: env.ELEVENLABS_API_URL },
    { apiKey, conversationId, now: now() },
    { timeoutMs: env.OUTBOUND_SEND_TIMEOUT_S * 1000 },
  );
  switch (state.kind) {
    case "finished":
      return [callEvent(state.report, "polled", reference)];
    case "running":
      return call.conversation_id === null ? [startedEvent(reference, { conversationId, at: now() })] : [];
    case "unavailable":
      warn(services, reference, state.reason);
      return [];
    case "missing":
      return [];
  }
}

/** Finds the conversation of a call whose start got no response; null when there is none. */
async function findConversation(
  services: Services,
  reference: Reference,
  apiKey: string,
): Promise<string | null> {
  const { env } = services;
  const found = await findConversations(
    { apiUrl: env.ELEVENLABS_API_URL },
    { apiKey, userId: writeReference(reference) },
    { timeoutMs: env.OUTBOUND_SEND_TIMEOUT_S * 1000 },
  );
  if (found.kind === "found") return found.conversations[0]?.conversationId ?? null;
  warn(services, reference, found.reason);
  return null;
}

function warn(
  { log }: Services,
  { companyId, notificationId }: Reference,
  reason: string,
): void {
  log.warn("a call could not be checked", { company_id: companyId, notification_id: notificationId, reason });
}
