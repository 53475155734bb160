import { z } from "@hono/zod-openapi";
import { AppError } from "../errors.ts";
import { utcSeconds } from "../scheduling/due_time.ts";
import { uuidv7 } from "../uuid.ts";
import { type NotificationRequest, readContact } from "./notification_request.ts";

export interface PreparedNotification {
  id: string;
  number: string;
  /** The message that the gateway sends to the number. */
  message: unknown;
}

export interface ContactFailure {
  /** The contact as the request gives it. */
  contact: unknown;
  reason: string;
}

export interface PreparedBatch {
  notifications: PreparedNotification[];
  failures: ContactFailure[];
}

/** The form of a contact on a channel, and the message to it. */
export interface ContactRules<Contact extends { number: string }> {
  contactSchema: z.ZodType<Contact>;
  /** Throws `validation_failed` for a contact that cannot be served. */
  message(contact: Contact): unknown;
}

/**
 * Builds what is sent to each contact. In a bulk request a contact that cannot be served becomes a failure; a single one
 * is thrown as `validation_failed`.
 */
export function prepareBatch<Contact extends { number: string }>(
  { bulk, contacts }: Pick<NotificationRequest, "bulk" | "contacts">,
  { contactSchema, message }: ContactRules<Contact>,
): PreparedBatch {
  const batch: PreparedBatch = { notifications: [], failures: [] };
  for (const given of contacts) {
    try {
      const contact = bulk ? readContact(contactSchema, given) : given as Contact;
      batch.notifications.push({ id: uuidv7(), number: contact.number, message: message(contact) });
    } catch (error) {
      if (!bulk || !(error instanceof AppError)) throw error;
      batch.failures.push({ contact: given, reason: error.message });
    }
  }
  return batch;
}

/** Fields of the response to every notification request. */
export const campaignFields = {
  inquiry_set_id: z.uuid().openapi({
    description: "The campaign; GET /notify/status takes it as campaign_id",
  }),
};

/** The response to a request with `contacts`, the same on every channel. */
export const bulkResponseSchema = z.object({
  success: z.literal(true),
  message: z.literal("Processing completed"),
  total: z.number().int(),
  processed: z.number().int(),
  failed: z.number().int(),
  errors: z.array(z.object({ contact: z.unknown(), reason: z.string() })),
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

export function bulkResponse({ id, batch, due }: AcceptedCampaign): z.infer<typeof bulkResponseSchema> {
  return {
    success: true,
    message: "Processing completed",
    total: batch.notifications.length + batch.failures.length,
    processed: batch.notifications.length,
    failed: batch.failures.length,
    errors: batch.failures,
    inquiry_set_id: id,
    ...(due && { scheduled_time: utcSeconds(due) }),
  };
}
