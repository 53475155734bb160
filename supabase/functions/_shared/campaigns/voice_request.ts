import { z } from "@hono/zod-openapi";
import {
  callContactSchema,
  commonFields,
  contactsOf,
  type NestedBody,
  type NotificationRequest,
  readRequest,
  RECIPIENT_FIELDS,
  text,
} from "./notification_request.ts";
import { type AppError, badFormat } from "../errors.ts";
import { REFERENCE_VARIABLE } from "../gateways/voice/fields.ts";
import { type Timing, TIMING_FORMS } from "../scheduling/recipient_time.ts";
import { isObject } from "./metadata.ts";
import { isReference, lookUp, referredField } from "./placeholders.ts";

const MAX_ID_LENGTH = 200;

const TYPES = ["marketing", "transactional"] as const;

/** The fields of a voice notification besides its recipients. Other fields are variables for the agent. */
export const voiceFieldsSchema = z.object({
  ...commonFields,
  agent_id: text(MAX_ID_LENGTH).openapi({ description: "The voice agent: our id of it, or the platform's" }),
  notification_type: z.enum(TYPES, { error: `one of ${TYPES.join(", ")}` }).openapi({
    description: "Decides whether the calls are marketing",
  }),
});

type VoiceFields = z.infer<typeof voiceFieldsSchema>;

export interface VoiceRequest extends VoiceFields, NotificationRequest {
  notification_type: VoiceFields["notification_type"];
  /** The request's own fields, for the agent of every call; references are looked up for each contact. */
  variables: CallVariables;
  /** The whole body in nested form. References are looked up here after the contact. */
  root: Record<string, unknown>;
}

/** The body of `POST /notify/voice`, nested form, for the API document: to one contact, or to many. */
export const voiceRequestSchema = z.union([
  voiceFieldsSchema.extend({ contact: callContactSchema }).catchall(z.unknown())
    .openapi("SingleVoiceNotification"),
  voiceFieldsSchema.extend({ contacts: contactsOf(callContactSchema) }).catchall(z.unknown())
    .openapi("BulkVoiceNotification"),
]).openapi("VoiceNotification", {}, { unionPreferredType: "oneOf" });

/** The fields that are no variables for the agent. */
export const VOICE_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(voiceFieldsSchema.shape),
  ...RECIPIENT_FIELDS,
]);

/**
 * Reads a voice notification from its nested form.
 *
 * Throws `validation_failed` for everything that is wrong with the request for every recipient.
 */
export function readVoiceRequest(body: NestedBody): VoiceRequest {
  const { root } = body;
  const { fields, contact } = readRequest(body, { fields: voiceFieldsSchema, contact: callContactSchema });
  const variables = requestVariables(root, VOICE_FIELDS);
  if (contact) contactVariables(contact, { root, variables });
  return {
    ...fields,
    variables,
    names: { templateName: null, agentId: fields.agent_id },
  };
}

/** A value for the agent: the platform accepts no other types. */
export type CallVariable = string | number | boolean;

export type CallVariables = Record<string, CallVariable>;

const MAX_VARIABLES = 50;
const MAX_TEXT_LENGTH = 1024;
const MAX_ECHO_LENGTH = 100;
/** A name between the braces of an agent's text, in any language. A mere number is a template's placeholder. */
const NAME = /^(?!\d+$)[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .-]{0,63}$/u;
const NAME_FORMAT = "a name of up to 64 letters, digits, spaces and '_', '.', '-', and not of digits only";

/**
 * Returns the fields of a request besides `known` as variables for each of its calls. References stay as they are until
 * the contact is known. A field that is null counts as left out.
 *
 * Throws `validation_failed` for a name that an agent's text could not hold, a value that is not text, a number or
 * true/false, and a text that is too long, mixes text and a reference, or looks like a template (`{1}`).
 */
function requestVariables(root: Record<string, unknown>, known: ReadonlySet<string>): CallVariables {
  const own = Object.entries(root).filter(([name, value]) =>
    value !== null && (!known.has(name) || isOwnField(name, value))
  );
  if (own.length > MAX_VARIABLES) throw tooMany("the request", own.length);
  return Object.fromEntries(own.map(([name, value]) => {
    checkName(name, name);
    const variable = checkValue(name, value);
    if (typeof variable === "string") referredField(name, variable);
    return [name, variable];
  }));
}

/** Returns whether a field is the client's own although it has the name of ours. */
function isOwnField(name: string, value: unknown): boolean {
  if (name === "metadata") return !isObject(value);
  return Object.hasOwn(TIMING_FORMS, name) && !TIMING_FORMS[name as keyof Timing].isMet(value);
}

/**
 * Returns the variables for the agent in the call to one contact: the fields of the request with their references
 * resolved, and all fields of the contact, which win.
 *
 * Throws `validation_failed` like {@link requestVariables}, and for a reference to a field that holds nothing.
 */
export function contactVariables(
  contact: Record<string, unknown>,
  { root, variables }: { root: Record<string, unknown>; variables: CallVariables },
): CallVariables {
  const own = Object.entries(contact).filter(([name, value]) =>
    name !== "metadata" || isOwnField(name, value)
  ).map(([name, value]) => {
    checkName(name, `contact.${name}`);
    return [name, checkValue(`contact.${name}`, value)];
  });
  const shared = Object.entries(variables).map(([name, value]) => {
    return [name, isReference(value) ? resolved(name, String(value), contact, root) : value];
  });
  const all: CallVariables = Object.fromEntries([...shared, ...own]);
  const count = Object.keys(all).length;
  if (count > MAX_VARIABLES) throw tooMany("the request and the contact", count);
  return all;
}

function resolved(
  name: string,
  reference: string,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): CallVariable {
  const value = lookUp(referredField(name, reference) ?? "", contact, root);
  if (value === undefined || value === null || value === "" || typeof value === "object") {
    throw badFormat(name, reference, "a reference to a field that holds text, a number or true/false");
  }
  return checkValue(name, value);
}

function checkName(name: string, field: string): void {
  if (!NAME.test(name)) throw badFormat(field.slice(0, MAX_ECHO_LENGTH), "", NAME_FORMAT);
  if (name.startsWith("system__") || name === REFERENCE_VARIABLE) {
    throw badFormat(field, "", "another name: this one belongs to the voice platform or to this service");
  }
}

function checkValue(field: string, value: unknown): CallVariable {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (typeof value !== "string") throw badFormat(field, value, "text, a number or true/false");
  if (value.length > MAX_TEXT_LENGTH) throw badFormat(field, value, `at most ${MAX_TEXT_LENGTH} characters`);
  return value;
}

function tooMany(where: string, count: number): AppError {
  return badFormat("contact", count, `at most ${MAX_VARIABLES} fields for the agent in ${where}`);
}
