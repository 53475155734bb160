import { z } from "zod";
import { checkFields } from "../check_fields.ts";
import type { AttributeType } from "../people/attributes.ts";
import type { AudienceChannel, ContactText, LedgerCategory, Match } from "../db/contacts/match_sql.ts";
import { AppError, badFormat } from "../errors.ts";
import type { Condition, ConditionTest, Operator } from "./condition.ts";

/** The things that the names in a condition stand for. */
export interface ConditionFacts {
  now: Date;
  /** The types of the company's attributes, by name. */
  attributes: ReadonlyMap<string, AttributeType>;
  /** The condition of each list that is named; null for one that has members. */
  lists: ReadonlyMap<string, Condition | null>;
}

/** All tests of a condition and of the lists in it: more make a statement that takes long to plan. */
const MAX_TESTS = 200;
/** Of these, each reads a whole ledger of the company. */
const MAX_LEDGER_TESTS = 10;
const LEDGER_TEST = /^(consent|opted_out)\./;

/** The tests that were resolved so far, of all conditions of one query. */
export interface TestCount {
  all: number;
  ledgers: number;
}

/**
 * Looks up everything that a condition names. A list with a condition stands for that condition.
 *
 * Throws `validation_failed` for an attribute or list that the company does not have, an operator that the field does not
 * have, a value that does not fit, and a list that leads to itself.
 *
 * @param own the list whose condition this is; null for none
 * @param count the tests of the other conditions of the same query
 */
export function resolveCondition(
  condition: Condition,
  facts: ConditionFacts,
  own: string | null = null,
  count: TestCount = { all: 0, ledgers: 0 },
): Match {
  const outside = own === null ? [] : [own];

  function resolve(node: Condition, path: string, within: string[]): Match {
    // Of a list within the condition, only the list is named.
    const below = (part: string) => within.length > outside.length ? path : `${path}.${part}`;
    if ("all" in node) return { all: node.all.map((part, i) => resolve(part, below(`all[${i}]`), within)) };
    if ("any" in node) return { any: node.any.map((part, i) => resolve(part, below(`any[${i}]`), within)) };
    if ("not" in node) return { not: resolve(node.not, below("not"), within) };
    if (++count.all > MAX_TESTS) {
      throw badFormat(path, "", `at most ${MAX_TESTS} tests, those of the lists in it too`);
    }
    if (LEDGER_TEST.test(node.field) && ++count.ledgers > MAX_LEDGER_TESTS) {
      throw badFormat(path, "", `at most ${MAX_LEDGER_TESTS} tests of consents and opt-outs`);
    }
    const match = node.field === "list" ? resolveList(node, path, within) : resolveTest(node, path, facts);
    return node.op === "is_not" || node.op === "is_not_set" ? { not: match } : match;
  }

  function resolveList(test: ConditionTest, path: string, within: string[]): Match {
    requireOperator(test, path, ["is", "is_not"]);
    const listId = readValue(z.guid("the id of a list"), test, path).toLowerCase();
    const listed = facts.lists.get(listId);
    if (listed === undefined) throw fault(path, "names a list that the company does not have");
    if (within.includes(listId)) throw fault(path, "names a list that leads to itself");
    return listed === null ? { member_of: listId } : resolve(listed, path, [...within, listId]);
  }

  return resolve(condition, "condition", outside);
}

/** Returns the ids of the lists that a condition names itself. */
export function listsIn(condition: Condition): string[] {
  if ("all" in condition) return condition.all.flatMap(listsIn);
  if ("any" in condition) return condition.any.flatMap(listsIn);
  if ("not" in condition) return listsIn(condition.not);
  const { field, value } = condition;
  return field === "list" && z.guid().safeParse(value).success ? [String(value).toLowerCase()] : [];
}

const IS_SET = ["is_set", "is_not_set"] as const;
const OPERATORS_OF: Record<AttributeType, Operator[]> = {
  text: ["is", "is_not", "contains", "starts_with", ...IS_SET],
  number: ["is", "is_not", "greater", "less", ...IS_SET],
  date: ["is", "is_not", "before", "after", "within_days", ...IS_SET],
  boolean: ["is", "is_not", ...IS_SET],
};

/** Resolves a test as if its operator had no `not`. */
function resolveTest(test: ConditionTest, path: string, facts: ConditionFacts): Match {
  const [kind = "", channel, category] = test.field.split(".");
  switch (kind) {
    case "tag":
      requireOperator(test, path, ["is", "is_not", ...IS_SET]);
      return asksIfSet(test) ? { has: "tags" } : { tag: readValue(z.string("a tag"), test, path) };
    case "consent":
    case "opted_out":
      return ledgerMatch(test, path, kind, channel as AudienceChannel, category as LedgerCategory);
    case "first_seen_at":
    case "last_seen_at":
      requireOperator(test, path, ["before", "after", "within_days", ...IS_SET]);
      return asksIfSet(test) ? { all: [] } : timeMatch(kind, test, path, facts.now);
    case "attribute":
      return attributeMatch(test, path, facts);
    default:
      return textMatch(kind as ContactText, test, path);
  }
}

