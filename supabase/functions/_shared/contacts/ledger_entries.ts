import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import {
  isOneLine,
  isPlainText,
  ONE_LINE,
  PLAIN_TEXT,
  WITHOUT_CONTROLS,
} from "../values/control_characters.ts";
import {
  type Consent,
  CONTACT_CATEGORIES,
  CONTACT_CHANNELS,
  type ContactScope,
  type Suppression,
} from "../db/contacts/contacts.ts";
import { asRefusal, badFormat } from "../errors.ts";
import type { Address, PersonKey } from "../values/address.ts";
import { ADDRESS_OR_CONTACT, NUMBER_OR_USER_ID, numberSchema, userIdSchema } from "./address.ts";
import { zonedTime } from "../values/zoned_time.ts";

/** The clocks of two computers may differ by this much. */
const CLOCK_TOLERANCE_MS = 60_000;

const TIME_FORMAT = "a time with its offset, such as 2026-12-01T09:00:00Z";
const METHOD_FORMAT = `1 to 100 characters, one line of ${WITHOUT_CONTROLS}`;
const DETAIL_FORMAT = `at most 1000 characters of ${WITHOUT_CONTROLS}`;

const timeSchema = zonedTime(TIME_FORMAT);
const methodSchema = z.string({ error: METHOD_FORMAT }).min(1, METHOD_FORMAT).max(100, METHOD_FORMAT)
  .refine(isOneLine, METHOD_FORMAT)
  .openapi({ description: "How it was given", example: "website", pattern: ONE_LINE });
const detailSchema = z.string({ error: DETAIL_FORMAT }).max(1000, DETAIL_FORMAT)
  .refine(isPlainText, DETAIL_FORMAT).nullish()
  .openapi({
    description: "Where, and in which words",
    example: "Form on acme.test/news, version 3",
    pattern: PLAIN_TEXT,
  });

export const channelSchema = z.enum(CONTACT_CHANNELS, { error: `one of ${CONTACT_CHANNELS.join(", ")}` });
export const categorySchema = z.enum(CONTACT_CATEGORIES, {
  error: `one of ${CONTACT_CATEGORIES.join(", ")}`,
}).openapi({ description: "`all` covers every message, `marketing` only marketing" });

/** The fields that name a person. */
export const personFields = { number: numberSchema.nullish(), user_id: userIdSchema.nullish() };

const NO_PERSON = { path: ["number"], error: "number or user_id is required" };

/** A person as a client names it. */
interface NamedPerson {
  number?: string | null | undefined;
  user_id?: string | null | undefined;
}

function namesPerson({ number, user_id }: NamedPerson): boolean {
  return Boolean(number ?? user_id);
}

/** A body or query that names a person by an address, and nothing else. */
const personSchema = z.strictObject(personFields).refine(namesPerson, NO_PERSON);

/** Names a person whose contact may have neither of the two. */
export const contactIdSchema = z.guid({ error: "the contact_id of a contact" }).openapi({
  description: "The person's contact, in place of `number` and `user_id`",
});

/** One that names a person by an address, or by the contact. */
export const personKeySchema = z.strictObject({ ...personFields, contact_id: contactIdSchema.nullish() })
  .refine((person) => namesPerson(person) || person.contact_id, {
    ...NO_PERSON,
    error: "number, user_id or contact_id is required",
  }).refine((person) => !namesPerson(person) || !person.contact_id, {
    path: ["contact_id"],
    error: "nothing beside number and user_id",
  }).openapi("NamedPerson", ADDRESS_OR_CONTACT);

export const suppressionSchema = z.strictObject({
  ...personFields,
  channel: channelSchema.default("any"),
  category: categorySchema.default("marketing"),
  at: timeSchema.nullish().openapi({ description: "When it was said; now if left out" }),
  detail: detailSchema,
}).refine(namesPerson, NO_PERSON).openapi("SuppressionRequest", NUMBER_OR_USER_ID);

export const consentSchema = z.strictObject({
  ...personFields,
  channel: channelSchema,
  category: categorySchema.default("marketing"),
  status: z.enum(["granted", "withdrawn"], { error: "granted or withdrawn" }),
  method: methodSchema,
  detail: detailSchema,
  consented_at: timeSchema,
}).refine(namesPerson, NO_PERSON).openapi("ConsentRequest", NUMBER_OR_USER_ID);

