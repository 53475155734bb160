import assert from "node:assert/strict";
import { countryOfDigits } from "../../../supabase/functions/_shared/values/country_of.ts";

Deno.test("countryOfDigits() returns the country of the calling code, in North America of the area", () => {
  const countries = {
    "34600111222": "ES",
    "447700900123": "GB",
    "12125550100": "US",
    "14165550100": "CA",
    "18765550100": "JM",
    "77012345678": "KZ",
    "79121234567": "RU",
    "59171000100": "BO",
    "5215512345678": "MX",
    "390612345678": "IT",
    "10001234567": "US",
    "999123456789": "",
    "34": "ES",
    "1416": "CA",
    "77": "KZ",
    "79": "RU",
    "591": "BO",
  };
  for (const [digits, country] of Object.entries(countries)) {
    assert.equal(countryOfDigits(digits), country, digits);
  }
});
