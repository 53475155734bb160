import { senderTokenOf } from "../crypto/secret_owner.ts";
import { giveUpCalls, takeCallsToCheck, type UnendedCall } from "../db/calls.ts";
import { type ProviderEvent, storeProviderEvents } from "../db/provider_events.ts";
import { findConversations } from "../gateways/voice/find_conversations.ts";
import { readConversation } from "../gateways/voice/read_conversation.ts";
import type { Services } from "../services.ts";
import { callEvent } from "./call_event.ts";
import { type Reference, writeReference } from "./reference.ts";
import { voiceApiKey } from "./voice_api_key.ts";

const CALLS_A_TURN = 20;
const MOST_GIVEN_UP = 1000;

/**
 * Asks the platform about calls whose event never came, and gives up those that never end. What it says goes the way of
 * its events, so that it does not matter which of the two comes first, or that both come.
 */
export async function checkCalls(services: Services): Promise<void> {
  const { env, sql, log } = services;
  const given = await giveUpCalls(sql, { limit: MOST_GIVEN_UP, afterS: env.CALL_GIVE_UP_S });
  if (given > 0) log.warn("calls given up, the platform never said how they ended", { calls: given });
  while (await askAboutSome(services) === CALLS_A_TURN);
}

/** Answers of how many calls the platform had something new to say. */
async function askAboutSome(services: Services): Promise<number> {
  const { env, sql, newWork } = services;
  const calls = await takeCallsToCheck(sql, { limit: CALLS_A_TURN, afterS: env.CALL_CHECK_AFTER_S });
  const events = (await Promise.all(calls.map((call) => askAbout(services, call)))).flat();
  if (events.length === 0) return 0;
  await storeProviderEvents(sql, events);
  await services.applyEvents();
  // A call that is over leaves its line to the next.
  newWork.notify();
  return events.length;
}

async function askAbout(services: Services, call: UnendedCall): Promise<ProviderEvent[]> {
  const opened = await voiceApiKey(services, call.tokenSealed, senderTokenOf(call.companyId, call.senderId));
  if (opened.kind !== "opened") return [];
  const apiKey = opened.secret;
  const conversationId = call.conversationId ?? await findConversation(services, call, apiKey);
  if (conversationId === null) return [];
  const { env, now } = services;
  const state = await readConversation(
    { apiUrl: env.ELEVENLABS_API_URL },
    { apiKey, conversationId, now: now() },
    { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
  );
  switch (state.kind) {
    case "finished":
      return [callEvent(state.report, "asked", call)];
    case "running":
      return call.conversationId === null ? [goesOn(call, conversationId, now())] : [];
    case "unavailable":
      warn(services, call, state.reason);
      return [];
    case "missing":
      return [];
  }
}

/** The conversation of a call whose start was never answered, or null. */
async function findConversation(
  services: Services,
  call: UnendedCall,
  apiKey: string,
): Promise<string | null> {
  const { env } = services;
  const found = await findConversations(
    { apiUrl: env.ELEVENLABS_API_URL },
    { apiKey, userId: writeReference(call) },
    { timeoutMs: env.SEND_TIMEOUT_S * 1000 },
  );
  if (found.kind === "found") return found.conversations[0]?.conversationId ?? null;
  warn(services, call, found.reason);
  return null;
}

/** It was made after all: nothing else is known yet. */
function goesOn(
  { companyId, notificationId, fence }: Reference,
  conversationId: string,
  now: Date,
): ProviderEvent {
  return {
    dedupe_key: `voice:${conversationId}:found`,
    channel: "voice",
    account_id: null,
    provider_message_id: conversationId,
    company_id: companyId,
    notification_id: notificationId,
    fence,
    status: "sent",
    occurred_at: now.toISOString(),
    error_code: null,
    retryable: false,
    reason: null,
  };
}

function warn({ log }: Services, { companyId, notificationId }: UnendedCall, reason: string): void {
  log.warn("a call could not be asked after", {
    company_id: companyId,
    notification_id: notificationId,
    reason,
  });
}
