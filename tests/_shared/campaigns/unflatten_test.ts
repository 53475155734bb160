import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import { unflatten } from "../../../supabase/functions/_shared/campaigns/unflatten.ts";

Deno.test("unflatten() nests dot keys and leaves the others alone", () => {
  const nested = unflatten({
    name_template: "order_ready",
    "contact.number": "34600111222",
    "contact.name": "Ana",
    "components_push.body_text_0": "{{name}}",
  });

  assert.deepEqual(nested, {
    name_template: "order_ready",
    contact: { number: "34600111222", name: "Ana" },
    components_push: { body_text_0: "{{name}}" },
  });
});

Deno.test("unflatten() takes names of object methods for ordinary fields", () => {
  assert.deepEqual(unflatten({ "toString.valueOf": "x", hasOwnProperty: "y" }), {
    toString: { valueOf: "x" },
    hasOwnProperty: "y",
  });
});

Deno.test("unflatten() takes five levels", () => {
  assert.deepEqual(unflatten({ "a.b.c.d.e": 1 }), { a: { b: { c: { d: { e: 1 } } } } });
});

const REFUSED: [why: string, flat: string][] = [
  ["a value where another key needs an object", '{"contact": "x", "contact.number": "1"}'],
  ["an object where another key writes into it", '{"contact": {}, "contact.number": "1"}'],
  ["the same the other way round", '{"contact.number": "1", "contact": {}}'],
  ["a collision further down", '{"a.b.c": 1, "a.b": 2}'],
  ["an empty key", '{"": 1}'],
  ["a leading dot", '{".number": 1}'],
  ["a trailing dot", '{"contact.": 1}'],
  ["a dot alone", '{".": 1}'],
  ["a value where another key goes deeper", '{"contact.number": "1", "contact.number.x": "1"}'],
  ["an object with fields where another key adds one", '{"contact": {"number": "1"}, "contact.name": "x"}'],
  ["a double dot", '{"contact..number": 1}'],
  ["six levels", '{"a.b.c.d.e.f": 1}'],
  ["ten thousand levels", JSON.stringify({ ["a.".repeat(10_000) + "a"]: 1 })],
];

for (const [why, text] of REFUSED) {
  Deno.test(`unflatten() refuses ${why}`, () => {
    assert.throws(() => unflatten(JSON.parse(text)), (error) => {
      assert.ok(error instanceof AppError);
      assert.equal(error.code, "validation_failed");
      assert.deepEqual(Object.keys(error.details ?? {}), ["field", "provided", "expected_format"]);
      assert.ok(error.message.length < 300, "the key is not echoed at full length");
      return true;
    });
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
}

const NAMES_OF_OBJECT = [
  ["__proto__ alone", '{"__proto__": {"polluted": true}}', '{"__proto__":{"polluted":true}}'],
  ["__proto__ first", '{"__proto__.polluted": true}', '{"__proto__":{"polluted":true}}'],
  ["__proto__ inside", '{"contact.__proto__.polluted": true}', '{"contact":{"__proto__":{"polluted":true}}}'],
  [
    "constructor",
    '{"constructor.prototype.polluted": true}',
    '{"constructor":{"prototype":{"polluted":true}}}',
  ],
] as const;

for (const [name, flat, nested] of NAMES_OF_OBJECT) {
  Deno.test(`unflatten() makes ordinary fields of ${name}`, () => {
    assert.equal(JSON.stringify(unflatten(JSON.parse(flat))), nested);
    assert.equal(({} as Record<string, unknown>).polluted, undefined);
  });
}

Deno.test("unflatten() undoes flattening of any nested request", () => {
  const segment = fc.string({ minLength: 1, maxLength: 8 }).filter((s) =>
    // The test's own flattening assigns fields.
    !s.includes(".") && s !== "__proto__"
  );
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
  const nested = nestedObject(segment, leaf, 5);

  fc.assert(fc.property(nested, (value) => {
    assert.deepEqual(unflatten(flatten(value)), value);
  }));
});

function nestedObject(
  segment: fc.Arbitrary<string>,
  leaf: fc.Arbitrary<unknown>,
  levels: number,
): fc.Arbitrary<Record<string, unknown>> {
  const value = levels === 1 ? leaf : fc.oneof(leaf, nestedObject(segment, leaf, levels - 1));
  return fc.dictionary(segment, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
}

function flatten(value: Record<string, unknown>, prefix = ""): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) =>
      isObject(inner) ? Object.entries(flatten(inner, `${prefix}${key}.`)) : [[prefix + key, inner]]
    ),
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
