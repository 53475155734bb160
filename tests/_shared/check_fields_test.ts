import assert from "node:assert/strict";
import { z } from "zod";
import { checkQuery } from "../../supabase/functions/_shared/check_fields.ts";

const SCHEMA = z.object({ access_key: z.string(), format: z.enum(["json", "csv"]).optional() });

Deno.test("checkQuery() takes an empty value of a required parameter for a missing one", () => {
  assert.throws(() => checkQuery(SCHEMA, { access_key: "" }), /Missing required field: 'access_key'/);
});

Deno.test("checkQuery() ignores parameters it does not know, also those named like a property of every object", () => {
  for (const name of ["other", "constructor", "toString", "hasOwnProperty", "valueOf", "__proto__"]) {
    const query = Object.fromEntries([["access_key", "k"], [name, ""]]);

    assert.deepEqual(checkQuery(SCHEMA, query), { access_key: "k" }, name);
  }
});
