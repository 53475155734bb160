import { badFormat } from "../errors.ts";

const REFERENCE = /^\{\{\s*([^{}]*?)\s*\}\}$/;
const NUMBERED_PLACEHOLDER = /\{\s*\d+\s*\}/;
const CONTACT_ONLY = new Set(["name", "number", "email"]);

/** Whether a value is to be looked up for each contact, rather than text that is the same for all. */
export function isReference(value: unknown): boolean {
  return typeof value === "string" && REFERENCE.test(value) && !NUMBERED_PLACEHOLDER.test(value);
}

/**
 * The field that a value `{{field}}` refers to; undefined for text that refers to none.
 *
 * Throws `validation_failed` naming `field` for a value that mixes text and a reference, or still looks like a template
 * (`{1}`).
 */
export function referredField(field: string, value: string): string | undefined {
  // The most common wrong value, a copied `{{1}}`, is caught before it is taken for a field named "1".
  if (NUMBERED_PLACEHOLDER.test(value)) {
    throw badFormat(field, value, "a bare value, not a placeholder of the template");
  }
  const referred = REFERENCE.exec(value)?.[1];
  if (referred === undefined && value.includes("{{")) {
    throw badFormat(field, value, "either one reference {{field}} or text, not both");
  }
  return referred;
}

/**
 * What a reference stands for: a field of the contact or, when the contact has no such field, of the request's root;
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

/** What a message says for a referred field: its text, that of a number or of true/false, or undefined for all else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isFinite(value) ? String(value) : undefined;
}
