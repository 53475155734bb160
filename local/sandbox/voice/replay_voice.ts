import { applyStep } from "./apply_step.ts";
import type { VoiceLine } from "./voice_line.ts";
import type { VoicePlatform } from "./voice_platform.ts";

/** Brings the voice platform to the state the journal tells of and goes on with calls that were not over. */
export function replayVoice(voice: VoicePlatform, lines: VoiceLine[]): void {
  const told = new Set<string>();
  for (const line of lines) {
    if (line.t === "voice_account") voice.accounts.put(line.account);
    else if (line.t === "call") {
      voice.ledger.add(line.stored);
      voice.slots.open(line.stored.call.account);
    } else apply(voice, line, told);
  }
  for (const stored of voice.ledger.all()) voice.runner.start(stored, told);
}

function apply(
  voice: VoicePlatform,
  line: Exclude<VoiceLine, { t: "voice_account" | "call" }>,
  told: Set<string>,
): void {
  const stored = voice.ledger.get(line.id);
  if (stored === undefined) return;
  switch (line.t) {
    case "call_plan":
      stored.turn = line.turn;
      stored.plan = line.plan;
      return;
    case "call_step":
      if (applyStep(stored, line.at).kind === "ended") voice.slots.close(stored.call.account);
      return;
    case "call_responded":
      stored.call.responded_at = line.at;
      return;
    case "call_feedback":
      stored.call.feedback = line.feedback;
      return;
    case "call_told":
      told.add(line.key);
      stored.call.webhooks.push(line.entry);
  }
}
