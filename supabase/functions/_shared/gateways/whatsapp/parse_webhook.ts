import { z } from "zod";
import { platformIdSchema } from "../platform_text.ts";
import { type AccountChange, parseAccountUpdate } from "./parse_account_update.ts";
import { type PlatformError, readPlatformError } from "./errors.ts";
import { addressIn, readContacts } from "./inbound_address.ts";
import { type InboundMessage, type Inbox, readMessage } from "./parse_messages.ts";
import {
  type AddressMove,
  type Preference,
  readIdUpdate,
  readPreference,
  readSystemMove,
} from "./parse_preferences.ts";
import { readTemplate, type TemplateEvent } from "./parse_template_update.ts";
import { isoTime, text, unixTime } from "./webhook_values.ts";

/** An event of a message. The same event may come more than once, and late. */
export interface StatusEvent {
  wabaId: string;
  phoneNumberId: string;
  platformMessageId: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** When it happened, ISO 8601. */
  at: string;
  /** Digits; empty when the platform knows the recipient by a user id only. */
  recipientId: string;
  /** The recipient's user id; null when the event does not name it. */
  recipientUserId: string | null;
  /** The reference that we sent with the message. */
  reference: string | null;
  error: PlatformError | null;
  /** How the platform priced a delivered or read message, where it says so. */
  pricing: StatusPricing | null;
}

/** The price of a message, without an amount. */
export interface StatusPricing {
  billable: boolean;
  /** regular, free_customer_service, free_entry_point … */
  type: string;
  /** marketing, utility, authentication, service … */
  category: string;
}

/** The platform changed something about a business account or one of its numbers. */
export interface AccountEvent {
  wabaId: string;
  change: AccountChange;
  /** When it happened, ISO 8601. */
  at: string;
}

/** The events in one webhook request. */
export interface WebhookEvents {
  statuses: StatusEvent[];
  templates: TemplateEvent[];
  accounts: AccountEvent[];
  messages: InboundMessage[];
  preferences: Preference[];
  moves: AddressMove[];
  /** Number of parts that were not used, or not understood. */
  ignored: number;
}

const STATUS: Record<string, StatusEvent["status"]> = {
  sent: "sent",
  delivered: "delivered",
  read: "read",
  played: "read",
  failed: "failed",
};

const id = z.union([text.min(1), z.int().transform(String)]);
const list = z.array(z.unknown()).catch([]);

const bodySchema = z.looseObject({ entry: z.array(z.unknown()) });
const entrySchema = z.looseObject({
  id,
  time: unixTime.optional().catch(undefined),
  changes: z.array(z.unknown()),
});
const changeSchema = z.looseObject({
  field: text.optional().catch(undefined),
  value: z.looseObject({}),
});

const optionalList = z.array(z.unknown()).optional().catch(undefined);
const batchSchema = z.looseObject({
  metadata: z.looseObject({ phone_number_id: id }).optional().catch(undefined),
  contacts: list,
  statuses: optionalList,
  messages: optionalList,
  user_preferences: optionalList,
  user_id_update: z.union([z.array(z.unknown()), z.looseObject({}).transform((one) => [one])]).optional()
    .catch(undefined),
  errors: list,
});

const word = text.regex(/^[A-Za-z_]{1,40}$/).transform((value) => value.toLowerCase());
const pricingSchema = z.looseObject({
  billable: z.boolean(),
  type: word.default("regular"),
  category: word,
});

const statusSchema = z.looseObject({
  id: platformIdSchema,
  status: text,
  timestamp: unixTime.optional().catch(undefined),
  recipient_id: text.catch(""),
  recipient_user_id: text.optional().catch(undefined),
  biz_opaque_callback_data: text.nullish().catch(undefined),
  errors: list,
  pricing: pricingSchema.optional().catch(undefined),
});

type Entry = z.infer<typeof entrySchema>;

/**
 * Reads the parsed body of a webhook request, which may batch a thousand updates of many accounts. Never throws: unknown
 * fields, states and events are counted and skipped. Changes of messages and templates are recognised by their content,
 * since the platform has sent some under another's name. `now` replaces a missing or impossible time, because an event
 * without a time still shows that a message arrived. Source: WhatsApp Cloud API, webhooks.
 */
