import assert from "node:assert/strict";
import fc from "fast-check";
import { maskedNumber, userIdOf } from "../../../../local/sandbox/people/user_id.ts";

const NUMBERS = fc.stringMatching(/^[1-9][0-9]{6,14}$/);

Deno.test("userIdOf() has the platform's form and leads back to its number in its account only", () =>
  fc.assert(
    fc.property(NUMBERS, fc.nat(3), (number, renewed) => {
      const userId = userIdOf(number, "1000", renewed);

      assert.match(userId, /^[A-Z]{2}\.[A-Za-z0-9]{1,128}$/);
      assert.equal(maskedNumber(userId, "1000"), number);
      assert.notEqual(maskedNumber(userId, "1001"), number);
      assert.equal(userId.includes(number), false);
    }),
    { numRuns: 100 },
  ));

const COUNTRIES: [string, string][] = [
  ["573001112233", "CO"],
  ["34600000001", "ES"],
  ["447700900123", "GB"],
  ["15550001111", "US"],
  ["999123456789", "ZZ"],
];

for (const [number, country] of COUNTRIES) {
  Deno.test(`userIdOf() of ${number} starts with ${country}`, () => {
    assert.equal(userIdOf(number, "1000").slice(0, 3), `${country}.`);
  });
}

Deno.test("userIdOf() stays the same, and differs per number, per account and after a renewal", () => {
  const ids = [
    userIdOf("34600000001", "1000"),
    userIdOf("34600000002", "1000"),
    userIdOf("34600000001", "1001"),
    userIdOf("34600000001", "1000", 1),
  ];

  assert.equal(new Set(ids).size, 4);
  assert.equal(userIdOf("34600000001", "1000"), ids[0]);
});

Deno.test("maskedNumber() of anything else is undefined", () => {
  for (const text of ["", "ES.1349", "ES.76FF41F011", "34600000001", "es.76FF41F011281DFDC9D718"]) {
    assert.equal(maskedNumber(text, "1000"), undefined, text);
  }
});
