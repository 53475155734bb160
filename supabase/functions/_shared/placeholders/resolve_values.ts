import { type AppError, badFormat } from "../errors.ts";

const REFERENCE = /^\{\{\s*([^{}]*?)\s*\}\}$/;
const NUMBERED_PLACEHOLDER = /\{\s*\d+\s*\}/;
const CONTACT_ONLY = new Set(["name", "number", "email"]);

const LONGEST_TEXT = 1024;
const LONGEST_URL = 2000;

/**
 * Turns the values of `components_push` into the texts to send for one contact. A value `{{field}}` stands for a field
 * of the contact or, when the contact has no such field, of the request's root; `name`, `number` and `email` come from
 * the contact only. A referenced text is taken as it is, whatever braces it holds.
 *
 * Throws `validation_failed` naming `components_push.<name>` for a value that is no text, is empty or too long, mixes
 * text and a reference, still looks like a template (`{1}`), or refers to a field that holds no text.
 */
export function resolveValues(
  values: Record<string, unknown>,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, resolveValue(name, value, contact, root)]),
  );
}

/** Whether a value is to be looked up for each contact, rather than text that is the same for all. */
export function isReference(value: unknown): boolean {
  return typeof value === "string" && REFERENCE.test(value) && !NUMBERED_PLACEHOLDER.test(value);
}

function resolveValue(
  name: string,
  value: unknown,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): string {
  if (typeof value !== "string") throw refused(name, value, "text");
  // The most common wrong value, a copied `{{1}}`, is caught before it is taken for a field named "1".
  if (NUMBERED_PLACEHOLDER.test(value)) {
    throw refused(name, value, "a bare value, not a placeholder of the template");
  }
  const field = REFERENCE.exec(value)?.[1];
  if (field !== undefined) return checkedText(name, value, lookUp(field, contact, root));
  if (value.includes("{{")) throw refused(name, value, "either one reference {{field}} or text, not both");
  return checkedText(name, value, value);
}

function lookUp(field: string, contact: Record<string, unknown>, root: Record<string, unknown>): unknown {
  if (Object.hasOwn(contact, field)) return contact[field];
  return !CONTACT_ONLY.has(field) && Object.hasOwn(root, field) ? root[field] : undefined;
}

function checkedText(name: string, given: string, text: unknown): string {
  if (typeof text !== "string" || text.trim() === "") {
    throw refused(
      name,
      given,
      text === given ? "text that is not empty" : "a reference to a field that holds text",
    );
  }
  const longest = isUrlName(name) ? LONGEST_URL : LONGEST_TEXT;
  if (text.length > longest) throw refused(name, given, `at most ${longest} characters`);
  if (text.includes("\0") || !text.isWellFormed()) {
    throw refused(name, given, "text of valid Unicode without NUL");
  }
  return text;
}

function isUrlName(name: string): boolean {
  return name.startsWith("buttons_url_") || name.startsWith("header_");
}

function refused(name: string, provided: unknown, expectedFormat: string): AppError {
  return badFormat(`components_push.${name}`, provided, expectedFormat);
}
