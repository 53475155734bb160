import type { z } from "zod";
import { v7 as uuidv7 } from "uuid";
import { AppError } from "../errors.ts";
import { readContact } from "./contact.ts";
import type { NotificationRequest } from "./notification_request.ts";

export interface PreparedNotification {
  id: string;
  number: string;
  /** What the gateway sends besides the number. */
  message: unknown;
}

export interface ContactFailure {
  /** The contact as it was given. */
  contact: unknown;
  reason: string;
}

export interface PreparedBatch {
  notifications: PreparedNotification[];
  failures: ContactFailure[];
}

/** What a contact looks like on a channel, and what is sent to one. */
export interface ContactRules<Contact extends { number: string } = { number: string }> {
  contactSchema: z.ZodType<Contact>;
  /** Throws `validation_failed` for a contact that cannot be served. */
  message(contact: Contact): unknown;
}

/**
 * Builds what is to be sent to each contact. In a bulk request a contact that cannot be served becomes a failure; with
 * a single contact it is thrown as `validation_failed`.
 */
export function prepareBatch<Contact extends { number: string }>(
  { bulk, contacts }: Pick<NotificationRequest, "bulk" | "contacts">,
  { contactSchema, message }: ContactRules<Contact>,
): PreparedBatch {
  const batch: PreparedBatch = { notifications: [], failures: [] };
  for (const given of contacts) {
    try {
      const contact = readContact(contactSchema, given);
      batch.notifications.push({ id: uuidv7(), number: contact.number, message: message(contact) });
    } catch (error) {
      if (!bulk || !(error instanceof AppError)) throw error;
      batch.failures.push({ contact: given, reason: error.message });
    }
  }
  return batch;
}
