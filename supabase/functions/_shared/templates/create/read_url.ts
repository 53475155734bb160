import { badFormat, missingField } from "../../errors.ts";
import { requireLength } from "./read_text.ts";
import type { ButtonRequest } from "./template_request.ts";

const LONGEST = 2000;
const VARIABLE_AT_END = /\{1\}$|\{\{1\}\}$/;
const MADE_UP = "a-1001";

/**
 * Reads the URL of a button: http or https, with at most one variable, `{1}`, at its very end. The example is the whole
 * URL, whether it was given so or as the part behind. Throws `validation_failed`.
 */
export function readUrl(button: ButtonRequest, place: string): { url: string; example?: string[] } {
  const field = `${place}.url`;
  const { url: given } = button;
  if (given === undefined) throw missingField(field);
  const base = given.replace(VARIABLE_AT_END, "");
  const refuse = (rule: string) => badFormat(field, given, rule);
  if (/[{}]/.test(base)) throw refuse("at most one variable, {1}, at the very end of the URL");
  if (!/^https?:\/\/[^\s/?#]+/i.test(base) || /\s/.test(base) || !URL.canParse(base)) {
    throw refuse("a URL beginning with https:// or http://, with a host");
  }
  const hasVariable = base !== given;
  const url = hasVariable ? `${base}{{1}}` : base;
  requireLength(field, url, LONGEST);
  if (!hasVariable && button.example !== undefined) {
    throw badFormat(`${place}.example`, button.example, "no example for a URL without a variable");
  }
  return hasVariable ? { url, example: [readExample(button, base, place)] } : { url };
}

function readExample({ example }: ButtonRequest, base: string, place: string): string {
  if (example === undefined) return base + MADE_UP;
  const given = Array.isArray(example) ? example[0]! : example;
  if (given.trim() === "" || /[{}\s]/.test(given)) {
    throw badFormat(`${place}.example`, given, "a value for the variable, or the whole URL with it");
  }
  return /^https?:\/\//i.test(given) ? given : base + given;
}
