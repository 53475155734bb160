import assert from "node:assert/strict";
import { EXPECTATIONS_ES } from "../../console/data/expectations.ts";
import { VALUE_KINDS } from "../../supabase/functions/_shared/templates/value_names.ts";

Deno.test("EXPECTATIONS_ES has what every kind of value has to be, and no other", () => {
  const expected = Object.values(VALUE_KINDS).map(({ expects }) => expects).filter((each) => each !== "text");

  assert.deepEqual(Object.keys(EXPECTATIONS_ES).sort(), [...new Set<string>(expected)].sort());
});
