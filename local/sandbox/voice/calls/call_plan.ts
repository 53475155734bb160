import type { VoiceSettings } from "../voice_settings.ts";
import type { CallOutcome, CallPlan, CallStep, Conversation, StoredCall } from "./call.ts";

export interface CallPlanInput {
  now: number;
  outcome: CallOutcome;
  /** The conversation after a pickup. */
  conversation: Conversation;
  settings: Pick<VoiceSettings, "ring_ms" | "no_answer_ms" | "talk_ms" | "analysis_ms" | "duration_secs">;
  /** The call's own limit on ringing. */
  ring_timeout_ms: number;
  /** Reports that a machine picked up. */
  machine_detection: boolean;
  webhook_faults: { duplicate?: boolean; reorder?: boolean; lose?: boolean; delay_ms?: number };
}

const REASONS = { busy: "Line busy", no_answer: "No answer", failed: "Call failed" };

/** The distance of repeated and late webhooks. */
const GAP_MS = 150;

/** Plans a call. Pure: the same input returns the same plan. */
export function planCall(input: CallPlanInput): CallPlan {
  const plan = isPickedUp(input) ? conversation(input) : noConversation(input);
  return { ...plan, webhooks: applyWebhookFaults(plan.webhooks, input.webhook_faults) };
}

/** A phone is not picked up after its ring timeout. */
function isPickedUp({ outcome, settings, ring_timeout_ms }: CallPlanInput): boolean {
  return (outcome === "answered" || outcome === "voicemail") && settings.ring_ms <= ring_timeout_ms;
}

function noConversation(input: CallPlanInput): CallPlan {
  const { now, settings, ring_timeout_ms } = input;
  const outcome = input.outcome === "busy" || input.outcome === "failed" ? input.outcome : "no_answer";
  const rings = {
    busy: settings.ring_ms,
    failed: 0,
    no_answer: input.outcome === "no_answer" ? settings.no_answer_ms : ring_timeout_ms,
  };
  const at = now + Math.min(rings[outcome], ring_timeout_ms);
  return {
    outcome,
    steps: [{ kind: "ended", at }],
    turns: [],
    webhooks: [{ type: "call_initiation_failure", at }],
    duration_secs: 0,
    error: null,
    termination_reason: REASONS[outcome],
  };
}

function conversation(input: CallPlanInput): CallPlan {
  const { now, outcome, settings } = input;
  const { turns, error } = input.conversation;
  const isMachine = outcome === "voicemail";
  const pickedUp = now + settings.ring_ms;
  const talk = error === null ? settings.talk_ms : 0;
  const spoken = error === null ? turns.slice(0, isMachine ? 1 : undefined) : [];
  const duration_secs = settings.duration_secs ?? Math.max(1, Math.round(talk / 1000));
  const done = pickedUp + talk + settings.analysis_ms;
  return {
    outcome,
    steps: [
      { kind: "picked_up", at: pickedUp },
      ...spoken.map((_, turn) => ({
        kind: "spoken" as const,
        at: pickedUp + Math.floor(talk * turn / spoken.length),
        turn,
      })),
      { kind: "ended", at: pickedUp + talk },
      { kind: "analysed", at: done },
    ],
    turns: spoken.map((turn, index) => ({
      ...turn,
      time_in_call_secs: Math.floor(duration_secs * index / spoken.length),
    })),
    webhooks: [
      ...(isMachine && input.machine_detection
        ? [{ type: "answering_machine_detection" as const, at: pickedUp }]
        : []),
      { type: "post_call_transcription", at: done },
    ],
    duration_secs,
    error,
    termination_reason: error?.reason ?? (isMachine ? "Voicemail detected" : "Client ended the call"),
  };
}

function applyWebhookFaults(
  webhooks: CallPlan["webhooks"],
  faults: CallPlanInput["webhook_faults"],
): CallPlan["webhooks"] {
  if (faults.lose) return [];
  const last = webhooks.at(-1)!.at;
  return webhooks.flatMap(({ type, at }, index) => {
    const reordered = faults.reorder ? last + (webhooks.length - 1 - index) * GAP_MS : at;
    const first = reordered + (faults.delay_ms ?? 0);
    return faults.duplicate ? [{ type, at: first }, { type, at: first + GAP_MS }] : [{ type, at: first }];
  });
}

/** Applies the next step of a call's plan and returns it; `at` as ISO 8601. */
export function applyStep(stored: StoredCall, at: string): CallStep {
  const { call, plan } = stored;
  const step = plan.steps[stored.done]!;
  stored.done += 1;
  switch (step.kind) {
    case "picked_up":
      call.status = "talking";
      call.picked_up_at = at;
      break;
    case "spoken":
      call.transcript.push(plan.turns[step.turn]!);
      break;
    case "ended":
      call.status = "ended";
      call.ended_at = at;
      call.outcome = plan.outcome;
      call.duration_secs = plan.duration_secs;
      call.error = plan.error;
      call.termination_reason = plan.termination_reason;
      break;
    case "analysed":
      call.analysed_at = at;
      call.summary = summaryOf(stored);
  }
  return step;
}

function summaryOf({ call, plan }: StoredCall): string {
  if (plan.error !== null) return "The conversation could not be held.";
  if (plan.outcome === "voicemail") return `${call.agent_name} reached a voicemail and left a message.`;
  const replies = call.transcript.filter(({ role }) => role === "user").length;
  return `${call.agent_name} spoke with the person, who answered ${
    replies === 1 ? "once" : `${replies} times`
  }.`;
}

/** The outcome of calls to a number. */
export interface NumberOutcome {
  outcome: CallOutcome;
  ring_ms?: number | undefined;
  talk_ms?: number | undefined;
  duration_secs?: number | undefined;
  /** No webhook reports the call. */
  lost?: boolean | undefined;
}

/** The last digits of a number that decide the outcome of its calls. */
export const MAGIC_ENDINGS: Readonly<Record<string, NumberOutcome>> = {
  "0101": { outcome: "busy" },
  "0102": { outcome: "no_answer" },
  "0103": { outcome: "voicemail" },
  "0104": { outcome: "failed" },
  "0105": { outcome: "answered", lost: true },
};

/** The outcome of a call to this number, in digits, unless a fault sets another. */
export function outcomeOf(outcomes: ReadonlyMap<string, NumberOutcome>, to: string): NumberOutcome {
  return outcomes.get(to) ?? MAGIC_ENDINGS[to.slice(-4)] ?? { outcome: "answered" };
}
