import { distance } from "fastest-levenshtein";
import { type CountryCode, isValidPhoneNumber, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { contactIndexes, type PreparedBatch } from "./batch.ts";
import { CONTACT_FIELDS, type NestedBody, type NotificationRequest } from "./notification_request.ts";
import { TIMING_FORMS } from "../scheduling/recipient_time.ts";
import { isMobileNumber } from "./mobile_numbers.ts";
import { isReference, referredField } from "./placeholders.ts";
import type { Warning } from "./warnings.ts";

/** The parts of a request that mistakes are looked for in, on any channel. */
export interface Checked {
  request: NestedBody & Pick<NotificationRequest, "name_event">;
  batch: PreparedBatch;
  /** The fields that a request of this channel may have. */
  knownFields: ReadonlySet<string>;
  /** The values that may refer to fields. */
  values: Record<string, unknown>;
  /** The number of the sender. */
  senderNumber: string | null;
  /** A webhook of the company receives `flow.triggered`. */
  hasFlowWebhook: boolean;
}

/** Returns warnings of what is probably a mistake in a request. It runs for every request, so it allocates little. */
export function likelyMistakes(checked: Checked): Warning[] {
  return [
    ...unknownFields(checked),
    ...ignoredTiming(checked),
    ...unheardFlow(checked),
    ...repeatedRecipients(checked.batch),
    ...numbersWithoutCountry(checked),
  ];
}

/** The webhook starts the flow. */
function unheardFlow({ request: { name_event }, hasFlowWebhook }: Checked): Warning[] {
  if (!name_event || hasFlowWebhook) return [];
  return [{
    code: "no_webhook",
    message: "No webhook of the company receives flow.triggered, so the flow will not start",
    field: "name_event",
  }];
}

function unknownFields({ request, knownFields, values }: Checked): Warning[] {
  const isUsed = (name: string) => isReferredTo(name, values);
  const ofRoot = misspelledFields(request.root, knownFields, isUsed);
  // The contacts of a list have the same fields.
  const ofContact = misspelledFields(
    (request.contacts[0] ?? {}) as Record<string, unknown>,
    CONTACT_FIELDS,
    isUsed,
  );
  if (ofRoot.length + ofContact.length === 0) return [];
  return [
    ...ofRoot.map(({ name, meant }) => unknownField(name, meant, {})),
    ...ofContact.map(({ name, meant }) => unknownField(`contact.${name}`, `contact.${meant}`, { index: 0 })),
  ];
}

/** Values that look like our fields of timing and are none: everything is sent at one time. */
function ignoredTiming({ request: { root }, values }: Checked): Warning[] {
  return (["recipient_time", "spread_over"] as const).flatMap((field) => {
    const value = root[field];
    if (value === undefined || value === null || TIMING_FORMS[field].isMet(value)) return [];
    if (isReferredTo(field, values)) return [];
    const message = `'${field}' is not ${TIMING_FORMS[field].form}, so it is a field of your own`;
    return { code: "unknown_field" as const, message, field };
  });
}

function isReferredTo(name: string, values: Record<string, unknown>): boolean {
  return Object.values(values).some((value) =>
    isReference(value) && referredField("", String(value)) === name
  );
}

function unknownField(field: string, meant: string, position: { index?: number }): Warning {
  return {
    ...position,
    code: "unknown_field",
    message: `There is no field '${field}', and nothing refers to it: did you mean '${meant}'?`,
    field,
  };
}

function repeatedRecipients(batch: PreparedBatch): Warning[] {
  const repeated = repetitions(batch);
  if (repeated.length === 0) return [];
  const indexes = contactIndexes(batch);
  return repeated.map(({ position, first }) => ({
    index: indexes[position]!,
    code: "duplicate_recipient",
    message: `The same recipient as contact ${indexes[first]}, who gets both`,
    field: "contact.number",
  }));
}

/** Returns the notifications whose recipient has an earlier one in the batch, by their positions. */
export function repetitions({ notifications }: PreparedBatch): { position: number; first: number }[] {
  if (notifications.length < 2) return [];
  const seen = new Map<string, number>();
  return notifications.flatMap(({ number, user_id }, position) => {
    const address = number ?? user_id!;
    const first = seen.get(address);
    if (first !== undefined) return { position, first };
    seen.set(address, position);
    return [];
  });
}

function numbersWithoutCountry({ batch, senderNumber }: Checked): Warning[] {
  if (senderNumber === null) return [];
  const found = numbersWithoutCode(batch.notifications.map(({ number }) => number), senderNumber);
  if (found.length === 0) return [];
  const indexes = contactIndexes(batch);
  return found.map(({ position, callingCode, country }) => ({
    index: indexes[position]!,
    code: "no_country_code",
    message:
      `The number has no country code: it would be a number of ${country} with ${callingCode} in front`,
    field: "contact.number",
  }));
}

/** The form of the numbers in a sender's country. */
interface NumberPlan {
  country: CountryCode;
  callingCode: string;
  /** Digits of the sender's number without the country code. */
  digits: number;
}

const plans = new Map<string, NumberPlan | null>();
const MAX_PLANS = 1000;

function planOf(sender: string): NumberPlan | null {
  let plan = plans.get(sender);
  if (plan === undefined) {
    const parsed = parsePhoneNumberFromString(`+${sender}`);
    plan = parsed?.country
      ? {
        country: parsed.country,
        callingCode: parsed.countryCallingCode,
        digits: parsed.nationalNumber.length,
      }
      : null;
    if (plans.size >= MAX_PLANS) plans.clear();
    plans.set(sender, plan);
  }
  return plan;
}

/** The library takes some 10 µs for a number. */
const MAX_CHECKED = 10;

/**
 * Finds the numbers that are none, but would be one in the sender's country: their country code is missing. Looks at the
 * first few numbers that are as long as the sender's without its code, so most requests need no check.
 *
 * @param sender digits with the country code
 */
function numbersWithoutCode(
  numbers: (string | null)[],
  sender: string,
): { position: number; callingCode: string; country: string }[] {
  const plan = planOf(sender);
  if (plan === null) return [];
  const { country, callingCode, digits } = plan;
  const candidates = numbers.flatMap((number, position) =>
    number?.length === digits ? { number, position } : []
  );
  return candidates.slice(0, MAX_CHECKED)
    .filter(({ number }) => !isMobileNumber(number))
    .filter(({ number }) => !isValidPhoneNumber(`+${number}`) && isValidPhoneNumber(number, country))
    .map(({ position }) => ({ position, callingCode, country }));
}

/** A field that is not known, and the one that its writer probably meant. */
interface MisspelledField {
  name: string;
  meant: string;
}

/** More unknown fields are not looked at: they are data, not mistakes. */
const MAX_COMPARED = 20;
const MAX_LENGTH = 40;

/**
 * Returns the fields whose names resemble a known field that is not given: in other letter case or with other
 * separators, or with one letter wrong, two in names of eight letters or more.
 *
 * @param isUsed whether something refers to a field of this name, which is then no mistake
 */
function misspelledFields(
  given: Record<string, unknown>,
  known: ReadonlySet<string>,
  isUsed: (name: string) => boolean,
): MisspelledField[] {
  const found: MisspelledField[] = [];
  let compared = 0;
  for (const name in given) {
    if (known.has(name) || name.length > MAX_LENGTH) continue;
    if (++compared > MAX_COMPARED) break;
    const meant = resembling(name, known, given);
    if (meant !== undefined && !isUsed(name)) found.push({ name, meant });
  }
  return found;
}

function resembling(
  name: string,
  known: ReadonlySet<string>,
  given: Record<string, unknown>,
): string | undefined {
  const written = plain(name);
  for (const candidate of known) {
    const meant = plain(candidate);
    const mistakes = meant.length < 8 ? 1 : 2;
    if (Math.abs(written.length - meant.length) > mistakes || Object.hasOwn(given, candidate)) continue;
    if (distance(written, meant) <= mistakes) return candidate;
  }
  return undefined;
}

const plainNames = new Map<string, string>();
const MAX_PLAIN_NAMES = 1000;

function plain(name: string): string {
  let text = plainNames.get(name);
  if (text === undefined) {
    text = name.toLowerCase().replace(/[-_. ]/g, "");
    if (plainNames.size >= MAX_PLAIN_NAMES) plainNames.clear();
    plainNames.set(name, text);
  }
  return text;
}
