import assert from "node:assert/strict";
import { attributeField, newAttributes } from "../../console/screens/contacts/import/new_attributes.ts";
import { refusedRows } from "../../console/screens/contacts/import/refused_rows.ts";
import { loadWords } from "../../console/i18n/words.ts";

await loadWords("en");

const INVALID = { field: "number", code: "number_is_invalid", reason: "No phone number" };

Deno.test("refusedRows() keeps the rows as they are written, also those of several lines, with the problem", () => {
  const file = '\uFEFFPhone;Name\r\n34600111222;Ana\r\n12;"Luis\r\n""Lu"" Gil"\r\n\r\n13;Eva\r\n';
  const errors = [{ ...INVALID, line: 4 }, { ...INVALID, line: 6 }];

  assert.equal(
    refusedRows(file, errors),
    '\uFEFFPhone;Name;"Problem"\r\n' +
      '12;"Luis\r\n""Lu"" Gil";"This is no phone number of the chosen country, nor one with a country code"\r\n' +
      '13;Eva;"This is no phone number of the chosen country, nor one with a country code"\r\n',
  );
});

Deno.test("newAttributes() are those that columns fill and the company lacks, text unless something else is chosen", () => {
  const columns = { City: "attribute.city", Points: "attribute.points", Name: "name", Extra: null };

  assert.deepEqual(newAttributes(columns, [{ name: "city", type: "text" }], { points: "number" }), [
    { name: "points", type: "number" },
  ]);
  assert.equal(attributeField(" Código postal (CP) "), "attribute.Código_postal_CP");
});
