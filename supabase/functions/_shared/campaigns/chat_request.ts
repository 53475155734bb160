import { z } from "@hono/zod-openapi";
import { badFormat } from "../errors.ts";
import { isObject } from "./metadata.ts";
import { isReference, resolveForContact } from "./placeholders.ts";
import { withoutNulls } from "../values/objects.ts";
import {
  commonFields,
  contactSchema,
  contactsOf,
  type NestedBody,
  type NotificationRequest,
  readRequest,
  RECIPIENT_FIELDS,
  text,
} from "./notification_request.ts";

/** The fields of a chat notification besides its recipients. Other fields can be referred to as `{{field}}`. */
export const chatFieldsSchema = z.object({
  language_template: z.string({ error: "a language code such as es or en_US" })
    .regex(/^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$/, "a language code such as es or en_US")
    .openapi({ description: "The template's language", example: "en_US" }),
  name_template: text(512).regex(/^[a-z0-9_]+$/, "lowercase letters, digits and underscores")
    .openapi({
      description: "The template's name",
      pattern: "^\\s*[a-z0-9_]+\\s*$",
      example: "order_update",
    }),
  ...commonFields,
  components_push: z.record(z.string(), z.string({ error: "text" }).nullable(), { error: "an object" })
    .optional().openapi({
      description:
        "Values for the template's dynamic components, named as `GET /notify/template/components` lists them: " +
        "body_text_0, header_image, buttons_url_0, carousel_0_body_text_0, …",
      type: ["object", "null"],
      additionalProperties: { type: ["string", "null"] },
    }),
});

type ChatFields = z.infer<typeof chatFieldsSchema>;

export interface ChatRequest extends ChatFields, NotificationRequest {
  values: Record<string, string>;
  /** The values for a single contact; null in a bulk request. */
  resolved: Record<string, string> | null;
  /** The whole body in nested form. References are looked up here after the contact. */
  root: Record<string, unknown>;
}

/** The body of `POST /notify`, nested form, for the API document: to one contact, or to many. */
export const chatRequestSchema = z.union([
  chatFieldsSchema.extend({ contact: contactSchema }).catchall(z.unknown())
    .openapi("SingleChatNotification"),
  chatFieldsSchema.extend({ contacts: contactsOf(contactSchema) }).catchall(z.unknown())
    .openapi("BulkChatNotification"),
]).openapi("ChatNotification", {}, { unionPreferredType: "oneOf" });

export const CHAT_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(chatFieldsSchema.shape),
  ...RECIPIENT_FIELDS,
]);

/**
 * Reads a chat notification from its nested form.
 *
 * Throws `validation_failed` for everything that is wrong with the request for every recipient.
 */
export function readChatRequest(body: NestedBody): ChatRequest {
  const { fields, contact } = readRequest(body, { fields: chatFieldsSchema, contact: contactSchema });
  requireOrdinaryNames(body.root.components_push);
  const values = withoutNulls(fields.components_push ?? {});
  const resolved = contact && resolveForContact(values, contact, body.root);
  if (contact === null) resolveForContact(sameForAll(values), {}, {});
  return {
    ...fields,
    values,
    resolved,
    names: { templateName: fields.name_template, agentId: null },
  };
}

function sameForAll(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isReference(value)));
}

/** zod leaves this name out, and a value that is left out must not seem to be sent. Throws `validation_failed`. */
function requireOrdinaryNames(values: unknown): void {
  if (!isObject(values) || !Object.hasOwn(values, "__proto__")) return;
  throw badFormat("components_push.__proto__", "", "a name that GET /notify/template/components lists");
}
