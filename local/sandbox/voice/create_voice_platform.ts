import type { EventHub } from "../control/events.ts";
import { FaultRules, seededRandom } from "../control/faults.ts";
import { TokenBuckets } from "../messages/send_limits.ts";
import type { Journal } from "../journal/journal.ts";
import { CallLedger } from "./calls/call_ledger.ts";
import { CallRunner } from "./calls/call_runner.ts";
import { CallSlots } from "./calls/call_slots.ts";
import { VoiceAccounts, type VoiceOptions } from "./voice_accounts.ts";
import type { VoicePlatform } from "./voice_platform.ts";
import { defaultVoiceSettings } from "./voice_settings.ts";
import { VoiceWebhookSender } from "./voice_webhook_sender.ts";

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
    sender,
    faults: new FaultRules(seed),
    outcomes: new Map(),
    settings: defaultVoiceSettings(options?.webhookUrl ?? null),
    journal,
    events,
    random: seededRandom(seed),
    counters: { accepted: 0, responded: 0, refused: {} },
    close() {
      voice.runner.close();
      sender.close();
    },
  };
  for (const account of options?.accounts ?? []) {
    if (!voice.accounts.put(account)) throw new Error(`Two voice accounts have the key of ${account.id}`);
  }
  return voice;
}
