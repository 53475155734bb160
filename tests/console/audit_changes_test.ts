import assert from "node:assert/strict";
import { changesOf, describeChanges } from "../../console/screens/audit/changes.ts";
import { loadWords } from "../../console/i18n/words.ts";

await loadWords("en");

Deno.test("changesOf() lists the fields that differ in words, those inside others with both names", () => {
  const before = { rate_limit: 600, caps: { conversations: 10, stored_mb: 50 }, url: null };
  const after = { rate_limit: 300, caps: { conversations: 20, stored_mb: 50 }, url: "https://a.example" };

  assert.deepEqual(changesOf({ before, after }), [
    { field: "requests per minute", before: "600", after: "300" },
    { field: "limits › conversations", before: "10", after: "20" },
    { field: "address", before: undefined, after: "https://a.example" },
  ]);
});

Deno.test("describeChanges() is one line, without the digests that stand for texts", () => {
  const entry = {
    before: { config_digest: "a1", allowed_origins: ["https://a.example"] },
    after: { config_digest: "b2", allowed_origins: [] },
  };

  assert.equal(
    describeChanges(entry),
    "look and texts: changed; its text is not kept here · pages: https://a.example → –",
  );
  assert.equal(describeChanges({ before: null, after: { role: "viewer" } }), "role: viewer");
  assert.equal(
    describeChanges({ before: null, after: { is_active: true, on_unknown: "count_as_sent" } }),
    "switched on: yes · unknown outcomes: count_as_sent",
  );
  assert.equal(describeChanges({ before: null, after: null }), "");
});
