import { type AppError, badFormat } from "../errors.ts";
import { isStorable, STORABLE } from "../values/storable_text.ts";
import { VALUE_KINDS } from "../templates/value_names.ts";
import { checkValue, valueField } from "./check_value.ts";

/** No value may be longer, so no reference is. */
const MAX_VALUE_LENGTH = Math.max(...Object.values(VALUE_KINDS).map(({ maxLength }) => maxLength));
const NUMBERED_PLACEHOLDER = /\{\s*\d+\s*\}/;
const CONTACT_ONLY = new Set(["name", "number", "email"]);

/** Returns whether a value is resolved for each contact, rather than text that is the same for all. */
export function isReference(value: unknown): boolean {
  return typeof value === "string" && fieldIn(value) !== undefined && !NUMBERED_PLACEHOLDER.test(value);
}

/**
 * Returns the field that a value `{{field}}` refers to; undefined for text without a reference.
 *
 * Throws `validation_failed` naming `field` for a value that is too long, mixes text and a reference, or still looks like
 * a template (`{1}`).
 */
export function referredField(field: string, value: string): string | undefined {
  if (value.length > MAX_VALUE_LENGTH) {
    throw badFormat(field, value, `at most ${MAX_VALUE_LENGTH} characters`);
  }
  // The most common wrong value, a copied `{{1}}`, is caught before it is taken for a field named "1".
  if (NUMBERED_PLACEHOLDER.test(value)) {
    throw badFormat(field, value, "a bare value, not a placeholder of the template");
  }
  const referred = fieldIn(value);
  if (referred === undefined && value.includes("{{")) {
    throw badFormat(field, value, "either one reference {{field}} or text, not both");
  }
  return referred;
}

/**
 * Plain string code, after a look at the length: no value may cost more than its length, and an expression with white
 * space on both sides of the name takes the third power of it.
 */
function fieldIn(value: string): string | undefined {
  if (value.length > MAX_VALUE_LENGTH || !value.startsWith("{{") || !value.endsWith("}}")) return undefined;
  const field = value.slice(2, -2).trim();
  return /[{}]/.test(field) ? undefined : field;
}

/**
 * Returns the value of a reference: a field of the contact or, when the contact has no such field, of the request's root;
 * `name`, `number` and `email` come from the contact only.
 */
export function lookUp(
  field: string,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): unknown {
  if (Object.hasOwn(contact, field)) return contact[field];
  return !CONTACT_ONLY.has(field) && Object.hasOwn(root, field) ? root[field] : undefined;
}

/** Returns the text of a referred field: text itself, a number or true/false as text, undefined for any other value. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isFinite(value) ? String(value) : undefined;
}

/**
 * Turns the values of `components_push` into the texts to send for one contact. A value `{{field}}` stands for a field
 * of the contact or, when the contact has no such field, of the request's root; `name`, `number` and `email` come from
 * the contact only. A referenced text is taken as it is, whatever braces it holds, a number or true/false as its text.
 *
 * Throws `validation_failed` naming `components_push.<name>` for the first value that is not text, is empty, mixes text and
 * a reference, still looks like a template (`{1}`), refers to a field that holds neither, or breaks a rule of its name.
 */
export function resolveForContact(
  values: Record<string, unknown>,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, resolveValue(name, value, contact, root)]),
  );
}

function resolveValue(
  name: string,
  value: unknown,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): string {
  if (typeof value !== "string") throw refused(name, value, "text");
  const field = referredField(valueField(name), value);
  if (field !== undefined) return checkedText(name, value, textOf(lookUp(field, contact, root)));
  return checkedText(name, value, value);
}

function checkedText(name: string, given: string, text: unknown): string {
  if (typeof text !== "string" || text.trim() === "") {
    throw refused(
      name,
      given,
      text === given
        ? "text that is not empty"
        : "a reference to a field that holds text, a number or true/false",
    );
  }
  if (!isStorable(text)) throw refused(name, given, STORABLE);
  checkValue(name, text, given);
  return text;
}

function refused(name: string, provided: unknown, expectedFormat: string): AppError {
  return badFormat(valueField(name), provided, expectedFormat);
}
