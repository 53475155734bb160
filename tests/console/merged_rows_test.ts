import assert from "node:assert/strict";
import type { StoredContact } from "../../console/data/sdk.ts";
import { mergedRows } from "../../console/screens/contact/merged_rows.ts";
import { typedValue } from "../../console/screens/contacts/contact_text.ts";
import { onceEach } from "../../console/screens/contact/timeline_days.ts";
import { loadWords } from "../../console/i18n/words.ts";

await loadWords("en");

function contact(fields: Partial<StoredContact>): StoredContact {
  return {
    ...{
      contact_id: "",
      name: null,
      language: null,
      timezone: null,
      country: null,
      attributes: {},
      tags: [],
    },
    ...{ addresses: [], list_ids: [], opted_out: null, consent: null, source: "api" },
    ...{ first_seen_at: "", last_seen_at: "", updated_at: "", ...fields },
  };
}

Deno.test("mergedRows() shows what stays: the contact's own values, and the addresses and tags of both", () => {
  const own = contact({
    ...{ name: "Ana", tags: ["vip"], attributes: { city: "Madrid" } },
    addresses: [{ kind: "number", address: "34600111222" }],
  });
  const other = contact({
    ...{ name: "Ana R.", language: "es", tags: ["new", "vip"], attributes: { city: "Toledo", vip: true } },
    addresses: [{ kind: "email", address: "ana@acme.test" }],
  });

  const rows = mergedRows(own, other).map(({ name, result }) => [name, result]);

  assert.deepEqual(rows, [
    ["Name", "Ana"],
    ["Addresses", "+34600111222, ana@acme.test"],
    ["Tags", "vip, new"],
    ["Language", "Spanish"],
    ["city", "Madrid"],
    ["vip", "Yes"],
  ]);
});

Deno.test("typedValue() is of the attribute's type, and null where nothing is left", () => {
  assert.deepEqual([
    typedValue("12.5", "number"),
    typedValue("false", "boolean"),
    typedValue("2026-01-31", "date"),
    typedValue("", "number"),
  ], [12.5, false, "2026-01-31", null]);
});

Deno.test("onceEach() keeps a consent once, whatever addresses it is recorded under", () => {
  const consent = {
    channel: "any",
    category: "marketing",
    status: "granted",
    method: "web",
    detail: null,
    source: "api",
  };
  const entry = (id: string, address: string) => ({
    id,
    at: "2026-01-01T09:00:00Z",
    kind: "consent" as const,
    consent: { ...consent, address },
  });
  const change = { id: "c", at: "2026-01-01T09:00:00Z", kind: "change" as const };

  const kept = onceEach([entry("a", "34600111222"), entry("b", "ES.1349"), change, change]);

  assert.deepEqual(kept.map(({ id }) => id), ["a", "c", "c"]);
});
