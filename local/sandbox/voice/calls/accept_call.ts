import { noFeedback } from "../conversations/feedback.ts";
import { fillVariables, missingReason, missingVariables } from "../conversations/fill_variables.ts";
import type { ScriptTurn, VoiceAgent } from "../voice_accounts.ts";
import type { VoiceFault } from "../voice_fault.ts";
import type { VoicePlatform } from "../voice_platform.ts";
import type { CallPlan, Conversation, SandboxCall, StoredCall } from "./call.ts";
import { type NumberOutcome, outcomeOf, planCall } from "./call_plan.ts";
import type { OutboundCall } from "./outbound_call.ts";

/** Makes a call. Writes it to the journal first and counts it against its account until it ends. */
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
    platform_call_id: number.provider === "twilio" ? `CA${serial()}` : `SCL_${serial().slice(0, 12)}`,
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
  };
  const conversation = conversationOf(outbound, call);
  const plan = decideCall(voice, outbound, conversation, now);
  return { call, conversation, plan, planNumber: 0, done: 0, echo: fault.no_echo !== true };
}

/** Ids are random, not seeded: they must differ from those of the run before a restart. */
function serial(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** The platform's default ring timeout. */
const RING_TIMEOUT_SECS = 60;
const REORDER_MS = 400;

/** Plans a call. A fault overrides the outcome of the person; that overrides the number's last digits. */
function decideCall(
  voice: VoicePlatform,
  outbound: OutboundCall,
  conversation: Conversation,
  now: number,
): CallPlan {
  const { body, fault, to, number } = outbound;
  const wanted = outcomeOf(voice.outcomes, to);
  const outcome = fault.outcome ?? (voice.settings.manual ? "no_answer" : wanted.outcome);
  const telephony = body.telephony_call_config;
  const ring_timeout_ms = (telephony?.ringing_timeout_secs ?? RING_TIMEOUT_SECS) * 1000;
  return planCall({
    now,
    outcome,
    conversation,
    settings: timesOf(voice, wanted, fault, ring_timeout_ms),
    ring_timeout_ms,
    machine_detection: number.provider === "twilio" &&
      (voice.settings.machine_detection || Boolean(telephony?.twilio_machine_detection)),
    webhook_faults: {
      duplicate: fault.duplicate === true,
      reorder: fault.reorder === true,
      lose: fault.lose === true || wanted.lost === true,
      delay_ms: (fault.delay_ms ?? 0) + (fault.reorder ? Math.floor(voice.random() * REORDER_MS) : 0),
    },
  });
}

function timesOf(
  { settings }: VoicePlatform,
  wanted: NumberOutcome,
  fault: VoiceFault,
  ring_timeout_ms: number,
) {
  const none = fault.early_webhook === true;
  return {
    ring_ms: none ? 0 : wanted.ring_ms ?? settings.ring_ms,
    no_answer_ms: none ? 0 : settings.manual ? ring_timeout_ms : wanted.ring_ms ?? settings.no_answer_ms,
    talk_ms: none ? 0 : wanted.talk_ms ?? settings.talk_ms,
    analysis_ms: none ? 0 : settings.analysis_ms,
    duration_secs: wanted.duration_secs ?? settings.duration_secs,
  };
}

/** The turns after the first message of an agent without a script. */
const SCRIPT: ScriptTurn[] = [
  { role: "user", message: "Yes, thank you for calling." },
  { role: "agent", message: "You are welcome. Goodbye!" },
];

/** Builds the conversation of a call, with values filled in, or the error that ends it before a word. */
function conversationOf({ agent, body }: OutboundCall, call: SandboxCall): Conversation {
  const client = body.conversation_initiation_client_data;
  const values = {
    ...client?.dynamic_variables,
    system__agent_id: call.agent_id,
    system__conversation_id: call.id,
    system__caller_id: call.from,
    system__called_number: call.to,
  };
  const script = [{ role: "agent" as const, message: agent.firstMessage }, ...(agent.script ?? SCRIPT)];
  const turns = script.map(({ role, message }) => ({ role, message: fillVariables(message, values) }));
  const reason = brokenBy(agent, values, client?.conversation_config_override ?? {});
  return { turns, error: reason === null ? null : { code: 1008, reason } };
}

function brokenBy(agent: VoiceAgent, values: Record<string, unknown>, override: object): string | null {
  const overridden = Object.entries(override).find(([, value]) => value !== null && value !== undefined);
  if (overridden !== undefined) return `Override for field '${overridden[0]}' is not allowed by config.`;
  for (
    const [field, text] of [["first message", agent.firstMessage], ["prompt", agent.prompt ?? ""]] as const
  ) {
    const missing = missingVariables(text, values);
    if (missing.length > 0) return missingReason(field, missing);
  }
  return null;
}
