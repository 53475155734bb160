import { z } from "@hono/zod-openapi";
import { checkFields } from "../check_fields.ts";
import { badFormat } from "../errors.ts";
import { isStorable, STORABLE } from "../values/storable_text.ts";

const MAX_DEPTH = 5;
const MAX_TESTS = 50;
const MAX_VALUE_LENGTH = 200;

const OPERATORS = [
  ...["is", "is_not", "contains", "starts_with", "greater", "less"] as const,
  ...["before", "after", "within_days", "is_set", "is_not_set"] as const,
] as const;
/** How a test compares its field with its value. */
export type Operator = typeof OPERATORS[number];

/** The fields of a contact besides the attributes. Channels are whatsapp and voice, categories marketing and all. */
const FIELD =
  /^(name|language|country|timezone|tag|list|first_seen_at|last_seen_at|attribute\..{1,100}|(consent|opted_out)\.(whatsapp|voice)\.(marketing|all))$/u;
const FIELD_FORMAT =
  "name, language, country, timezone, tag, list, first_seen_at, last_seen_at, attribute.<name>, " +
  "consent.<channel>.<category> or opted_out.<channel>.<category>";

const testSchema = z.strictObject({
  field: z.string({ error: FIELD_FORMAT }).regex(FIELD, FIELD_FORMAT).refine(isStorable, STORABLE),
  op: z.enum(OPERATORS, { error: OPERATORS.join(", ") }),
  value: z.union([z.string().max(MAX_VALUE_LENGTH).refine(isStorable), z.number(), z.boolean()], {
    error: `text of at most ${MAX_VALUE_LENGTH} characters, a number, or true or false`,
  }).optional(),
});

/** A test of one field of a contact. */
export type ConditionTest = z.infer<typeof testSchema>;

/** A test of contacts, or several that are joined. */
export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | ConditionTest;

const FORM = "{all: […]}, {any: […]}, {not: …} or {field, op, value}";

const self = { $ref: "#/components/schemas/Condition" };
const parts = { type: "array" as const, items: self, minItems: 1 };

/**
 * Documents a condition as one flat object, because generators of clients do not know types that contain themselves in an
 * alternative. `readCondition` checks it, and names the part that is wrong.
 */
export const conditionSchema = z.looseObject({}, { error: FORM }).openapi("Condition", {
  description:
    `Either \`all\`, \`any\` or \`not\`, or a test: \`field\`, \`op\` and mostly \`value\`. At most ${MAX_DEPTH} levels and ` +
    `${MAX_TESTS} tests; docs/lists.md lists fields and operators`,
  type: "object",
  properties: {
    all: parts,
    any: parts,
    not: self,
    field: { type: "string", description: FIELD_FORMAT, example: "attribute.plan" },
    op: { type: "string", enum: [...OPERATORS] },
    value: {
      anyOf: [{ type: "string", maxLength: MAX_VALUE_LENGTH }, { type: "number" }, { type: "boolean" }],
      description: "Left out with `is_set` and `is_not_set`",
    },
  },
  additionalProperties: false,
});

/** Reads a condition. Throws `validation_failed`, with the path of the part that is wrong behind `path`. */
export function readCondition(given: unknown, path = "condition"): Condition {
  let tests = 0;

  function read(node: unknown, path: string, depth: number): Condition {
    if (depth > MAX_DEPTH) throw badFormat(path, "", `at most ${MAX_DEPTH} levels`);
    if (typeof node !== "object" || node === null || Array.isArray(node)) throw badFormat(path, node, FORM);
    const { all, any, not } = node as Record<string, unknown>;
    if (all !== undefined) return { all: readAll(node, "all", path, depth) };
    if (any !== undefined) return { any: readAll(node, "any", path, depth) };
    if (not !== undefined) {
      requireOnly(node, "not", path);
      return { not: read(not, `${path}.not`, depth + 1) };
    }
    if (++tests > MAX_TESTS) throw badFormat(path, "", `at most ${MAX_TESTS} tests`);
    return checkFields(testSchema, node, path);
  }

  function readAll(node: object, name: "all" | "any", path: string, depth: number): Condition[] {
    requireOnly(node, name, path);
    const parts = (node as Record<string, unknown>)[name];
    if (!Array.isArray(parts) || parts.length === 0) {
      throw badFormat(`${path}.${name}`, "", "a list of conditions");
    }
    return parts.map((part, index) => read(part, `${path}.${name}[${index}]`, depth + 1));
  }

  return read(given, path, 1);
}

function requireOnly(node: object, name: string, path: string): void {
  if (Object.keys(node).length > 1) throw badFormat(path, "", `{${name}} without other fields`);
}
