import type { CallOutcome, CallPlan, Conversation } from "./call.ts";
import type { VoiceSettings } from "./settings.ts";

export interface CallPlanInput {
  now: number;
  outcome: CallOutcome;
  /** What is said, if anybody picks up. */
  conversation: Conversation;
  settings: Pick<VoiceSettings, "ring_ms" | "no_answer_ms" | "talk_ms" | "analysis_ms" | "duration_secs">;
  /** The call's own limit on ringing. */
  ring_timeout_ms: number;
  /** Tell that a machine picked up. */
  machine_detection: boolean;
  telling: { duplicate?: boolean; reorder?: boolean; lose?: boolean; delay_ms?: number };
}

const REASONS = { busy: "Line busy", no_answer: "No answer", failed: "Call failed" };

/** Repeats and late tellings keep this distance. */
const GAP_MS = 150;

/** Decides what happens to a call. Pure: the same input gives the same plan. */
export function planCall(input: CallPlanInput): CallPlan {
  const plan = isPickedUp(input) ? conversation(input) : noConversation(input);
  return { ...plan, tellings: tell(plan.tellings, input.telling) };
}

/** A phone that would be picked up later than it may ring is not picked up. */
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
    lines: [],
    tellings: [{ type: "call_initiation_failure", at }],
    duration_secs: 0,
    error: null,
    termination_reason: REASONS[outcome],
  };
}

function conversation(input: CallPlanInput): CallPlan {
  const { now, outcome, settings } = input;
  const { lines, error } = input.conversation;
  const machine = outcome === "voicemail";
  const pickedUp = now + settings.ring_ms;
  const talk = error === null ? settings.talk_ms : 0;
  const said = error === null ? lines.slice(0, machine ? 1 : undefined) : [];
  const duration_secs = settings.duration_secs ?? Math.max(1, Math.round(talk / 1000));
  const done = pickedUp + talk + settings.analysis_ms;
  return {
    outcome,
    steps: [
      { kind: "picked_up", at: pickedUp },
      ...said.map((_, line) => ({
        kind: "said" as const,
        at: pickedUp + Math.floor(talk * line / said.length),
        line,
      })),
      { kind: "ended", at: pickedUp + talk },
      { kind: "analysed", at: done },
    ],
    lines: said.map((line, index) => ({
      ...line,
      time_in_call_secs: Math.floor(duration_secs * index / said.length),
    })),
    tellings: [
      ...(machine && input.machine_detection
        ? [{ type: "answering_machine_detection" as const, at: pickedUp }]
        : []),
      { type: "post_call_transcription", at: done },
    ],
    duration_secs,
    error,
    termination_reason: error?.reason ?? (machine ? "Voicemail detected" : "Client ended the call"),
  };
}

function tell(tellings: CallPlan["tellings"], how: CallPlanInput["telling"]): CallPlan["tellings"] {
  if (how.lose) return [];
  const last = tellings.at(-1)!.at;
  return tellings.flatMap(({ type, at }, index) => {
    const turned = how.reorder ? last + (tellings.length - 1 - index) * GAP_MS : at;
    const first = turned + (how.delay_ms ?? 0);
    return how.duplicate ? [{ type, at: first }, { type, at: first + GAP_MS }] : [{ type, at: first }];
  });
}
