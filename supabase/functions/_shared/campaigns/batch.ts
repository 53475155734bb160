import { z } from "@hono/zod-openapi";
import type { Address } from "../values/address.ts";
import type { AcceptRequest, AcceptVerdict, RecipientRule } from "../db/queue/accept_notifications.ts";
import { AppError, badFormat, ERROR_CODES, type ErrorCode } from "../errors.ts";
import { utcSeconds } from "../scheduling/due_time.ts";
import type { RecipientZone } from "../scheduling/recipient_time.ts";
import { countValues, MAX_VALUES } from "../values/count_values.ts";
import { isStorable, STORABLE } from "../values/storable_text.ts";
import { uuidv7 } from "../values/uuid.ts";
import { mergeMetadata, type Metadata } from "./metadata.ts";
import { type NotificationRequest, readContact } from "./notification_request.ts";
import { type Warning, warningFields } from "./warnings.ts";

export interface PreparedNotification extends Address {
  id: string;
  /** The message that the gateway sends to the recipient. */
  message: unknown;
  metadata: Metadata | null;
  /** The recipient as the request has it. */
  contact: Record<string, unknown>;
  /** When it is due, where that is not one time for all of the request (`scheduleRecipients`). */
  run_at?: Date;
  /** The recipient's zone, where its own time of day counts. */
  zone?: { timezone: string; source: RecipientZone["source"] };
}

export interface ContactFailure {
  /** The index of the contact in the request, from 0. */
  index: number;
  /** The contact as the request gives it. */
  contact: unknown;
  /** The field at fault, in the words of a single contact (`contact.number`); null where it is not a single field. */
  field: string | null;
  /** The error that a request for this contact alone would get. */
  code: ErrorCode;
  reason: string;
}

export interface PreparedBatch {
  notifications: PreparedNotification[];
  failures: ContactFailure[];
  warnings: Warning[];
}

/** The form of a contact on a channel, the message to it, and what is known against sending it. */
export interface MessageRules<Contact extends { metadata?: unknown }> {
  contactSchema: z.ZodType<Contact>;
  recipientVerdicts: RecipientVerdicts;
  addressOf(contact: Contact): Address;
  /** Throws `validation_failed` for a contact that cannot be served. */
  message(contact: Contact): unknown;
}

/**
 * Builds what is sent to each contact. In a bulk request a contact that cannot be served becomes a failure; a single one
 * is thrown as it is: `validation_failed`, `recipient_opted_out`, `consent_missing`.
 */
export function prepareBatch<Contact extends { metadata?: unknown }>(
  { bulk, contacts, metadata }: Pick<NotificationRequest, "bulk" | "contacts" | "metadata">,
  { contactSchema, recipientVerdicts, addressOf, message }: MessageRules<Contact>,
): PreparedBatch {
  const batch: PreparedBatch = { notifications: [], failures: [], warnings: [] };
  const oversized = bulk ? findOversized(contacts) : new Map<number, AppError>();
  for (const [index, given] of contacts.entries()) {
    const tooLarge = oversized.get(index);
    if (tooLarge) {
      batch.failures.push(failureOf(tooLarge, index, outlineOf(given)));
      continue;
    }
    try {
      if (bulk) requireStorable(given);
      const contact = bulk ? readContact(contactSchema, given) : given as Contact;
      const address = addressOf(contact);
      const notification = {
        id: uuidv7(),
        ...address,
        message: message(contact),
        metadata: mergeMetadata(metadata, contact.metadata),
        contact,
      };
      const warning = checkRecipient(recipientVerdicts, address, index);
      if (warning) batch.warnings.push(warning);
      batch.notifications.push(notification);
    } catch (error) {
      if (!bulk || !(error instanceof AppError)) throw error;
      batch.failures.push(failureOf(error, index, given));
    }
  }
  return batch;
}

/** A contact of as many levels, in its list in the body, makes a body of 16. */
const MAX_CONTACT_LEVELS = 14;

