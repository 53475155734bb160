import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import { isReference } from "../placeholders/resolve_values.ts";
import { contactSchema } from "./contact.ts";
import { pickContacts } from "./pick_contacts.ts";
import { resolveForContact } from "./resolve_for_contact.ts";
import { unflatten } from "./unflatten.ts";

const LONGEST_NAME = 200;

/** Optional fields may be null: many clients write that for what they leave out. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

const text = (max: number) =>
  z.string({ error: "text" }).trim().min(1, "text that is not empty").max(max, `at most ${max} characters`);

/** What a chat notification says besides its recipients; fields beyond these can be referred to as `{{field}}`. */
const chatFieldsSchema = z.object({
  language_template: z.string({ error: "a language code such as es or en_US" })
    .regex(/^[a-z]{2,3}(_[A-Za-z0-9]{2,4})?$/, "a language code such as es or en_US")
    .openapi({ example: "en_US" }),
  name_template: text(512).regex(/^[a-z0-9_]+$/, "lowercase letters, digits and underscores")
    .openapi({ example: "order_update" }),
  recipient_id: text(LONGEST_NAME).openapi({
    description:
      "The sender: its id or its phone number. In a bulk request an unknown label means the default sender.",
  }),
  notification_type: z.enum(["marketing", "transactional", "utility"], {
    error: "one of marketing, transactional, utility",
  }),
  campaign_name: text(LONGEST_NAME).openapi({ example: "Autumn orders" }),
  name_event: optional(text(LONGEST_NAME)).openapi({
    description: "The conversation flow to start",
    type: "string",
  }),
  datetime_sending: optional(z.string({ error: "YYYY-MM-DDTHH:MM:SS" })).openapi({
    description: "YYYY-MM-DDTHH:MM:SS in `timezone`; absent means now",
    type: "string",
  }),
  timezone: optional(z.string({ error: "an IANA timezone name such as Europe/Madrid" })).openapi({
    description: "IANA timezone name; UTC when absent",
    type: "string",
  }),
  components_push: optional(z.record(z.string(), z.string({ error: "text" }), { error: "an object" }))
    .openapi({
      description:
        "Values for the template's dynamic components: body_text_0, header_image, buttons_url_0, …",
      type: "object",
    }),
});

type ChatFields = z.infer<typeof chatFieldsSchema>;

export interface ChatRequest extends ChatFields {
  bulk: boolean;
  /** As given; in a bulk request each is looked into on its own. */
  contacts: unknown[];
  values: Record<string, string>;
  /** The whole body in nested form, which references look into second. */
  root: Record<string, unknown>;
}

/** The body of `POST /notify`, nested form, for the API document. */
export const chatRequestSchema = chatFieldsSchema.extend({
  contact: contactSchema.optional(),
  contacts: z.array(contactSchema).min(1).max(100).optional(),
}).catchall(z.unknown()).openapi("ChatNotification");

/**
 * Reads a chat notification from a body in nested or flat form.
 *
 * Throws `validation_failed` for everything that is wrong with the request whoever it goes to; in a bulk request a
 * contact that does not fit is left for later.
 */
export function readChatRequest(body: Record<string, unknown>, { flat }: { flat: boolean }): ChatRequest {
  const root = flat ? unflatten(body) : body;
  const picked = pickContacts(root, { flat });
  const contact = picked.bulk ? null : checkFields(contactSchema, picked.contacts[0], "contact");
  const fields = checkFields(chatFieldsSchema, root);
  const values = fields.components_push ?? {};
  if (contact) resolveForContact(values, contact, root);
  else resolveForContact(sameForAll(values), {}, {});
  return { ...fields, ...picked, values, root };
}

function sameForAll(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => !isReference(value)));
}
