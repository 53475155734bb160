import type { Accounts } from "./accounts/accounts.ts";
import type { EventHub } from "./control/events.ts";
import type { Fault } from "./messages/send_fault.ts";
import type { FaultRules } from "./control/faults.ts";
import type { DeliveryRunner } from "./messages/delivery_runner.ts";
import type { SendLimits, ServiceWindows } from "./messages/send_limits.ts";
import type { Settings } from "./settings.ts";
import type { Journal } from "./journal/journal.ts";
import type { MediaStore } from "./media/media_store.ts";
import type { Ledger } from "./messages/message_ledger.ts";
import type { People } from "./people/people.ts";
import type { ReviewRunner, TemplateStore } from "./templates/template_store.ts";
import type { VoicePlatform } from "./voice/voice_platform.ts";
import type { VoiceSessions } from "./voice_session/voice_sessions.ts";
import type { WebhookSender } from "./webhooks/webhook_sender.ts";

/** Everything that the routes work on. */
export interface Platform {
  accounts: Accounts;
  templates: TemplateStore;
  /** Ids of accounts that the platform disabled: it refuses their messages. */
  bans: Set<string>;
  people: People;
  media: MediaStore;
  windows: ServiceWindows;
  /** Unix seconds of the last webhook about each template or account, by id. */
  lastChangeAt: Map<string, number>;
  ledger: Ledger;
  journal: Journal;
  faults: FaultRules<Fault>;
  settings: Settings;
  limits: SendLimits;
  delivery: DeliveryRunner;
  reviews: ReviewRunner;
  sender: WebhookSender;
  events: EventHub;
  voice: VoicePlatform;
  sessions: VoiceSessions;
  /** `requests`: all requests to the platform's own routes. */
  counters: { requests: number; accepted: number; answered: number; refused: Record<string, number> };
  close(): void;
}
