import type { VoicePlatform } from "../voice_platform.ts";
import type { VoiceEntry } from "./call.ts";
import { applyStep } from "./call_plan.ts";

/** Restores the voice platform from the journal and resumes calls that have not ended. */
export function replayVoice(voice: VoicePlatform, entries: VoiceEntry[]): void {
  const tried = new Set<string>();
  for (const entry of entries) {
    if (entry.t === "voice_account") voice.accounts.put(entry.account);
    else if (entry.t === "call") {
      voice.ledger.add(entry.stored);
      voice.slots.open(entry.stored.call.account);
    } else apply(voice, entry, tried);
  }
  for (const stored of voice.ledger.all()) voice.runner.start(stored, tried);
}

function apply(
  voice: VoicePlatform,
  entry: Exclude<VoiceEntry, { t: "voice_account" | "call" }>,
  tried: Set<string>,
): void {
  const stored = voice.ledger.get(entry.id);
  if (stored === undefined) return;
  switch (entry.t) {
    case "call_plan":
      stored.planNumber = entry.planNumber;
      stored.plan = entry.plan;
      return;
    case "call_step":
      if (applyStep(stored, entry.at).kind === "ended") voice.slots.close(stored.call.account);
      return;
    case "call_responded":
      stored.call.responded_at = entry.at;
      return;
    case "call_feedback":
      stored.call.feedback = entry.feedback;
      return;
    case "call_webhook":
      tried.add(entry.key);
      stored.call.webhooks.push(entry.attempt);
  }
}
