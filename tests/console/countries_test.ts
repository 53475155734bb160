import assert from "node:assert/strict";
import { PHONE_COUNTRIES } from "../../console/i18n/countries.ts";
import { isPhoneCountry } from "../../supabase/functions/_shared/rows/phone_cell.ts";

Deno.test("the console offers the countries that the API takes", () => {
  assert.ok(PHONE_COUNTRIES.every(isPhoneCountry));
  assert.ok(PHONE_COUNTRIES.length > 240);
});
