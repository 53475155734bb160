import type { CallPlan, Conversation } from "./call.ts";
import { planCall } from "./call_plan.ts";
import type { VoiceFault } from "./fault.ts";
import type { OutboundCall } from "./outbound_call.ts";
import { type NumberOutcome, outcomeOf } from "./outcomes.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** The platform's own default for how long a phone may ring. */
const RING_TIMEOUT_SECS = 60;
const REORDER_MS = 400;

/** Decides how a call goes: a fault before a person, a person before the number and its last digits. */
export function decideCall(
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
    telling: {
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
