import type { EventHub } from "../control/event_hub.ts";
import { FaultBox } from "../control/fault_box.ts";
import { TokenBuckets } from "../messages/token_bucket.ts";
import { seededRandom } from "../random.ts";
import type { Journal } from "../storage/journal.ts";
import { BatchRunner } from "./batch_runner.ts";
import { CallLedger } from "./call_ledger.ts";
import { CallRunner } from "./call_runner.ts";
import { CallSlots } from "./call_slots.ts";
import type { VoiceFault } from "./fault.ts";
import type { VoiceOptions } from "./options.ts";
import type { NumberOutcome } from "./outcomes.ts";
import { defaultVoiceSettings, type VoiceSettings } from "./settings.ts";
import { VoiceAccounts } from "./voice_accounts.ts";
import { VoiceWebhookSender } from "./voice_webhook_sender.ts";

/** Everything the routes of the voice platform work on. */
export interface VoicePlatform {
  accounts: VoiceAccounts;
  ledger: CallLedger;
  slots: CallSlots;
  rates: TokenBuckets;
  runner: CallRunner;
  batches: BatchRunner;
  sender: VoiceWebhookSender;
  faults: FaultBox<VoiceFault>;
  /** By number, in digits: how its calls end, whatever its last digits say. */
  outcomes: Map<string, NumberOutcome>;
  settings: VoiceSettings;
  journal: Journal;
  events: EventHub;
  random: () => number;
  counters: { accepted: number; responded: number; refused: Record<string, number> };
  close(): void;
}

/** Builds the voice platform. It has no accounts unless the options name some. */
export function createVoicePlatform(
  options: VoiceOptions | undefined,
  shared: { journal: Journal; events: EventHub; seed: number },
): VoicePlatform {
  const { journal, events, seed } = shared;
  const ledger = new CallLedger();
  const slots = new CallSlots();
  const settings = () => voice.settings;
  const sender = new VoiceWebhookSender({ secret: options?.webhookSecret ?? "", settings });
  const voice: VoicePlatform = {
    accounts: new VoiceAccounts(),
    ledger,
    slots,
    rates: new TokenBuckets(),
    runner: new CallRunner({ journal, ledger, slots, sender, events, settings }),
    batches: new BatchRunner(() => voice),
    sender,
    faults: new FaultBox(seed),
    outcomes: new Map(),
    settings: defaultVoiceSettings(options?.webhookUrl ?? null),
    journal,
    events,
    random: seededRandom(seed),
    counters: { accepted: 0, responded: 0, refused: {} },
    close() {
      voice.batches.close();
      voice.runner.close();
      sender.close();
    },
  };
  for (const account of options?.accounts ?? []) {
    if (!voice.accounts.put(account)) throw new Error(`Two voice accounts have the key of ${account.id}`);
  }
  return voice;
}
