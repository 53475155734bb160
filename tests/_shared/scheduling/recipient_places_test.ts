import assert from "node:assert/strict";
import {
  countriesOf,
  zonesOfRecipient,
} from "../../../supabase/functions/_shared/scheduling/recipient_places.ts";

function zonesOfNumber(number: string): string[] {
  return zonesOfRecipient({ number, user_id: null });
}

Deno.test("zonesOfRecipient() gives all zones of the number's country", () => {
  assert.deepEqual(zonesOfNumber("59171000100"), ["America/La_Paz"]);
  assert.deepEqual(zonesOfNumber("34600111222"), ["Africa/Ceuta", "Atlantic/Canary", "Europe/Madrid"]);
  const states = zonesOfNumber("12125551234");
  assert.ok(["America/New_York", "Pacific/Honolulu"].every((zone) => states.includes(zone)));
  assert.ok(!states.includes("America/Toronto"));
});

Deno.test("zonesOfRecipient() gives the zones of every country a number may belong to", () => {
  const zones = zonesOfNumber("15550100200");
  assert.ok(["America/New_York", "America/Toronto", "America/Jamaica"].every((zone) => zones.includes(zone)));
});

Deno.test("zonesOfRecipient() is empty for numbers of no country, and for a user id of none", () => {
  assert.deepEqual(zonesOfNumber("80012345678"), []);
  assert.deepEqual(zonesOfNumber("999123456"), []);
  assert.deepEqual(zonesOfRecipient({ number: null, user_id: "XX.1349" }), []);
  assert.deepEqual(zonesOfRecipient({ number: null, user_id: null }), []);
});

Deno.test("countriesOf() reads the country of a user id, and prefers the number", () => {
  assert.deepEqual(countriesOf({ number: null, user_id: "ES.1349" }), ["ES"]);
  assert.deepEqual(countriesOf({ number: null, user_id: "BR.ENT.aB9" }), ["BR"]);
  assert.deepEqual(countriesOf({ number: "59171000100", user_id: "ES.1349" }), ["BO"]);
});
