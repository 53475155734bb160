import { z } from "@hono/zod-openapi";
import { isOneLine, TRIMMED_LINE, WITHOUT_CONTROLS } from "../values/control_characters.ts";
import { checkFields } from "../check_fields.ts";
import { type Address, NUMBER, USER_ID } from "../values/address.ts";
import { NUMBER_OR_USER_ID, numberSchema, USER_ID_FORMAT } from "../contacts/address.ts";
import { setField, withoutNulls } from "../values/objects.ts";
import { isObject, metadataOr } from "./metadata.ts";
import { AppError, badFormat } from "../errors.ts";
import { type Timing, timingOf } from "../scheduling/recipient_time.ts";

const MAX_NAME_LENGTH = 200;

/** One line of text that is not empty, without the spaces around it; they count towards `max`. */
export const text = (max: number) =>
  z.string({ error: "text" }).max(max, `at most ${max} characters`).trim().min(1, "text that is not empty")
    .refine(isOneLine, WITHOUT_CONTROLS).openapi({ pattern: TRIMMED_LINE });

/** The fields that requests of every channel have besides their recipients, once those that are null are left out. */
export const commonFields = {
  recipient_id: text(MAX_NAME_LENGTH).openapi({
    example: "34911222333",
    description:
      "The sender: its id or its phone number. In a bulk request an unknown label means the default sender.",
  }),
  notification_type: z.enum(["marketing", "transactional", "utility"], {
    error: "one of marketing, transactional, utility",
  }).openapi({
    description:
      "For statistics, and the order of what waits. The template's category decides what is marketing",
  }),
  campaign_name: text(MAX_NAME_LENGTH).openapi({
    description: "The campaign's name in lists and reports",
    example: "Autumn orders",
  }),
  name_event: text(MAX_NAME_LENGTH).optional().openapi({
    description: "The conversation flow to start",
    type: ["string", "null"],
    minLength: 1,
    maxLength: MAX_NAME_LENGTH,
    pattern: TRIMMED_LINE,
  }),
  datetime_sending: z.string({ error: "YYYY-MM-DDTHH:MM:SS" }).optional().openapi({
    description: "YYYY-MM-DDTHH:MM:SS in `timezone`, in the future; absent means now",
    type: ["string", "null"],
    pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$",
    example: "2030-12-01T09:00:00",
  }),
  timezone: z.string({ error: "an IANA timezone name such as Europe/Madrid" }).optional().openapi({
    description: "IANA timezone name; UTC when absent",
    type: ["string", "null"],
    pattern: "^[A-Za-z]",
    example: "Europe/Madrid",
  }),
  recipient_time: z.unknown().optional().openapi({
    description:
      "HH:MM. Each recipient gets the message at this time by its own clock, on the day of `datetime_sending` or, " +
      "without one, on the next day on which the time is still to come. Other text is a field of your own",
    type: ["string", "null"],
    example: "09:00",
  }),
  spread_over: z.unknown().optional().openapi({
    description:
      "Spreads the messages evenly over this period, an ISO 8601 duration of at most 7 days. Other text is a field of " +
      "your own",
    type: ["string", "null"],
    example: "PT2H",
  }),
  metadata: metadataOr(z.unknown()).optional().openapi({ type: ["object", "null"] }),
};

type CommonFields = z.infer<z.ZodObject<typeof commonFields>>;

/** The recipients of a request. */
export interface PickedContacts {
  bulk: boolean;
  /** As the request gives them. Those of a bulk request are checked one by one, when it is planned. */
  contacts: unknown[];
}

/** A body in nested form with its recipients found. */
export interface NestedBody extends PickedContacts {
  /** The whole body. References are looked up here after the contact. */
  root: Record<string, unknown>;
}

/** A request to notify recipients, on any channel. A single contact is checked. */
export interface NotificationRequest extends CommonFields, PickedContacts {
  /** The template and the agent that the request names; each has to be looked up. */
  names: { templateName: string | null; agentId: string | null };
  /** Null where all recipients get it at one time. */
  timing: Timing | null;
}

const MAX_CONTACTS = 100;

const MAX_FIELD_LENGTH = 1024;

const fieldText = z.string({ error: "text" }).max(MAX_FIELD_LENGTH, `at most ${MAX_FIELD_LENGTH} characters`);

const ownFields = {
  name: fieldText.nullish(),
  first_name: fieldText.nullish(),
  last_name: fieldText.nullish(),
  email: fieldText.nullish(),
};

const ownMetadata = (own: z.ZodType) => metadataOr(own).nullish().openapi({ type: ["object", "null"] });

/**
 * A recipient: a number, the platform's user id, or both. Fields beyond these are the client's own, free to be referred to
 * as `{{field}}`. They may be null, which the API document does not say: Go's oapi-codegen writes code for it that does
 * not compile.
 */
export const contactSchema = z.object(
  {
    number: numberSchema.optional().openapi({ type: ["string", "null"], pattern: NUMBER.source }),
    user_id: fieldText.optional().openapi({
      type: ["string", "null"],
      description: "The platform's user id; beside a number, any other text is a field of your own",
      example: "ES.1349aBc",
    }),
    ...ownFields,
    metadata: ownMetadata(fieldText),
  },
  { error: "an object with a number or a user_id" },
).catchall(fieldText.nullable().openapi({ type: "string", maxLength: MAX_FIELD_LENGTH })).refine(
  ({ number, user_id }) => number !== undefined || user_id !== undefined,
  {
    path: ["number"],
    error: "a number or a user_id",
  },
).refine(
  ({ number, user_id }) => number !== undefined || user_id === undefined || USER_ID.test(user_id),
  { path: ["user_id"], error: USER_ID_FORMAT },
).openapi("Contact", NUMBER_OR_USER_ID);

