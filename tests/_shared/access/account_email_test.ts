import assert from "node:assert/strict";
import { accountEmail } from "../../../supabase/functions/_shared/access/sign_in.ts";

Deno.test("accountEmail() lowers each character by itself, as the auth server does", () => {
  const spellings = {
    "Ana@Example.TEST": "ana@example.test",
    "vİctİm@x.test": "victim@x.test",
    "ΟΔΟΣ@x.test": "οδοσ@x.test",
    "\u212Aate@x.test": "kate@x.test",
    "straße@x.test": "straße@x.test",
    "\u{10400}@x.test": "\u{10428}@x.test",
  };
  for (const [given, expected] of Object.entries(spellings)) assert.equal(accountEmail(given), expected);
});

Deno.test("accountEmail() changes nothing in what it returned", () => {
  for (let point = 0; point <= 0x10ffff; point++) {
    const once = accountEmail(String.fromCodePoint(point));
    assert.equal(accountEmail(once), once, `U+${point.toString(16)}`);
  }
});
