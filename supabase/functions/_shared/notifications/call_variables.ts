import { type AppError, badFormat } from "../errors.ts";
import { REFERENCE_VARIABLE } from "../gateways/voice/reference_variable.ts";
import { isReference, lookUp, referredField } from "../placeholders/reference.ts";

/** What an agent can be told: the platform takes nothing else. */
export type CallVariable = string | number | boolean;

export type CallVariables = Record<string, CallVariable>;

const MOST_VARIABLES = 50;
const LONGEST_TEXT = 1024;
const LONGEST_ECHO = 100;
/** What can stand between the braces of an agent's text, in any language; a mere number is a template's placeholder. */
const NAME = /^(?!\d+$)[\p{L}\p{N}_][\p{L}\p{M}\p{N}_ .-]{0,63}$/u;
const NAME_FORMAT = "a name of up to 64 letters, digits, spaces and '_', '.', '-', and not of digits only";

/**
 * The fields of a request's own, those besides `known`, as variables for every call of it. References stay as they are
 * until the contact is known; a field that is null counts as left out.
 *
 * Throws `validation_failed` for a name that an agent's text could not hold, a value that is no text, number or
 * true/false, and a text that is too long, mixes text and a reference, or looks like a template (`{1}`).
 */
export function requestVariables(root: Record<string, unknown>, known: ReadonlySet<string>): CallVariables {
  const own = Object.entries(root).filter(([name, value]) => !known.has(name) && value !== null);
  if (own.length > MOST_VARIABLES) throw tooMany("the request", own.length);
  return Object.fromEntries(own.map(([name, value]) => {
    checkName(name, name);
    const variable = checkValue(name, value);
    if (typeof variable === "string") referredField(name, variable);
    return [name, variable];
  }));
}

/**
 * What the agent is told in the call to one contact: the fields of the request with their references looked up, and all
 * fields of the contact, which win.
 *
 * Throws `validation_failed` like {@link requestVariables}, and for a reference to a field that holds nothing.
 */
export function contactVariables(
  contact: Record<string, unknown>,
  { root, variables }: { root: Record<string, unknown>; variables: CallVariables },
): CallVariables {
  const own = Object.entries(contact).map(([name, value]) => {
    checkName(name, `contact.${name}`);
    return [name, checkValue(`contact.${name}`, value)];
  });
  const shared = Object.entries(variables).map(([name, value]) => {
    return [name, isReference(value) ? resolved(name, String(value), contact, root) : value];
  });
  const told: CallVariables = Object.fromEntries([...shared, ...own]);
  const count = Object.keys(told).length;
  if (count > MOST_VARIABLES) throw tooMany("the request and the contact", count);
  return told;
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
  if (!NAME.test(name)) throw badFormat(field.slice(0, LONGEST_ECHO), "", NAME_FORMAT);
  if (name.startsWith("system__") || name === REFERENCE_VARIABLE) {
    throw badFormat(field, "", "another name: this one belongs to the voice platform or to this service");
  }
}

function checkValue(field: string, value: unknown): CallVariable {
  if (typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (typeof value !== "string") throw badFormat(field, value, "text, a number or true/false");
  if (value.length > LONGEST_TEXT) throw badFormat(field, value, `at most ${LONGEST_TEXT} characters`);
  return value;
}

function tooMany(where: string, count: number): AppError {
  return badFormat("contact", count, `at most ${MOST_VARIABLES} fields for the agent in ${where}`);
}
