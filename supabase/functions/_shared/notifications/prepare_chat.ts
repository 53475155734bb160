import { v7 as uuidv7 } from "uuid";
import { checkFields } from "../check_fields.ts";
import { AppError } from "../errors.ts";
import { isReference } from "../placeholders/resolve_values.ts";
import { buildTemplateComponents } from "../templates/build_message.ts";
import type { UsableTemplate } from "../templates/find_usable_template.ts";
import type { ChatRequest } from "./chat_request.ts";
import { contactSchema } from "./contact.ts";
import { resolveForContact } from "./resolve_for_contact.ts";

export interface PreparedNotification {
  id: string;
  number: string;
  /** The platform's `template.components`. */
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

/**
 * Builds what is to be sent to each contact. In a bulk request a contact that cannot be served becomes a failure; with
 * a single contact it is thrown as `validation_failed`.
 */
export function prepareChat(request: ChatRequest, template: UsableTemplate): PreparedBatch {
  const build = messageBuilder(request, template);
  const batch: PreparedBatch = { notifications: [], failures: [] };
  for (const given of request.contacts) {
    try {
      const contact = checkFields(contactSchema, given, "contact");
      batch.notifications.push({ id: uuidv7(), number: contact.number, message: build(contact) });
    } catch (error) {
      if (!request.bulk || !(error instanceof AppError)) throw error;
      batch.failures.push({ contact: given, reason: error.message });
    }
  }
  return batch;
}

/** Without references the message is the same for all, and is built once. */
function messageBuilder(
  request: ChatRequest,
  template: UsableTemplate,
): (contact: Record<string, unknown>) => unknown {
  const build = (contact: Record<string, unknown>) =>
    buildTemplateComponents(template, resolveForContact(request.values, contact, request.root));
  if (Object.values(request.values).some(isReference)) return build;
  const message = build({});
  return () => message;
}
