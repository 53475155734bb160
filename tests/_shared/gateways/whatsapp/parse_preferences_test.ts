import assert from "node:assert/strict";
import fc from "fast-check";
import { parseWebhook } from "../../../../supabase/functions/_shared/gateways/whatsapp/parse_webhook.ts";

const NOW = new Date("2026-10-01T00:00:00Z");
const AT = "2026-09-21T14:13:20.000Z";

function parse(value: Record<string, unknown>, field = "user_preferences") {
  const whole = { metadata: { phone_number_id: "99" }, ...value };
  return parseWebhook({ entry: [{ id: "112233", changes: [{ field, value: whole }] }] }, NOW);
}

const PREFERENCE = {
  wa_id: "34600000001",
  user_id: "ES.1349",
  detail: "User requested to stop marketing messages",
  category: "marketing_messages",
  value: "stop",
  timestamp: 1790000000,
};

Deno.test("parseWebhook() reads a preference", () => {
  const { preferences, ignored } = parse({ user_preferences: [PREFERENCE] });

  assert.equal(ignored, 0);
  assert.deepEqual(preferences, [{
    wabaId: "112233",
    phoneNumberId: "99",
    from: { number: "34600000001", user_id: "ES.1349" },
    value: "stop",
    detail: "User requested to stop marketing messages",
    at: AT,
  }]);
});

const PREFERENCES: [why: string, preference: object, read: string | undefined, userId?: string][] = [
  ["resume", { value: "resume" }, "resume"],
  ["a sign-up", { value: "signup", signup_id: "1" }, "signup"],
  ["a hidden number", { wa_id: undefined }, "stop", "ES.1349"],
  ["an empty number", { wa_id: "" }, "stop", "ES.1349"],
  ["no category", { category: undefined }, "stop"],
  ["another category", { category: "calls" }, undefined],
  ["an unknown value", { value: "pause" }, undefined],
  ["no person", { wa_id: undefined, user_id: undefined }, undefined],
];

for (const [why, change, read, userId] of PREFERENCES) {
  Deno.test(`parseWebhook() reads a preference with ${why} as ${read}`, () => {
    const { preferences, ignored } = parse({ user_preferences: [{ ...PREFERENCE, ...change }] });

    assert.equal(preferences[0]?.value, read);
    assert.equal(ignored, read === undefined ? 1 : 0);
    if (userId) assert.deepEqual(preferences[0]?.from, { number: null, user_id: userId });
  });
}

Deno.test("parseWebhook() finds the person of a preference among its contacts", () => {
  const { preferences } = parse({
    contacts: [{ wa_id: "34600000001", user_id: "ES.7" }],
    user_preferences: [{ ...PREFERENCE, user_id: undefined }],
  });

  assert.deepEqual(preferences[0]?.from, { number: "34600000001", user_id: "ES.7" });
});

const move = (from: string, to: string) => ({ wabaId: "112233", phoneNumberId: "99", from, to, at: AT });

Deno.test("parseWebhook() reads a change of a user id, alone or with the parent account's", () => {
  const update = { user_id: { previous: "ES.1", current: "ES.2" }, timestamp: 1790000000 };
  const both = { ...update, parent_user_id: { previous: "ES.ENT.1", current: "ES.ENT.2" } };

  assert.deepEqual(parse({ user_id_update: [update] }, "user_id_update").moves, [move("ES.1", "ES.2")]);
  assert.deepEqual(parse({ user_id_update: both }, "user_id_update").moves, [
    move("ES.1", "ES.2"),
    move("ES.ENT.1", "ES.ENT.2"),
  ]);
  assert.equal(parse({ user_id_update: [{ user_id: "ES.1" }] }, "user_id_update").ignored, 1);
});

const SYSTEM: [why: string, message: object, moves: object[]][] = [
  [
    "a new number in new_wa_id",
    { from: "34600000001", system: { type: "user_changed_number", new_wa_id: "34600000002", body: "x" } },
    [move("34600000001", "34600000002")],
  ],
  [
    "a new number in wa_id",
    { from: "34600000001", system: { type: "user_changed_number", wa_id: "34600000002" } },
    [move("34600000001", "34600000002")],
  ],
  [
    "the former number in wa_id",
    {
      from: "34600000001",
      system: {
        type: "user_changed_number",
        wa_id: "34600000001",
        body: "User Ana changed from 34600000001 to 34600000002",
      },
    },
    [move("34600000001", "34600000002")],
  ],
  [
    "a new user id",
    { from_user_id: "ES.1", system: { type: "user_changed_user_id", user_id: "ES.2" } },
    [move("ES.1", "ES.2")],
  ],
  [
    "a new user id, and the former one in a sentence only",
    {
      system: { type: "user_changed_user_id", user_id: "ES.2", body: "User @ana changed from ES.1 to ES.2." },
    },
    [move("ES.1", "ES.2")],
  ],
  [
    "a former user id in a field",
    { system: { type: "user_changed_user_id", user_id: "ES.2", previous_user_id: "ES.1" } },
    [move("ES.1", "ES.2")],
  ],
  ["another device", { from: "34600000001", system: { type: "user_identity_changed", body: "x" } }, []],
  [
    "no new number",
    { from: "34600000001", system: { type: "user_changed_number", body: "changed" } },
    [],
  ],
];

for (const [why, message, moves] of SYSTEM) {
  Deno.test(`parseWebhook() reads a system message about ${why}`, () => {
    const system = { id: "wamid.A", timestamp: "1790000000", type: "system", ...message };
    const events = parse({ messages: [system] }, "messages");

    assert.deepEqual(events.moves, moves);
    assert.equal(events.messages[0]?.kind, "system");
  });
}

Deno.test("parseWebhook() counts a change of a business's own name", () => {
  assert.equal(parse({ business_username: "shop" }, "business_username_update").ignored, 1);
});

Deno.test("parseWebhook() never throws for a preference or a move", () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), (odd, other) => {
      parse({ user_preferences: [odd], user_id_update: [other], contacts: [odd] });
      parse({ messages: [{ id: "a", type: "system", from: "34600000001", system: odd }] }, "messages");
    }),
    { numRuns: 200 },
  );
});
