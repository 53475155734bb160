import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../../supabase/functions/_shared/errors.ts";
import { resolveForContact } from "../../../supabase/functions/_shared/campaigns/placeholders.ts";

const contact = {
  number: "34600111222",
  name: "Ana",
  city: "Sevilla",
  empty: "",
  blank: " \t",
  age: 7,
  none: null,
};
const root = {
  campaign_name: "June",
  city: "Madrid",
  email: "root@example.test",
  contact,
  order: "A {{1}} {{city}}",
  total: 12.5,
  paid: false,
  infinite: Infinity,
};

const TAKEN: [given: string, sent: string][] = [
  ["plain text", "plain text"],
  [" spaces stay ", " spaces stay "],
  ["price {net} }} 5", "price {net} }} 5"],
  ["{{name}}", "Ana"],
  ["{{ name }}", "Ana"],
  ["{{number}}", "34600111222"],
  ["{{city}}", "Sevilla"],
  ["{{campaign_name}}", "June"],
  ["{{order}}", "A {{1}} {{city}}"],
  ["{{total}}", "12.5"],
  ["{{paid}}", "false"],
  ["{{age}}", "7"],
];

for (const [given, sent] of TAKEN) {
  Deno.test(`resolveForContact() sends ${JSON.stringify(given)} as ${JSON.stringify(sent)}`, () => {
    assert.deepEqual(resolveForContact({ body_text_0: given }, contact, root), { body_text_0: sent });
  });
}

const REFUSED: [why: string, value: unknown][] = [
  ["a number", 7],
  ["null", null],
  ["an object", { a: 1 }],
  ["a list", ["a"]],
  ["an empty value", ""],
  ["a blank value", "  \n"],
  ["text beside a reference", "Hello {{name}}"],
  ["a space beside a reference", " {{name}}"],
  ["two references", "{{name}}{{city}}"],
  ["a reference that is never closed", "{{name}"],
  ["a nested reference", "{{{{name}}}}"],
  ["an empty reference", "{{}}"],
  ["a single-brace placeholder", "{1}"],
  ["a double-brace placeholder", "{{1}}"],
  ["a placeholder with spaces", "{{ 1 }}"],
  ["template text", "Hello {1}, welcome"],
  ["an unknown field", "{{surname}}"],
  ["an empty field", "{{empty}}"],
  ["a blank field", "{{blank}}"],
  ["a field that holds a number too large for one", "{{infinite}}"],
  ["a field that holds null", "{{none}}"],
  ["a field that holds an object", "{{contact}}"],
  ["a path into an object", "{{contact.name}}"],
  ["an e-mail only the root has", "{{email}}"],
  ["an inherited property", "{{toString}}"],
  ["the prototype", "{{__proto__}}"],
  ["the constructor", "{{constructor}}"],
  ["a NUL character", "a\0b"],
  ["half of a surrogate pair", "a\ud83d"],
  ["1025 characters", "x".repeat(1025)],
];

for (const [why, value] of REFUSED) {
  Deno.test(`resolveForContact() refuses ${why}`, () => {
    assert.throws(
      () => resolveForContact({ body_text_0: "fine", body_text_1: value }, contact, root),
      (error) => {
        assert.ok(error instanceof AppError);
        assert.equal(error.code, "validation_failed");
        assert.equal(error.details?.field, "components_push.body_text_1");
        return true;
      },
    );
  });
}

Deno.test("resolveForContact() looks the contact's own name up in the contact only", () => {
  const other = { number: "34600111222" };

  for (const field of ["name", "email"]) {
    assert.throws(() =>
      resolveForContact({ body_text_0: `{{${field}}}` }, other, { name: "Root", email: "r@x.test" })
    );
  }
});

Deno.test("resolveForContact() limits text to 1024 characters and URLs to 2000", () => {
  const longest = {
    body_text_0: "x".repeat(1024),
    buttons_url_0: "x".repeat(2000),
    header_image: `https://example.test/${"x".repeat(1979)}`,
  };

  assert.deepEqual(resolveForContact(longest, contact, root), longest);
  for (const name of Object.keys(longest)) {
    assert.throws(() => resolveForContact({ [name]: "x".repeat(2001) }, contact, root), AppError);
  }
});

Deno.test("resolveForContact() applies the limits to what a reference stands for", () => {
  assert.throws(
    () => resolveForContact({ body_text_0: "{{long}}" }, { long: "x".repeat(1025) }, {}),
    AppError,
  );
});

Deno.test("resolveForContact() keeps a value without braces and resolves any field of the contact", () => {
  const text = fc.string({ minLength: 1, maxLength: 200 }).filter((s) =>
    s.trim() !== "" && !s.includes("\0")
  );
  const plain = text.filter((s) => !s.includes("{"));
  const field = fc.string({ minLength: 1 })
    .filter((s) => !/[{}]/.test(s) && s === s.trim() && !/^\d+$/.test(s) && s !== "__proto__");

  fc.assert(fc.property(plain, field, text, (value, name, content) => {
    const resolved = resolveForContact(
      { body_text_0: value, body_text_1: `{{ ${name} }}` },
      { [name]: content },
      {},
    );
    assert.deepEqual(resolved, { body_text_0: value, body_text_1: content });
  }));
});

Deno.test("resolveForContact() returns a text of allowed length or throws AppError, whatever it is given", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.anything()), fc.object(), fc.object(), (values, from, rest) => {
      try {
        const resolved = resolveForContact(values, from, rest);
        assert.deepEqual(Object.keys(resolved).sort(), Object.keys(values).sort());
        for (const text of Object.values(resolved)) assert.ok(text.trim().length > 0 && text.length <= 2000);
      } catch (error) {
        assert.ok(error instanceof AppError, String(error));
      }
    }),
  );
});
