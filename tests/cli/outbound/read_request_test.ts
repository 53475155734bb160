import assert from "node:assert/strict";
import type { Flag } from "../../../cli/outbound/operation.ts";
import { type ReadArguments, readRequest } from "../../../cli/outbound/read_request.ts";
import { UsageError } from "../../../cli/outbound/usage_error.ts";

const FLAGS: Flag[] = [
  { name: "thing-id", in: "path", field: ["thing_id"], type: "string", positional: true },
  { name: "dry-run", in: "query", field: ["dry_run"], type: "boolean" },
  { name: "name", in: "body", field: ["name"], type: "string", nullable: true },
  { name: "size", in: "body", field: ["size"], type: "integer" },
  { name: "is-open", in: "body", field: ["is_open"], type: "boolean" },
  { name: "tags", in: "body", field: ["tags"], type: "array", items: "string" },
  { name: "rules", in: "body", field: ["rules"], type: "array", items: "any" },
  { name: "contact", in: "body", field: ["contact"], type: "any", open: "string" },
  { name: "contact-number", in: "body", field: ["contact", "number"], type: "string" },
  { name: "more", in: "body", field: ["more"], type: "any", open: "any" },
];

const READ: [title: string, args: string[], parts: Partial<ReadArguments["parts"]>][] = [
  ["a path without its flag", ["t1"], { path: { thing_id: "t1" } }],
  ["a path with its flag", ["--thing-id", "t1"], { path: { thing_id: "t1" } }],
  ["a boolean of the query", ["--dry-run"], { query: { dry_run: "true" } }],
  ["a negated boolean", ["--no-dry-run", "--no-is-open"], {
    query: { dry_run: "false" },
    body: { is_open: false },
  }],
  ["a boolean with its value", ["--is-open=false"], { body: { is_open: false } }],
  ["a number", ["--size", "12"], { body: { size: 12 } }],
  ["null where it may be", ["--name", "null"], { body: { name: null } }],
  ["an empty text", ["--name="], { body: { name: "" } }],
  ["a text that begins with dashes", ["--name=--yes"], { body: { name: "--yes" } }],
  ["a list of values", ["--tags", "a", "--tags", "b"], { body: { tags: ["a", "b"] } }],
  ["a list in JSON", ["--tags", "[]"], { body: { tags: [] } }],
  ["a list of JSON", ["--rules", '{"a":1}', "--rules", '{"a":2}'], { body: { rules: [{ a: 1 }, { a: 2 }] } }],
  ["a nested field with dashes", ["--contact-number", "346"], { body: { contact: { number: "346" } } }],
  ["a nested field with dots", ["--contact.number=346"], { body: { contact: { number: "346" } } }],
  ["an own field, which stays text", ["--contact.order_id", "17"], { body: { contact: { order_id: "17" } } }],
  ["an own field of any type", ["--more.points", "17"], { body: { more: { points: 17 } } }],
  ["an own field of the body", ["--body.extra", "x y"], { body: { extra: "x y" } }],
  ["an own field with the name of a prototype", ["--more.__proto__", '{"x":1}'], {
    body: { more: JSON.parse('{"__proto__":{"x":1}}') },
  }],
];

for (const [title, args, expected] of READ) {
  Deno.test(`readRequest() reads ${title}`, () => {
    const { parts } = readRequest({ flags: FLAGS, open: "any" }, args);

    assert.deepEqual(parts, { path: {}, query: {}, headers: {}, body: undefined, ...expected });
    assert.equal(({} as { x?: number }).x, undefined);
  });
}

const REFUSED: [args: string[], message: RegExp][] = [
  [["--colour", "red"], /Unknown flag --colour/],
  [["--name.x", "red"], /Unknown flag --name\.x/],
  [["--name"], /name.* argument missing/i],
  [["--size", "many"], /--size: expected a number, got 'many'/],
  [["--is-open=maybe"], /--is-open: expected true or false/],
  [["--name", "a", "--name", "b"], /--name is given twice/],
  [["t1", "t2"], /Unexpected 't2'/],
];

Deno.test("readRequest() refuses what it cannot send", () => {
  for (const [args, message] of REFUSED) {
    const refusal = (error: unknown) => error instanceof UsageError && message.test(error.message);
    assert.throws(() => readRequest({ flags: FLAGS }, args), refusal, args.join(" "));
  }
});