function attributeMatch(test: ConditionTest, path: string, { attributes, now }: ConditionFacts): Match {
  const name = test.field.slice("attribute.".length);
  const type = attributes.get(name);
  if (type === undefined) {
    throw fault(path, `names the attribute '${name}', which no contact of the company has`);
  }
  requireOperator(test, path, OPERATORS_OF[type]);
  if (asksIfSet(test)) return { has: { attribute: name } };
  switch (type) {
    case "text":
      return textMatch({ attribute: name }, test, path);
    case "number":
      return {
        number: name,
        op: test.op === "greater" || test.op === "less" ? test.op : "is",
        value: readValue(z.number("a number"), test, path),
      };
    case "boolean":
      return { boolean: name, value: readValue(z.boolean("true or false"), test, path) };
    case "date":
      return { date: name, ...daysOf(test, path, now) };
  }
}

function textMatch(text: ContactText, test: ConditionTest, path: string): Match {
  requireOperator(test, path, OPERATORS_OF.text);
  if (asksIfSet(test)) return { has: text };
  const op = test.op === "contains" || test.op === "starts_with" ? test.op : "is";
  return { text, op, value: readValue(z.string("text").min(1, "text"), test, path) };
}

function ledgerMatch(
  test: ConditionTest,
  path: string,
  kind: "consent" | "opted_out",
  channel: AudienceChannel,
  category: LedgerCategory,
): Match {
  if (kind === "opted_out") {
    requireOperator(test, path, ["is", "is_not"]);
    const match: Match = { opted_out: channel, category };
    return readValue(z.boolean("true or false"), test, path) ? match : { not: match };
  }
  requireOperator(test, path, ["is", "is_not", ...IS_SET]);
  const status = z.enum(["granted", "withdrawn"], "granted or withdrawn");
  return { consent: asksIfSet(test) ? null : readValue(status, test, path), channel, category };
}

const DAY_MS = 86_400_000;
const MAX_DAYS = 3650;
const day = z.iso.date("a day as YYYY-MM-DD");
const days = z.int(`a whole number of days from -${MAX_DAYS} to ${MAX_DAYS}`).min(-MAX_DAYS).max(MAX_DAYS);
const pastDays = z.int(`a whole number of days from 1 to ${MAX_DAYS}`).min(1).max(MAX_DAYS);

/** Days of the past count from 0 up, those to come from -1 down. */
function daysOf(test: ConditionTest, path: string, now: Date): { from: string | null; to: string | null } {
  if (test.op === "within_days") {
    const count = readValue(days, test, path);
    const [today, other] = [dayOf(now), dayOf(new Date(now.getTime() - count * DAY_MS))];
    return count >= 0 ? { from: other, to: today } : { from: today, to: other };
  }
  const given = readValue(day, test, path);
  if (test.op === "before") return { from: null, to: shifted(given, -1) };
  if (test.op === "after") return { from: shifted(given, 1), to: null };
  return { from: given, to: given };
}

function timeMatch(
  time: "first_seen_at" | "last_seen_at",
  test: ConditionTest,
  path: string,
  now: Date,
): Match {
  if (test.op === "within_days") {
    return { time, from: new Date(now.getTime() - readValue(pastDays, test, path) * DAY_MS), before: null };
  }
  const given = readValue(day, test, path);
  return test.op === "before"
    ? { time, from: null, before: new Date(given) }
    : { time, from: new Date(shifted(given, 1)), before: null };
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}

function shifted(given: string, by: number): string {
  return dayOf(new Date(Date.parse(given) + by * DAY_MS));
}

function asksIfSet({ op }: ConditionTest): boolean {
  return op === "is_set" || op === "is_not_set";
}

function requireOperator({ field, op }: ConditionTest, path: string, operators: readonly Operator[]): void {
  if (!operators.includes(op)) {
    throw badFormat(`${path}.op`, op, `one that '${field}' has: ${operators.join(", ")}`);
  }
}

function readValue<Value>(schema: z.ZodType<Value>, { value }: ConditionTest, path: string): Value {
  return checkFields(z.object({ value: schema }), { value }, path).value as Value;
}

function fault(path: string, reason: string): AppError {
  return new AppError("validation_failed", `'${path}' ${reason}`, { details: { field: path, reason } });
}
