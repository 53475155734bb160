import type { SandboxCall, StoredCall } from "./call.ts";
import { conversationOf } from "./conversation_of.ts";
import { decideCall } from "./decide_call.ts";
import { noFeedback } from "./feedback.ts";
import type { OutboundCall } from "./outbound_call.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** Makes a call: it is in the journal before this returns, and takes up a line of its account until it ends. */
export function acceptCall(voice: VoicePlatform, outbound: OutboundCall): StoredCall {
  const stored = storedCall(voice, outbound);
  voice.journal.write({ t: "call", stored });
  voice.ledger.add(stored);
  voice.slots.open(outbound.account.id);
  voice.counters.accepted += 1;
  voice.events.publish({ kind: "call", call: structuredClone(stored.call) });
  if (!outbound.fault.early_webhook) voice.runner.start(stored);
  return stored;
}

function storedCall(voice: VoicePlatform, outbound: OutboundCall): StoredCall {
  const { account, agent, number, body, fault } = outbound;
  const now = Date.now();
  const client = body.conversation_initiation_client_data;
  const call: SandboxCall = {
    id: `conv_${serial().slice(0, 26)}`,
    to: body.to_number,
    from: number.phoneNumber,
    account: account.id,
    phone_number_id: number.phoneNumberId,
    agent_id: agent.agentId,
    agent_name: agent.name,
    provider: number.provider,
    provider_call_id: number.provider === "twilio" ? `CA${serial()}` : `SCL_${serial().slice(0, 12)}`,
    user_id: client?.user_id ?? null,
    dynamic_variables: client?.dynamic_variables ?? {},
    status: "ringing",
    outcome: null,
    accepted_at: new Date(now).toISOString(),
    responded_at: null,
    picked_up_at: null,
    ended_at: null,
    analysed_at: null,
    duration_secs: 0,
    transcript: [],
    summary: null,
    termination_reason: null,
    error: null,
    webhooks: [],
    feedback: noFeedback(),
    batch_call: outbound.batch ?? null,
  };
  const conversation = conversationOf(outbound, call);
  const plan = decideCall(voice, outbound, conversation, now);
  return { call, conversation, plan, turn: 0, done: 0, echo: fault.no_echo !== true };
}

/** Ids are truly random, not seeded: they must differ from those of the run before a restart. */
function serial(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
