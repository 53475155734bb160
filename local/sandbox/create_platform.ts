import { Accounts } from "./accounts.ts";
import { addAccount } from "./add_account.ts";
import { EventHub } from "./control/event_hub.ts";
import { FaultBox } from "./control/fault_box.ts";
import { DeliveryRunner, toldLine } from "./messages/delivery_runner.ts";
import type { StoredMessage } from "./messages/message.ts";
import { SendLimits } from "./messages/send_limits.ts";
import { ServiceWindows } from "./messages/service_windows.ts";
import type { SandboxOptions } from "./options.ts";
import type { Platform } from "./platform.ts";
import { defaultSettings } from "./settings.ts";
import { compactJournal } from "./storage/compact_journal.ts";
import { Journal } from "./storage/journal.ts";
import { Ledger } from "./storage/ledger.ts";
import { replayJournal } from "./storage/replay_journal.ts";
import { reviewTemplate } from "./templates/review_template.ts";
import { ReviewRunner } from "./templates/review_runner.ts";
import { TemplateStore } from "./templates/template_store.ts";
import { createVoicePlatform } from "./voice/voice_platform.ts";
import { VoiceSessions } from "./voice_session/voice_sessions.ts";
import { WebhookSender } from "./webhooks/webhook_sender.ts";

/** Builds the platform and takes up what the journal holds of an earlier run. */
export function createPlatform(options: SandboxOptions): Platform {
  const { journal, lines } = Journal.open(options.directory);
  const accounts = new Accounts();
  const templates = new TemplateStore();
  const ledger = new Ledger();
  const events = new EventHub();
  const currentSettings = () => platform.settings;
  const sender = new WebhookSender({
    appSecret: options.appSecret,
    settings: currentSettings,
    onTold: (keys) => journal.write(toldLine(keys)),
  });
  const voice = createVoicePlatform(options.voice, { journal, events, seed: options.seed ?? 1 });
  const displayNumber = (stored: StoredMessage) => stored.message.sender.number;
  const platform: Platform = {
    accounts,
    templates,
    bans: new Set(),
    windows: new ServiceWindows(),
    toldAt: new Map(),
    ledger,
    journal,
    events,
    sender,
    faults: new FaultBox(options.seed ?? 1),
    settings: defaultSettings(options.webhookUrl, options.reviewMs),
    limits: new SendLimits(currentSettings),
    delivery: new DeliveryRunner({
      journal,
      ledger,
      sender,
      events,
      settings: currentSettings,
      displayNumber,
    }),
    reviews: new ReviewRunner(({ id, at }) => {
      // Of a template that was deleted and submitted again, only the later review counts.
      if (templates.get(id)?.template.review_at === at) reviewTemplate(platform, id);
    }),
    voice,
    sessions: new VoiceSessions(options.voiceSessions, Date.now, () => voice.accounts.list()),
    counters: { requests: 0, accepted: 0, answered: 0, refused: {} },
    close() {
      platform.delivery.close();
      platform.reviews.close();
      platform.voice.close();
      sender.close();
      platform.sessions.close();
      events.close();
      journal.close();
    },
  };
  for (const account of options.accounts) addAccount(platform, account);
  replayJournal(platform, lines);
  if (ledger.forgotten + platform.voice.ledger.forgotten > 0) {
    compactJournal(journal, ledger, platform.voice.ledger);
  }
  return platform;
}
