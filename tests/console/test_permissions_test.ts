import assert from "node:assert/strict";
import { TEST_PERMISSIONS as OFFERED } from "../../console/screens/keys/test_permissions.ts";
import { TEST_PERMISSIONS } from "../../supabase/functions/_shared/access/permissions.ts";

Deno.test("the console offers keys of a test company what they may have", () => {
  assert.deepEqual([...OFFERED].sort(), [...TEST_PERMISSIONS].sort());
});