/** `contacts` of a request, for the API document: {@link pickContacts} checks it. */
export function contactsOf<Contact extends z.ZodType>(contact: Contact) {
  return z.array(contact).min(1).max(MAX_CONTACTS).openapi({
    description: "Each is checked by itself: `errors` of the response names those that were refused",
  });
}

/** The fields of a request that hold its recipients. */
export const RECIPIENT_FIELDS = ["contact", "contacts"] as const;

/** The fields of a contact that are not the client's own. */
export const CONTACT_FIELDS: ReadonlySet<string> = new Set(Object.keys(contactSchema.shape));

/** Returns how the recipient of a chat message is reached. */
export function chatAddress({ number, user_id }: z.infer<typeof contactSchema>): Address {
  return { number: number ?? null, user_id: user_id !== undefined && USER_ID.test(user_id) ? user_id : null };
}

const callField = z.union([fieldText, z.number(), z.boolean(), z.null()], {
  error: "text, a number or true/false",
}).openapi({
  anyOf: [{ type: "string", maxLength: MAX_FIELD_LENGTH }, { type: "number" }, { type: "boolean" }],
});

/** A recipient of a call; its own fields may be numbers and true/false too, because an agent takes those. */
export const callContactSchema = z.object(
  { number: numberSchema, ...ownFields, metadata: ownMetadata(callField) },
  { error: "an object with a number" },
).catchall(callField).openapi("CallContact");

/**
 * Reads the fields of a request, and its contact if it has a single one; faults of the contact come first. Those of a bulk
 * request are read later, each by itself, when it is planned.
 *
 * Throws `validation_failed`.
 *
 * @returns the checked fields with the body and its timing, and the contact; null in a bulk request
 */
export function readRequest<Fields extends z.ZodObject, Contact extends z.ZodType>(
  body: NestedBody,
  schemas: { fields: Fields; contact: Contact },
): {
  fields: z.infer<Fields> & NestedBody & Pick<NotificationRequest, "timing">;
  contact: z.infer<Contact> | null;
} {
  const contact = body.bulk ? null : readContact(schemas.contact, body.contacts[0]);
  const fields = checkFields(schemas.fields, withoutNulls(body.root));
  const { root, bulk } = body;
  const contacts = bulk ? body.contacts : [contact];
  return { fields: { ...fields, root, bulk, contacts, timing: timingOf(root) }, contact };
}

/**
 * Reads a contact as the request gives it. Null counts as left out, as at the root of a request: exports of customer
 * systems write it for what is empty.
 *
 * Throws `validation_failed`.
 */
export function readContact<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  const fields = isObject(given) ? withoutNulls(given) : given;
  const contact = checkFields(schema, fields, "contact");
  return isObject(fields) && Object.hasOwn(fields, "__proto__") ? withProto(contact, fields) : contact;
}

/** Adds the one field that zod leaves out, because it assigns fields. */
function withProto<Contact>(contact: Contact, { ["__proto__"]: value }: Record<string, unknown>): Contact {
  if (typeof value === "object" || String(value).length > MAX_FIELD_LENGTH) {
    throw badFormat("contact.__proto__", value, "text");
  }
  setField(contact as object, "__proto__", value);
  return contact;
}

/**
 * Finds the recipients of a request: exactly one of `contact` (an object) and `contacts` (1 to 100 of them).
 *
 * Throws `validation_failed` with the contract's own messages.
 */
export function pickContacts(body: Record<string, unknown>, { flat }: { flat: boolean }): PickedContacts {
  const { contact, contacts } = body;
  const [hasContact, hasContacts] = [isGiven(contact), isGiven(contacts)];
  if (hasContact && hasContacts) {
    throw refused("contacts", "Cannot use both 'contact' and 'contacts' simultaneously");
  }
  if (flat && hasContacts) throw refused("contacts", "'contacts' cannot be combined with unflatten=true");
  if (hasContacts) return { bulk: true, contacts: listOf(contacts) };
  if (!hasContact) throw refused("contact", "Missing required field: 'contact' or 'contacts'");
  if (Array.isArray(contact)) throw refused("contact", "'contact' must be an object, not an array");
  if (typeof contact !== "object") throw badFormat("contact", contact, "an object");
  return { bulk: false, contacts: [contact] };
}

function listOf(contacts: unknown): unknown[] {
  if (!Array.isArray(contacts)) {
    if (typeof contacts === "object") throw refused("contacts", "'contacts' must be an array, not an object");
    throw badFormat("contacts", contacts, "an array");
  }
  if (contacts.length === 0) throw refused("contacts", "'contacts' array cannot be empty");
  if (contacts.length > MAX_CONTACTS) {
    throw refused(
      "contacts",
      `Maximum ${MAX_CONTACTS} contacts allowed per request. Received: ${contacts.length}`,
    );
  }
  return contacts;
}

/** Returns whether a field is given: many clients write null for fields that they leave out. */
function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function refused(field: string, message: string): AppError {
  return new AppError("validation_failed", message, { details: { field, reason: message } });
}
