import { z } from "zod";
import { platformIdSchema } from "../platform_text.ts";
import { type AccountChange, parseAccountUpdate } from "./parse_account_update.ts";
import { type PlatformError, readPlatformError } from "./errors.ts";
import { templateStatus } from "./list_templates.ts";
import { isoTime, keyword, optionalText, text, unixTime } from "./webhook_values.ts";

/** An event of a message. The same event may come more than once, and late. */
export interface StatusEvent {
  wabaId: string;
  phoneNumberId: string;
  providerMessageId: string;
  status: "sent" | "delivered" | "read" | "failed";
  /** When it happened, ISO 8601. */
  at: string;
  /** Digits; empty when the platform knows the recipient by a user id only. */
  recipientId: string;
  /** The reference that we sent with the message. */
  reference: string | null;
  error: PlatformError | null;
}

/** A change of a template. `components` means only that its parts changed: the event holds some of them. */
export type TemplateChange =
  | { kind: "status"; status: string; reason: string | null; category: string | null }
  | { kind: "quality"; quality: string }
  | { kind: "category"; category: string }
  | { kind: "components" };

/** The platform reviewed a template, or changed it. It is known by account, name and language. */
export interface TemplateEvent {
  wabaId: string;
  /**
   * Null when unknown. The platform sends a JSON integer; one beyond 2^53 has lost digits in parsing, and half an id is
   * worse than none.
   */
  providerTemplateId: string | null;
  name: string;
  /** May be written `en-US` where the platform's list says `en_US`. */
  language: string;
  change: TemplateChange;
  /** When it happened, ISO 8601. */
  at: string;
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

const statusesSchema = z.looseObject({
  metadata: z.looseObject({ phone_number_id: id }).optional().catch(undefined),
  statuses: z.array(z.unknown()),
  messages: list,
  errors: list,
});

const statusSchema = z.looseObject({
  id: platformIdSchema,
  status: text,
  timestamp: unixTime.optional().catch(undefined),
  recipient_id: text.catch(""),
  biz_opaque_callback_data: text.nullish().catch(undefined),
  errors: list,
});

const templateSchema = z.looseObject({
  message_template_id: z.union([text.min(1), z.int().transform(String)]).nullish().catch(undefined),
  message_template_name: text.min(1),
  message_template_language: text.min(1),
});

const statusChangeSchema = z.looseObject({
  event: text.min(1),
  reason: optionalText,
  message_template_category: keyword.nullish().catch(undefined),
  other_info: z.looseObject({ title: text }).nullish().catch(undefined),
});

const qualityChangeSchema = z.looseObject({ new_quality_score: keyword });
/** An advance notice has this shape too; its `new_category` is the one in force. */
const categoryChangeSchema = z.looseObject({ new_category: keyword });
const componentsChangeSchema = z.union([
  z.looseObject({ message_template_element: z.unknown().refine((value) => value !== undefined) }),
  z.looseObject({ message_template_title: z.unknown().refine((value) => value !== undefined) }),
  z.looseObject({ message_template_footer: z.unknown().refine((value) => value !== undefined) }),
  z.looseObject({ message_template_buttons: z.unknown().refine((value) => value !== undefined) }),
]);

type Entry = z.infer<typeof entrySchema>;

/**
 * Reads the parsed body of a webhook request, which may batch a thousand updates of many accounts. Never throws: unknown
 * fields, states and events are counted and skipped. Changes of messages and templates are recognised by their content,
 * since the platform has sent some under another's name. `now` replaces a missing or impossible time, because an event
 * without a time still shows that a message arrived. Source: WhatsApp Cloud API, webhooks.
 */
export function parseWebhook(body: unknown, now: Date = new Date()): WebhookEvents {
  const events: WebhookEvents = { statuses: [], templates: [], accounts: [], ignored: 0 };
  const parsed = bodySchema.safeParse(body).data;
  if (parsed === undefined) return { ...events, ignored: 1 };
  for (const item of parsed.entry) {
    const entry = entrySchema.safeParse(item).data;
    if (entry === undefined) events.ignored += 1;
    else for (const change of entry.changes) readChange(events, entry, change, now);
  }
  return events;
}

function readChange(events: WebhookEvents, entry: Entry, change: unknown, now: Date): void {
  const { field, value } = changeSchema.safeParse(change).data ?? {};
  const account = parseAccountUpdate(field, value);
  if (account !== null) {
    events.accounts.push({ wabaId: entry.id, change: account, at: isoTime(entry.time, now) });
    return;
  }
  const batch = statusesSchema.safeParse(value).data;
  if (batch === undefined) return keep(events, events.templates, readTemplate(entry, value, now));
  const phoneNumberId = batch.metadata?.phone_number_id ?? "";
  for (const item of batch.statuses) {
    keep(events, events.statuses, readStatus(entry, phoneNumberId, item, now));
  }
  events.ignored += batch.messages.length + batch.errors.length;
}

function keep<T>(events: WebhookEvents, kept: T[], event: T | null): void {
  if (event === null) events.ignored += 1;
  else kept.push(event);
}

function readStatus(entry: Entry, phoneNumberId: string, item: unknown, now: Date): StatusEvent | null {
  const parsed = statusSchema.safeParse(item).data;
  const status = parsed !== undefined && Object.hasOwn(STATUS, parsed.status)
    ? STATUS[parsed.status]
    : undefined;
  if (parsed === undefined || status === undefined) return null;
  return {
    wabaId: entry.id,
    phoneNumberId,
    providerMessageId: parsed.id,
    status,
    at: isoTime(parsed.timestamp ?? entry.time, now),
    recipientId: parsed.recipient_id,
    reference: parsed.biz_opaque_callback_data ?? null,
    error: readPlatformError(parsed.errors[0]),
  };
}

function readTemplate(entry: Entry, value: unknown, now: Date): TemplateEvent | null {
  const parsed = templateSchema.safeParse(value).data;
  const change = readTemplateChange(value);
  if (parsed === undefined || change === null) return null;
  return {
    wabaId: entry.id,
    providerTemplateId: parsed.message_template_id ?? null,
    name: parsed.message_template_name,
    language: parsed.message_template_language,
    change,
    at: isoTime(entry.time, now),
  };
}

function readTemplateChange(value: unknown): TemplateChange | null {
  const status = statusChangeSchema.safeParse(value).data;
  if (status !== undefined) return readStatusChange(status);
  const quality = qualityChangeSchema.safeParse(value).data;
  if (quality !== undefined) return { kind: "quality", quality: quality.new_quality_score };
  const category = categoryChangeSchema.safeParse(value).data;
  if (category !== undefined) return { kind: "category", category: category.new_category };
  return componentsChangeSchema.safeParse(value).success ? { kind: "components" } : null;
}

function readStatusChange(parsed: z.infer<typeof statusChangeSchema>): TemplateChange {
  const title = parsed.other_info?.title;
  // The event of a template's release is not documented; its title is.
  const status = templateStatus(title === "UNPAUSE" ? "APPROVED" : parsed.event);
  const reason = parsed.reason && parsed.reason !== "NONE" ? parsed.reason : title;
  return {
    kind: "status",
    status,
    reason: status === "approved" ? null : reason ?? null,
    category: parsed.message_template_category ?? null,
  };
}
