import type { EventHub } from "../control/events.ts";
import type { FaultRules } from "../control/faults.ts";
import type { Journal } from "../journal/journal.ts";
import type { TokenBuckets } from "../messages/send_limits.ts";
import type { CallLedger } from "./calls/call_ledger.ts";
import type { NumberOutcome } from "./calls/call_plan.ts";
import type { CallRunner } from "./calls/call_runner.ts";
import type { CallSlots } from "./calls/call_slots.ts";
import type { VoiceAccounts } from "./voice_accounts.ts";
import type { VoiceFault } from "./voice_fault.ts";
import type { VoiceSettings } from "./voice_settings.ts";
import type { VoiceWebhookSender } from "./voice_webhook_sender.ts";

/** Everything that the routes of the voice platform work on. */
export interface VoicePlatform {
  accounts: VoiceAccounts;
  ledger: CallLedger;
  slots: CallSlots;
  rates: TokenBuckets;
  runner: CallRunner;
  sender: VoiceWebhookSender;
  faults: FaultRules<VoiceFault>;
  /** By number, in digits: the outcome of its calls, which overrides its last digits. */
  outcomes: Map<string, NumberOutcome>;
  settings: VoiceSettings;
  journal: Journal;
  events: EventHub;
  random: () => number;
  counters: { accepted: number; responded: number; refused: Record<string, number> };
  close(): void;
}