/**
 * Returns the contacts that are nested too deep, and, while all together hold too many values, the largest ones: they keep
 * no other one out. The body was not checked for it.
 */
function findOversized(contacts: unknown[]): Map<number, AppError> {
  const sizes = contacts.map((contact) => countValues(contact, MAX_CONTACT_LEVELS));
  const oversized = new Map<number, AppError>();
  let values = sizes.reduce((sum, size) => sum + size, 0);
  if (values <= MAX_VALUES) return oversized;
  values = 0;
  for (const { index, size } of sizes.map((size, index) => ({ index, size })).toSorted(bySize)) {
    values += size;
    if (values > MAX_VALUES) oversized.set(index, tooLarge(size));
  }
  return oversized;
}

/** Infinity is as large as itself, and its difference is no number. */
function bySize(one: { size: number }, other: { size: number }): number {
  return one.size === other.size ? 0 : one.size - other.size;
}

function tooLarge(size: number): AppError {
  const [message, limit] = size === Infinity
    ? [`The contact is nested deeper than ${MAX_CONTACT_LEVELS} levels`, `${MAX_CONTACT_LEVELS} levels`]
    : [
      `The contact holds too many values: all contacts of a request may hold ${MAX_VALUES}`,
      `${MAX_VALUES} values together`,
    ];
  const { details } = badFormat("contact", {}, `an object of at most ${limit}`);
  return new AppError("validation_failed", message, { details });
}

const MAX_OUTLINE_FIELDS = 100;

/** Returns what the response shows of a contact that is too large: the first fields that are no lists or objects. */
function outlineOf(contact: unknown): unknown {
  if (typeof contact !== "object" || contact === null || Array.isArray(contact)) return null;
  const fields = Object.entries(contact).filter(([, value]) => typeof value !== "object");
  return Object.fromEntries(fields.slice(0, MAX_OUTLINE_FIELDS));
}

/** One contact that the database cannot hold keeps no other one out: the body was not checked for it. */
function requireStorable(contact: unknown): void {
  if (isStorable(contact)) return;
  const [name] = Object.entries(contact ?? {}).find((field) => !isStorable(field)) ?? [];
  throw badFormat(name === undefined || !isStorable(name) ? "contact" : `contact.${name}`, "", STORABLE);
}

function failureOf({ code, message, details }: AppError, index: number, contact: unknown): ContactFailure {
  const field = typeof details?.field === "string" ? details.field : null;
  // Codes of the short form belong to whole requests.
  return { index, contact, field, code: code as ErrorCode, reason: message };
}

/**
 * The recipients of one request whom a rule concerns, as the database reported when it was asked to store the request: by number,
 * or by user id where there is no number.
 */
export type RecipientVerdicts = ReadonlyMap<string, RecipientRule>;

/** Adds the rules of a verdict to those that are known. Returns whether one was not known. */
export function addVerdicts(
  rules: Map<string, RecipientRule>,
  { notifications }: AcceptRequest,
  { recipients }: AcceptVerdict,
): boolean {
  const codes = new Map((recipients ?? []).map(({ id, code }) => [id, code]));
  let isNew = false;
  for (const { id, ...address } of notifications) {
    const code = codes.get(id);
    if (!code) continue;
    isNew ||= rules.get(nameOf(address)) !== code;
    rules.set(nameOf(address), code);
  }
  return isNew;
}

function nameOf({ number, user_id }: Partial<Address>): string {
  return number ?? user_id ?? "";
}

const REFUSALS: Record<Exclude<RecipientRule, "warn_no_consent">, [ErrorCode, string]> = {
  opted_out: ["recipient_opted_out", "The recipient does not want such messages"],
  no_consent: [
    "consent_missing",
    "The recipient has not agreed to marketing, and the company requires it: record a consent first",
  ],
};

/**
 * Returns the warning about a recipient, if there is one.
 *
 * Throws `recipient_opted_out` and `consent_missing`.
 */
