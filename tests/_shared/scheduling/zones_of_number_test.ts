import assert from "node:assert/strict";
import { zonesOfNumber } from "../../../supabase/functions/_shared/scheduling/calling_hours.ts";

Deno.test("zonesOfNumber() gives all zones of the number's country", () => {
  assert.deepEqual(zonesOfNumber("59171000100"), ["America/La_Paz"]);
  assert.deepEqual(zonesOfNumber("34600111222"), ["Africa/Ceuta", "Atlantic/Canary", "Europe/Madrid"]);
  const states = zonesOfNumber("12125551234");
  assert.ok(["America/New_York", "Pacific/Honolulu"].every((zone) => states.includes(zone)));
  assert.ok(!states.includes("America/Toronto"));
});

Deno.test("zonesOfNumber() gives the zones of every country a number may belong to", () => {
  const zones = zonesOfNumber("15550100200");
  assert.ok(["America/New_York", "America/Toronto", "America/Jamaica"].every((zone) => zones.includes(zone)));
});

Deno.test("zonesOfNumber() is empty for numbers of no country", () => {
  assert.deepEqual(zonesOfNumber("80012345678"), []);
  assert.deepEqual(zonesOfNumber("999123456"), []);
});
