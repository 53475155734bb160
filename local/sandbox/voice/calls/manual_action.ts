import type { VoicePlatform } from "../voice_platform.ts";
import type { StoredCall } from "./call.ts";
import { planCall } from "./call_plan.ts";

export type ManualAction = "answer" | "reject" | "hangup";

/** Answers, rejects or hangs up a phone. Returns false when the call is not in a state for it. */
export function applyManualAction(voice: VoicePlatform, stored: StoredCall, action: ManualAction): boolean {
  const { status } = stored.call;
  if (status !== (action === "hangup" ? "talking" : "ringing")) return false;
  if (action === "hangup") hangUp(voice, stored);
  else pickUpOrReject(voice, stored, action);
  return true;
}

function pickUpOrReject(voice: VoicePlatform, stored: StoredCall, action: "answer" | "reject"): void {
  const plan = planCall({
    now: Date.now(),
    outcome: action === "answer" ? "answered" : "busy",
    conversation: stored.conversation,
    settings: { ...voice.settings, ring_ms: 0 },
    ring_timeout_ms: 0,
    machine_detection: false,
    webhook_faults: {},
  });
  voice.runner.replan(stored, plan);
}

/** Ends a conversation now; its length is the real one. */
function hangUp(voice: VoicePlatform, stored: StoredCall): void {
  const { plan, call } = stored;
  const now = Date.now();
  const analysed = now + voice.settings.analysis_ms;
  voice.runner.replan(stored, {
    ...plan,
    steps: [{ kind: "ended", at: now }, { kind: "analysed", at: analysed }],
    webhooks: plan.webhooks.length === 0 ? [] : [{ type: "post_call_transcription", at: analysed }],
    duration_secs: Math.max(1, Math.round((now - Date.parse(call.picked_up_at!)) / 1000)),
    termination_reason: "Client ended the call",
  });
}
