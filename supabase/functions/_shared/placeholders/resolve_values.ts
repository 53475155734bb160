import { type AppError, badFormat } from "../errors.ts";
import { lookUp, referredField, textOf } from "./reference.ts";

const LONGEST_TEXT = 1024;
const LONGEST_URL = 2000;

/**
 * Turns the values of `components_push` into the texts to send for one contact. A value `{{field}}` stands for a field
 * of the contact or, when the contact has no such field, of the request's root; `name`, `number` and `email` come from
 * the contact only. A referenced text is taken as it is, whatever braces it holds, a number or true/false as its text.
 *
 * Throws `validation_failed` naming `components_push.<name>` for a value that is no text, is empty or too long, mixes
 * text and a reference, still looks like a template (`{1}`), or refers to a field that holds neither.
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

function resolveValue(
  name: string,
  value: unknown,
  contact: Record<string, unknown>,
  root: Record<string, unknown>,
): string {
  if (typeof value !== "string") throw refused(name, value, "text");
  const field = referredField(fieldOf(name), value);
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
  return badFormat(fieldOf(name), provided, expectedFormat);
}

function fieldOf(name: string): string {
  return `components_push.${name}`;
}
