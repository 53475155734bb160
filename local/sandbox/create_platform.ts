import { Accounts, addAccount } from "./accounts/accounts.ts";
import { EventHub } from "./control/events.ts";
import { FaultRules } from "./control/faults.ts";
import { deliveredEntry, DeliveryRunner } from "./messages/delivery_runner.ts";
import type { StoredMessage } from "./messages/message.ts";
import { SendLimits, ServiceWindows } from "./messages/send_limits.ts";
import type { SandboxOptions } from "./options.ts";
import type { Platform } from "./platform.ts";
import { defaultSettings } from "./settings.ts";
import { compactJournal } from "./journal/compact_journal.ts";
import { Journal } from "./journal/journal.ts";
import { MediaStore } from "./media/media_store.ts";
import { Ledger } from "./messages/message_ledger.ts";
import { People } from "./people/people.ts";
import { replayJournal } from "./journal/replay_journal.ts";
import { reviewTemplate } from "./templates/template_review.ts";
import { ReviewRunner, TemplateStore } from "./templates/template_store.ts";
import { createVoicePlatform } from "./voice/create_voice_platform.ts";
import { VoiceSessions } from "./voice_session/voice_sessions.ts";
import { WebhookSender } from "./webhooks/webhook_sender.ts";

/** Builds the platform and restores the state in its journal. */
export function createPlatform(options: SandboxOptions): Platform {
  const { journal, entries } = Journal.open(options.directory);
  const accounts = new Accounts();
  const templates = new TemplateStore();
  const ledger = new Ledger();
  const events = new EventHub();
  const currentSettings = () => platform.settings;
  const sender = new WebhookSender({
    appSecret: options.appSecret,
    settings: currentSettings,
    onDelivered: (keys) => journal.write(deliveredEntry(keys)),
  });
  const voice = createVoicePlatform(options.voice, { journal, events, seed: options.seed ?? 1 });
  const displayNumber = (stored: StoredMessage) => stored.message.sender.number;
  const platform: Platform = {
    accounts,
    templates,
    bans: new Set(),
    people: new People(journal),
    media: new MediaStore(journal),
    windows: new ServiceWindows(),
    lastChangeAt: new Map(),
    ledger,
    journal,
    events,
    sender,
    faults: new FaultRules(options.seed ?? 1),
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
  replayJournal(platform, entries);
  if (ledger.evicted + platform.voice.ledger.evicted > 0) {
    compactJournal(platform);
  }
  return platform;
}
