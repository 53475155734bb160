import assert from "node:assert/strict";
import { readContactFile } from "../../console/screens/compose/contact_file.ts";
import { PHONE_COUNTRIES } from "../../console/words/countries.ts";
import { isPhoneCountry } from "../../supabase/functions/_shared/rows/phone_cell.ts";

Deno.test("readContactFile() says what no CSV file is, without asking the API", async () => {
  const cases: [content: BlobPart, name: string, fault: string][] = [
    [new Uint8Array([0x50, 0x4b, 3, 4]), "people.csv", "spreadsheet"],
    ["Phone\n1\n", "people.xlsx", "spreadsheet"],
    ['[{"Phone":"1"}]', "people.json", "json"],
  ];
  for (const [content, name, fault] of cases) {
    assert.equal(await readContactFile(new File([content], name)), fault, name);
  }
});

Deno.test("the console offers the countries that the API takes", () => {
  assert.ok(PHONE_COUNTRIES.every(isPhoneCountry));
  assert.ok(PHONE_COUNTRIES.length > 240);
});