export function parseWebhook(body: unknown, now: Date = new Date()): WebhookEvents {
  const events: WebhookEvents = {
    ...{ statuses: [], templates: [], accounts: [], messages: [], preferences: [], moves: [] },
    ignored: 0,
  };
  const parsed = bodySchema.safeParse(body).data;
  if (parsed === undefined) return { ...events, ignored: 1 };
  for (const item of parsed.entry) {
    const entry = entrySchema.safeParse(item).data;
    if (entry === undefined) events.ignored += 1;
    else for (const change of entry.changes) readChange(events, entry, change, now);
  }
  return events;
}

/** Copies of what the business itself wrote elsewhere, which look like messages of a person. */
const NOT_INBOUND = new Set([
  "smb_message_echoes",
  "message_echoes",
  "history",
  "smb_app_state_sync",
  "calls",
]);

function readChange(events: WebhookEvents, entry: Entry, change: unknown, now: Date): void {
  const { field, value } = changeSchema.safeParse(change).data ?? {};
  const account = parseAccountUpdate(field, value);
  if (account !== null) {
    events.accounts.push({ wabaId: entry.id, change: account, at: isoTime(entry.time, now) });
    return;
  }
  const batch = NOT_INBOUND.has(field ?? "") ? undefined : batchSchema.safeParse(value).data;
  const { statuses, messages, user_preferences, user_id_update } = batch ?? {};
  if (batch === undefined || !(statuses || messages || user_preferences || user_id_update)) {
    return keep(events, events.templates, readTemplate(entry, value, now));
  }
  const phoneNumberId = batch.metadata?.phone_number_id ?? "";
  const contacts = messages || user_preferences ? readContacts(batch.contacts) : [];
  const inbox: Inbox = { wabaId: entry.id, phoneNumberId, contacts, time: entry.time };
  for (const item of statuses ?? []) {
    keep(events, events.statuses, readStatus(entry, batch, item, now));
  }
  for (const item of messages ?? []) {
    const message = readMessage(item, inbox, now);
    keep(events, events.messages, message);
    if (message !== null) events.moves.push(...readSystemMove(message));
  }
  for (const item of user_preferences ?? []) {
    keep(events, events.preferences, readPreference(item, inbox, now));
  }
  for (const item of user_id_update ?? []) {
    const moves = readIdUpdate(item, inbox, now);
    events.moves.push(...moves);
    if (moves.length === 0) events.ignored += 1;
  }
  events.ignored += batch.errors.length;
}

function keep<T>(events: WebhookEvents, kept: T[], event: T | null): void {
  if (event === null) events.ignored += 1;
  else kept.push(event);
}

function readStatus(
  entry: Entry,
  { metadata }: z.infer<typeof batchSchema>,
  item: unknown,
  now: Date,
): StatusEvent | null {
  const parsed = statusSchema.safeParse(item).data;
  const status = parsed !== undefined && Object.hasOwn(STATUS, parsed.status)
    ? STATUS[parsed.status]
    : undefined;
  if (parsed === undefined || status === undefined) return null;
  return {
    wabaId: entry.id,
    phoneNumberId: metadata?.phone_number_id ?? "",
    platformMessageId: parsed.id,
    status,
    at: isoTime(parsed.timestamp ?? entry.time, now),
    recipientId: parsed.recipient_id,
    recipientUserId: addressIn([parsed.recipient_user_id, parsed.recipient_id])?.user_id ?? null,
    reference: parsed.biz_opaque_callback_data ?? null,
    error: readPlatformError(parsed.errors[0]),
    // Delivering is what is billed; the price of a sent message says only what it will cost.
    pricing: status === "delivered" || status === "read" ? pricingOf(parsed) : null,
  };
}

function pricingOf({ pricing }: z.infer<typeof statusSchema>): StatusPricing | null {
  if (pricing === undefined) return null;
  const { billable, type, category } = pricing;
  return { billable, type, category };
}