export const liftSchema = z.strictObject({
  ...personFields,
  channel: channelSchema,
  category: categorySchema,
  method: methodSchema.nullish(),
  detail: detailSchema,
  consented_at: timeSchema.nullish(),
}).refine(namesPerson, NO_PERSON).openapi("LiftSuppressions", NUMBER_OR_USER_ID);

/** A request to lift suppressions, with the evidence that the person agreed again, if there is any. */
export interface LiftRequest extends ContactScope {
  /** ISO 8601. */
  consentedAt: string | null;
  evidence: { method: string | null; detail: string | null };
}

/** The source of a record, and the present time. */
export interface Recording {
  source: Suppression["source"];
  now: Date;
}

/** Returns the person that a value names. Throws `validation_failed`. */
export function readPerson(value: unknown): Address {
  return addressOf(checkFields(personSchema, value));
}

/** Returns the person that a value names by an address or a contact. Throws `validation_failed`. */
export function readPersonKey(value: unknown): PersonKey {
  const { contact_id, ...address } = checkFields(personKeySchema, value);
  return { ...addressOf(address), contact_id: contact_id ?? null };
}

/** Reads one suppression. Throws `validation_failed`. */
export function readSuppression(value: unknown, { source, now }: Recording): Suppression {
  const { number, user_id, channel, category, at, detail } = checkFields(suppressionSchema, value);
  requirePast("at", at, now);
  const evidence = detail ? { detail } : null;
  return {
    ...addressOf({ number, user_id }),
    channel,
    category,
    source,
    at: at ?? now.toISOString(),
    evidence,
  };
}

/** Reads one consent. Throws `validation_failed`. */
export function readConsent(value: unknown, { source, now }: Recording): Consent {
  const { number, user_id, detail, ...rest } = checkFields(consentSchema, value);
  requirePast("consented_at", rest.consented_at, now);
  return { ...addressOf({ number, user_id }), ...rest, detail: detail ?? null, source };
}

/** Reads a request to lift suppressions. Throws `validation_failed`. */
export function readLift(value: unknown, now: Date): LiftRequest {
  const { number, user_id, channel, category, method, detail, consented_at } = checkFields(liftSchema, value);
  requirePast("consented_at", consented_at, now);
  if (consented_at && !method) throw badFormat("method", method ?? "", METHOD_FORMAT);
  return {
    ...addressOf({ number, user_id }),
    channel,
    category,
    consentedAt: consented_at ?? null,
    evidence: { method: method ?? null, detail: detail ?? null },
  };
}

function addressOf({ number, user_id }: NamedPerson): Address {
  return { number: number ?? null, user_id: user_id ?? null };
}

function requirePast(field: string, time: string | null | undefined, now: Date): void {
  if (time && Date.parse(time) > now.getTime() + CLOCK_TOLERANCE_MS) {
    throw badFormat(field, time, "a time that is not in the future");
  }
}

/** An entry of a list that could not be read. */
export interface EntryError {
  /** Its index in the list, from 0. */
  index: number;
  field: string;
  reason: string;
}

/** Reads the entries of a list one by one; those that do not fit are returned as errors. */
export function readEntries<Entry>(
  list: readonly unknown[],
  read: (value: unknown) => Entry,
): { entries: Entry[]; indexes: number[]; errors: EntryError[] } {
  const entries: Entry[] = [];
  const indexes: number[] = [];
  const errors: EntryError[] = [];
  list.forEach((value, index) => {
    try {
      entries.push(read(value));
      indexes.push(index);
    } catch (error) {
      errors.push({ index, ...fieldProblem(error) });
    }
  });
  return { entries, indexes, errors };
}

/** Returns the field and the reason of a refusal. Throws any other error again. */
export function fieldProblem(error: unknown): { field: string; reason: string } {
  const { details = {} } = asRefusal(error);
  const { field = "", reason, expected_format: expected } = details as Record<string, string | undefined>;
  const described = expected === undefined ? reason : `expected ${expected}`;
  return { field, reason: described ?? "does not fit" };
}
