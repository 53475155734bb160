import { z } from "@hono/zod-openapi";
import { badFormat } from "../errors.ts";
import { isOneLine, isPlainText } from "../values/control_characters.ts";
import { isStorable } from "../values/storable_text.ts";

/** The types of attributes. The first value decides, unless the attribute was declared before. */
export const ATTRIBUTE_TYPES = ["text", "number", "date", "boolean"] as const;

/** The type of all values of an attribute. */
export type AttributeType = typeof ATTRIBUTE_TYPES[number];

/** Of one company. `outbound.attribute_values` has the same number. */
export const MAX_ATTRIBUTES = 200;

const MAX_NAME_LENGTH = 64;
const NAME_FORMAT = `1 to ${MAX_NAME_LENGTH} letters, digits, _ or -`;
const NAME = /^[\p{L}\p{N}_-]{1,64}$/u;

/** Returns whether an attribute may have this name. */
export function isAttributeName(name: string): boolean {
  return NAME.test(name) && name !== "__proto__";
}

/** The name of an attribute. Letters of all alphabets are allowed. */
export const attributeNameSchema = z.string({ error: NAME_FORMAT }).refine(isAttributeName, NAME_FORMAT)
  .openapi({ description: NAME_FORMAT, example: "city" });

const MAX_TEXT_LENGTH = 1024;
const VALUE_FORMAT = `text of at most ${MAX_TEXT_LENGTH} characters, a number, or true or false`;

/** A value of an attribute. The database compares it with the attribute's type. */
export const attributeValueSchema = z.union([
  z.string().max(MAX_TEXT_LENGTH, VALUE_FORMAT).refine(
    (text) => isPlainText(text) && isStorable(text),
    VALUE_FORMAT,
  ),
  z.number(),
  z.boolean(),
], { error: VALUE_FORMAT });

/** The form of the values of each type, for messages. */
const FORMATS: Record<AttributeType, string> = {
  text: "text",
  number: "a number",
  date: "a date as YYYY-MM-DD",
  boolean: "true or false",
};

/** The refusal of a value that its attribute cannot hold. */
export function unfitValue({ name, type }: { name: string; type: AttributeType }, value: unknown) {
  return badFormat(`attributes.${name}`, value, `${FORMATS[type]}, as all values of ${name}`);
}

/** Returns the type that the first value of an attribute gives it. */
export function typeOf(value: unknown): AttributeType {
  if (typeof value === "number" || typeof value === "boolean") return typeof value as AttributeType;
  return "text";
}

/** Returns whether a field of a request's contact can be an attribute's value. */
export function isAttributeValue(value: unknown): value is string | number | boolean {
  return attributeValueSchema.safeParse(value).success && (typeof value !== "string" || isOneLine(value));
}
