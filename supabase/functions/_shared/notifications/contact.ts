import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import { withoutNulls } from "../without_nulls.ts";

const LONGEST_FIELD = 1024;

/** What a recipient's number looks like: country code first, digits only. */
const NUMBER_FORMAT = "international format, digits only, 7 to 15 of them, no '+', no leading 0";

const text = z.string({ error: "text" }).max(LONGEST_FIELD, `at most ${LONGEST_FIELD} characters`);

/** A recipient. Fields beyond these are the client's own, free to be referred to as `{{field}}`. */
export const contactSchema = z.object({
  number: z.string({ error: NUMBER_FORMAT }).regex(/^[1-9]\d{6,14}$/, NUMBER_FORMAT).openapi({
    description: NUMBER_FORMAT,
    example: "34600111222",
  }),
  name: text.nullish(),
  first_name: text.nullish(),
  last_name: text.nullish(),
  email: text.nullish(),
}, { error: "an object with a number" }).catchall(text.nullable()).openapi("Contact");

/** A recipient of a call; its own fields may be numbers and true/false too, since an agent can be told those. */
export const callContactSchema = contactSchema.catchall(
  z.union([text, z.number(), z.boolean(), z.null()], { error: "text, a number or true/false" }),
).openapi("CallContact");

/**
 * Reads a contact as the request gives it. Null counts as left out, as at the root of a request: exports of customer
 * systems write it for what is empty.
 *
 * Throws `validation_failed`.
 */
export function readContact<Schema extends z.ZodType>(schema: Schema, given: unknown): z.infer<Schema> {
  return checkFields(schema, isObject(given) ? withoutNulls(given) : given, "contact");
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
