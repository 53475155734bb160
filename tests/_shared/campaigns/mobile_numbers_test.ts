import assert from "node:assert/strict";
import fc from "fast-check";
import { getCountries, getCountryCallingCode, isValidPhoneNumber, Metadata } from "libphonenumber-js/max";
import { isMobileNumber } from "../../../supabase/functions/_shared/campaigns/mobile_numbers.ts";

/** Each country's calling code, with one of the lengths of its numbers. */
const FORMS = getCountries().flatMap((country) => {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const callingCode = getCountryCallingCode(country);
  return metadata.numberingPlan!.possibleLengths().map((length) => ({ callingCode, length }));
});

Deno.test("isMobileNumber() takes numbers only that the library takes for valid, in every country", () => {
  const digits = fc.bigInt({ min: 10n ** 16n, max: 10n ** 17n - 1n });
  const withMobile = new Set<string>();

  fc.assert(
    fc.property(fc.constantFrom(...FORMS), digits, ({ callingCode, length }, digits) => {
      const number = `${callingCode}${digits}`.slice(0, callingCode.length + length);
      if (!isMobileNumber(number)) return;
      withMobile.add(callingCode);
      assert.equal(isValidPhoneNumber(`+${number}`), true, number);
    }),
    { numRuns: 50_000 },
  );

  assert.ok(withMobile.size > 150, `mobile numbers of ${withMobile.size} calling codes only`);
});

Deno.test("isMobileNumber() leaves to the library what is no mobile number with its country code", () => {
  for (const number of ["34600111222", "4915123456789", "5511987654321", "12125550123", "8613812345678"]) {
    assert.equal(isMobileNumber(number), true, number);
  }
  for (const number of ["", "0", "600111222", "34911222333", "346001112223", "999600111222", "80012345678"]) {
    assert.equal(isMobileNumber(number), false, number);
  }
});
