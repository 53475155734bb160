import { sha256Hex } from "../_shared/crypto/digests.ts";
import type {
  AccountEventRow,
  PlatformEvent,
  TemplateEventRow,
} from "../_shared/db/queue/platform_events.ts";
import { readReference } from "../_shared/dispatching/reference.ts";
import type { TemplateEvent } from "../_shared/gateways/whatsapp/parse_template_update.ts";
import { countriesOf } from "../_shared/scheduling/recipient_places.ts";
import type { AccountEvent, StatusEvent } from "../_shared/gateways/whatsapp/parse_webhook.ts";

// The platform repeats events: the same event has the same `dedupe_key`.

/** The actions after which the same message may be sent again. */
const RETRYABLE = new Set([
  "retry",
  "retry_recipient",
  "slow_sender",
  "stop_sender",
  "lock_sender",
  "stop_template",
]);

/** Returns an event about a message in the names of the database. */
export function statusRow(event: StatusEvent): PlatformEvent {
  const reference = readReference(event.reference);
  return {
    dedupe_key: `whatsapp:${event.platformMessageId}:${event.status}`,
    channel: "whatsapp",
    waba_id: event.wabaId,
    phone_number_id: event.phoneNumberId || null,
    foreign_reference: event.reference !== null && reference === null,
    platform_message_id: event.platformMessageId,
    company_id: reference?.companyId ?? null,
    notification_id: reference?.notificationId ?? null,
    fence: reference?.fence ?? null,
    status: event.status,
    occurred_at: event.at,
    error_code: event.error && String(event.error.code),
    retryable: event.error !== null && RETRYABLE.has(event.error.action),
    reason: event.error && event.error.reason,
    ...(event.pricing && { pricing: { ...event.pricing, country: countryOf(event) } }),
  };
}

/** Returns the recipient's country; empty where the number shows none, or several. */
function countryOf({ recipientId, recipientUserId }: StatusEvent): string {
  const countries = countriesOf({ number: recipientId || null, user_id: recipientUserId });
  return countries.length === 1 ? countries[0]! : "";
}

/** Returns an event about an account in the names of the database. */
export function accountEventRow({ wabaId, at, change }: AccountEvent): AccountEventRow {
  const { messagingLimit, ...others } = change;
  return {
    dedupe_key: sha256Hex(JSON.stringify([wabaId, at, change])),
    waba_id: wabaId,
    occurred_at: at,
    messaging_limit: messagingLimit,
    ...others,
  };
}

const NOTHING = { status: null, reason: null, category: null, quality: null };

/** Returns an event about a template in the names of the database. */
export function templateEventRow(event: TemplateEvent): TemplateEventRow {
  const { wabaId, name, language, at, change } = event;
  return {
    dedupe_key: sha256Hex(JSON.stringify([wabaId, name, language, at, change])),
    waba_id: wabaId,
    platform_template_id: event.platformTemplateId,
    name,
    language,
    occurred_at: at,
    ...NOTHING,
    ...change,
  };
}
