import type { Accounts } from "./accounts.ts";
import type { EventHub } from "./control/event_hub.ts";
import type { Fault } from "./control/fault.ts";
import type { FaultBox } from "./control/fault_box.ts";
import type { DeliveryRunner } from "./messages/delivery_runner.ts";
import type { SendLimits } from "./messages/send_limits.ts";
import type { ServiceWindows } from "./messages/service_windows.ts";
import type { Settings } from "./settings.ts";
import type { Journal } from "./storage/journal.ts";
import type { Ledger } from "./storage/ledger.ts";
import type { ReviewRunner } from "./templates/review_runner.ts";
import type { TemplateStore } from "./templates/template_store.ts";
import type { VoicePlatform } from "./voice/voice_platform.ts";
import type { VoiceSessions } from "./voice_session/voice_sessions.ts";
import type { WebhookSender } from "./webhooks/webhook_sender.ts";

/** Everything the routes work on. */
export interface Platform {
  accounts: Accounts;
  templates: TemplateStore;
  /** Accounts the platform disabled, by id: it refuses their messages. */
  bans: Set<string>;
  windows: ServiceWindows;
  /** Unix seconds of the last webhook about each template or account, by id. */
  toldAt: Map<string, number>;
  ledger: Ledger;
  journal: Journal;
  faults: FaultBox<Fault>;
  settings: Settings;
  limits: SendLimits;
  delivery: DeliveryRunner;
  reviews: ReviewRunner;
  sender: WebhookSender;
  events: EventHub;
  voice: VoicePlatform;
  sessions: VoiceSessions;
  /** `requests`: calls of the platform's own routes, whatever their answer. */
  counters: { requests: number; accepted: number; answered: number; refused: Record<string, number> };
  close(): void;
}
