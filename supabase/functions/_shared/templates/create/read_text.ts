import { isPlainText, WITHOUT_CONTROLS } from "../../control_characters.ts";
import { badFormat, missingField } from "../../errors.ts";

/** A text of a template as the platform wants it. */
export interface TemplateText {
  /** With variables written `{{1}}`. */
  text: string;
  /** How many different ones it has; they are numbered from 1. */
  variables: number;
}

const VARIABLE = /\{\{([1-9]\d{0,2})\}\}|\{([1-9]\d{0,2})\}/g;
const NOTHING_BUT_SPACE = /^\s*$/;

/**
 * Reads a text that may hold variables, written `{1}` or `{{1}}`, and checks everything that can be wrong with it but
 * its length. `field` names it in refusals.
 *
 * Source of the rules: WhatsApp Cloud API, message templates.
 *
 * Throws `validation_failed`.
 */
export function readText(field: string, given: string | undefined): TemplateText {
  const text = requireText(field, given);
  const found = [...text.matchAll(VARIABLE)];
  const refuse = (rule: string) => badFormat(field, given, rule);
  if (/[{}]/.test(text.replaceAll(VARIABLE, ""))) {
    throw refuse("braces only around the number of a variable, such as {1}");
  }
  if (new Set(found.map((match) => match[1] === undefined)).size > 1) {
    throw refuse("all variables written the same way, {1} or {{1}}");
  }
  const numbers = [...new Set(found.map((match) => Number(match[1] ?? match[2])))];
  if (numbers.some((number, index) => number !== index + 1)) {
    throw refuse("variables numbered {1}, {2}, … without a gap, in the order they appear");
  }
  const between = text.split(new RegExp(VARIABLE.source.replaceAll("(", "(?:"))).map((part) => part.trim());
  if (numbers.length > 0 && (between[0] === "" || between.at(-1) === "")) {
    throw refuse("text before the first variable and after the last one");
  }
  if (between.slice(1, -1).includes("")) throw refuse("text between two variables");
  return {
    text: text.replaceAll(VARIABLE, (_, double, single) => `{{${double ?? single}}}`),
    variables: numbers.length,
  };
}

/**
 * Reads a text that must be the same for everybody. Throws `validation_failed`.
 *
 * @param why ends the refusal of a variable
 */
export function readStaticText(field: string, given: string | undefined, why: string): string {
  const text = requireText(field, given);
  if (/[{}]/.test(text)) throw badFormat(field, given, `text without variables: ${why}`);
  return text;
}

/** Throws `validation_failed` when a text has more than `most` characters; variables count as `{{1}}`. */
export function requireLength(field: string, text: string, most: number): void {
  if ([...text].length > most) throw badFormat(field, text, `at most ${most} characters`);
}

function requireText(field: string, given: string | undefined): string {
  if (given === undefined) throw missingField(field);
  if (!isPlainText(given)) throw badFormat(field, given, WITHOUT_CONTROLS);
  if (NOTHING_BUT_SPACE.test(given)) throw badFormat(field, given, "text that is not empty");
  return given;
}