export function checkRecipient(rules: RecipientVerdicts, address: Address, index: number): Warning | null {
  const rule = rules.get(nameOf(address));
  if (rule === undefined) return null;
  if (rule === "warn_no_consent") {
    return { index, code: "no_consent", message: "No consent of the recipient to marketing is recorded" };
  }
  const [code, message] = REFUSALS[rule];
  throw new AppError(code, message, { details: { field: "contact", reason: rule } });
}

/** Fields of the response to every notification request. */
export const campaignFields = {
  inquiry_set_id: z.uuid().openapi({
    description: "The campaign; GET /notify/status takes it as campaign_id",
  }),
  ...warningFields,
};

const ONLY_DETAILS = "Only with `details=true`";

const contactFailureSchema = z.object({
  contact: z.unknown(),
  reason: z.string(),
  index: z.number().int().min(0).optional().openapi({
    description: `The index of the contact in the request, from 0. ${ONLY_DETAILS}`,
  }),
  field: z.string().nullable().optional().openapi({
    description: `The field at fault, named as for a single contact. ${ONLY_DETAILS}`,
    example: "contact.number",
  }),
  code: z.enum(ERROR_CODES).optional().openapi({
    description: `The error of a request for this contact alone. ${ONLY_DETAILS}`,
  }),
}).openapi("ContactFailure");

/** The response to a request with `contacts`, the same on every channel. */
export const bulkResponseSchema = z.object({
  success: z.literal(true),
  message: z.literal("Processing completed"),
  total: z.number().int(),
  processed: z.number().int(),
  failed: z.number().int(),
  errors: z.array(contactFailureSchema),
  notification_ids: z.array(z.uuid().nullable()).optional().openapi({
    description:
      `The notification of each contact, in the order of \`contacts\`; null for those in \`errors\`. ${ONLY_DETAILS}`,
  }),
  ...campaignFields,
  scheduled_time: z.iso.datetime().optional(),
}).openapi("BulkAccepted");

/** A campaign that is about to be stored, as far as its response shows it. */
export interface AcceptedCampaign {
  id: string;
  batch: PreparedBatch;
  /** Null when it is to be sent at once. */
  due: Date | null;
}

/** The response to a bulk request with `details=true`. */
export interface DetailedBulkResponse extends z.infer<typeof bulkResponseSchema> {
  errors: ContactFailure[];
  notification_ids: (string | null)[];
}

export function bulkResponse({ id, batch, due }: AcceptedCampaign): DetailedBulkResponse {
  return {
    success: true,
    message: "Processing completed",
    total: batch.notifications.length + batch.failures.length,
    processed: batch.notifications.length,
    failed: batch.failures.length,
    errors: batch.failures,
    notification_ids: idsByContact(batch),
    inquiry_set_id: id,
    ...(due && { scheduled_time: utcSeconds(due) }),
  };
}

/** Returns the response to a request without `details=true`. */
export function withoutDetails(response: Record<string, unknown>): Record<string, unknown> {
  if (!("notification_ids" in response)) return response;
  const { notification_ids: _, ...rest } = response as unknown as DetailedBulkResponse;
  return { ...rest, errors: rest.errors.map(({ contact, reason }) => ({ contact, reason })) };
}

/** Returns the index in the request of each notification's contact. */
export function contactIndexes({ notifications, failures }: PreparedBatch): number[] {
  const failed = new Set(failures.map(({ index }) => index));
  const all = Array.from({ length: notifications.length + failures.length }, (_, index) => index);
  return all.filter((index) => !failed.has(index));
}

/** Returns the id of each contact's notification in the order of the request; null for a contact that failed. */
function idsByContact({ notifications, failures }: PreparedBatch): (string | null)[] {
  const ids: (string | null)[] = notifications.map(({ id }) => id);
  for (const { index } of failures) ids.splice(index, 0, null);
  return ids;
}
