import type { CallStep, StoredCall } from "./call.ts";

/** Makes the next step of a call's plan come true and says which it was; `at` as ISO 8601. */
export function applyStep(stored: StoredCall, at: string): CallStep {
  const { call, plan } = stored;
  const step = plan.steps[stored.done]!;
  stored.done += 1;
  switch (step.kind) {
    case "picked_up":
      call.status = "talking";
      call.picked_up_at = at;
      break;
    case "said":
      call.transcript.push(plan.lines[step.line]!);
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
