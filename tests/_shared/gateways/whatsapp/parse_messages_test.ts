import assert from "node:assert/strict";
import fc from "fast-check";
import type { InboundMessage } from "../../../../supabase/functions/_shared/gateways/whatsapp/parse_messages.ts";
import {
  parseWebhook,
  type WebhookEvents,
} from "../../../../supabase/functions/_shared/gateways/whatsapp/parse_webhook.ts";

const NOW = new Date("2026-10-01T00:00:00Z");
const FROM = "34600000001";
const BASE = { from: FROM, id: "wamid.A", timestamp: "1790000000" };
const CONTACT = { profile: { name: "Ana", username: "@ana" }, wa_id: FROM, user_id: "ES.1349" };

function parse(
  messages: unknown[],
  { field = "messages", ...value }: Record<string, unknown> = {},
): WebhookEvents {
  const whole = {
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "34911222333", phone_number_id: "99" },
    contacts: [CONTACT],
    messages,
    ...value,
  };
  return parseWebhook({ entry: [{ id: "112233", changes: [{ field, value: whole }] }] }, NOW);
}

function one(message: Record<string, unknown>, value: Record<string, unknown> = {}): InboundMessage {
  const { messages, ignored } = parse([{ ...BASE, ...message }], value);
  assert.deepEqual([messages.length, ignored], [1, 0]);
  return messages[0]!;
}

Deno.test("parseWebhook() reads a text", () => {
  assert.deepEqual(one({ type: "text", text: { body: "Hello" }, context: { from: "1", id: "wamid.ours" } }), {
    wabaId: "112233",
    phoneNumberId: "99",
    from: { number: FROM, user_id: "ES.1349" },
    profileName: "Ana",
    username: "@ana",
    platformMessageId: "wamid.A",
    contextId: "wamid.ours",
    at: "2026-09-21T14:13:20.000Z",
    kind: "text",
    text: "Hello",
    content: null,
    buttonPayload: null,
  });
});

const MEDIA = { id: "777", mime_type: "image/jpeg", sha256: "abc" };
const KINDS: [kind: string, part: unknown, text: string | null, payload: string | null, content: unknown][] =
  [
    ["button", { text: "Stop updates", payload: "STOP" }, "Stop updates", "STOP", {
      text: "Stop updates",
      payload: "STOP",
    }],
    [
      "interactive",
      { type: "button_reply", button_reply: { id: "opt-1", title: "Yes" } },
      "Yes",
      "opt-1",
      undefined,
    ],
    [
      "interactive",
      { type: "list_reply", list_reply: { id: "row-1", title: "Monday", description: "9:00" } },
      "Monday",
      "row-1",
      undefined,
    ],
    [
      "interactive",
      { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: '{"a":1}' } },
      "Sent",
      null,
      undefined,
    ],
    ["image", { ...MEDIA, caption: "My cat" }, "My cat", null, { ...MEDIA, caption: "My cat" }],
    ["audio", { ...MEDIA, voice: true }, null, null, undefined],
    ["video", MEDIA, null, null, undefined],
    ["document", { ...MEDIA, filename: "bill.pdf" }, "bill.pdf", null, undefined],
    ["sticker", { ...MEDIA, animated: false }, null, null, undefined],
    [
      "location",
      { latitude: 40.4, longitude: -3.7, name: "Sol", address: "Madrid" },
      "Sol, Madrid",
      null,
      undefined,
    ],
    ["location", { latitude: 40.4, longitude: -3.7 }, "40.4, -3.7", null, undefined],
    [
      "contacts",
      [{ name: { formatted_name: "Luis" } }, { name: { formatted_name: "Eva" } }],
      "Luis, Eva",
      null,
      {
        contacts: [{ name: { formatted_name: "Luis" } }, { name: { formatted_name: "Eva" } }],
      },
    ],
    ["reaction", { message_id: "wamid.ours", emoji: "👍" }, "👍", null, undefined],
    [
      "order",
      { catalog_id: "1", text: "Soon, please", product_items: [{ quantity: 2 }] },
      "Soon, please",
      null,
      undefined,
    ],
    ["request_welcome", undefined, null, null, null],
    [
      "edit",
      { original_message_id: "wamid.first", message: { type: "text", text: { body: "STOP" } } },
      "STOP",
      null,
      undefined,
    ],
    ["something_new", { any: "thing" }, null, null, { any: "thing" }],
  ];

for (const [kind, part, text, payload, content] of KINDS) {
  Deno.test(`parseWebhook() reads a message of kind ${kind}: ${JSON.stringify(part)}`, () => {
    const message = one({ type: kind, ...(part !== undefined && { [kind]: part }) });

    assert.deepEqual([message.kind, message.text, message.buttonPayload], [kind, text, payload]);
    assert.deepEqual(message.content, content === undefined ? part : content);
  });
}

Deno.test("parseWebhook() keeps the errors of an unsupported message, and the ad that led to one", () => {
  const errors = [{ code: 131051, title: "Unsupported" }];
  const referral = { source_type: "ad", source_id: "12" };

  assert.deepEqual(one({ type: "unsupported", errors }).content, { errors });
  assert.deepEqual(one({ type: "text", text: { body: "Hi" }, referral }).content, { referral });
});

Deno.test("parseWebhook() links a reaction and an edit to their message", () => {
  assert.equal(
    one({ type: "reaction", reaction: { message_id: "wamid.ours", emoji: "" } }).contextId,
    "wamid.ours",
  );
  assert.equal(one({ type: "edit", edit: { original_message_id: "wamid.x" } }).contextId, "wamid.x");
});

for (const type of [undefined, 7, "", "x".repeat(60), "__proto__"]) {
  Deno.test(`parseWebhook() reads a text whose type is ${JSON.stringify(type)}`, () => {
    const { kind, text } = one({ type, text: { body: "Hello" } });

    assert.ok(["text", "__proto__"].includes(kind));
    if (kind === "text") assert.equal(text, "Hello");
  });
}

const ADDRESSES: [
  why: string,
  message: object,
  contacts: object[],
  number: string | null,
  userId: string | null,
][] = [
  ["a hidden number", { from: undefined, from_user_id: "ES.1" }, [{ user_id: "ES.1" }], null, "ES.1"],
  ["an empty number", { from: "", from_user_id: "ES.1" }, [{ wa_id: "", user_id: "ES.1" }], null, "ES.1"],
  ["a user id where the number was", { from: "ES.1" }, [{ wa_id: "ES.1" }], null, "ES.1"],
  ["a user id of the contact alone", { from: FROM }, [{ wa_id: FROM, user_id: "ES.1" }], FROM, "ES.1"],
  ["a plus sign", { from: `+${FROM}` }, [], FROM, null],
  ["only the parent account", { from: undefined, from_parent_user_id: "ES.ENT.5" }, [], null, "ES.ENT.5"],
  [
    "both ids of a person",
    { from: undefined, from_parent_user_id: "ES.ENT.5", from_user_id: "ES.1" },
    [],
    null,
    "ES.1",
  ],
  ["no identifier but the only contact", { from: undefined }, [CONTACT], FROM, "ES.1349"],
  ["another person's contact", { from: "34600000009" }, [CONTACT], "34600000009", null],
  [
    "its own among many contacts",
    { from: FROM },
    [{ wa_id: "1234567", user_id: "ES.9" }, CONTACT],
    FROM,
    "ES.1349",
  ],
];

for (const [why, message, contacts, number, user_id] of ADDRESSES) {
  Deno.test(`parseWebhook() finds the sender by ${why}`, () => {
    assert.deepEqual(one({ type: "text", text: { body: "Hi" }, ...message }, { contacts }).from, {
      number,
      user_id,
    });
  });
}

Deno.test("parseWebhook() counts a message without sender, id or number of ours", () => {
  const messages = [{ ...BASE, from: "a group" }, { ...BASE, id: "" }, { from: FROM }, null];

  const { messages: read, ignored } = parse(messages, { contacts: [] });

  assert.deepEqual([read, ignored], [[], 4]);
  assert.equal(parse([BASE], { metadata: undefined }).ignored, 1);
});

for (const field of ["smb_message_echoes", "message_echoes", "history", "calls"]) {
  Deno.test(`parseWebhook() takes nothing for a person's message in ${field}`, () => {
    const { messages, ignored } = parse([{ ...BASE, type: "text", text: { body: "Hi" } }], { field });

    assert.deepEqual([messages, ignored], [[], 1]);
  });
}

Deno.test("parseWebhook() bounds a message without end", () => {
  const long = "x".repeat(100_000);
  let deep: unknown = "end";
  for (let level = 0; level < 100; level++) deep = { deep };
  const wide = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field${index}`, long]));

  assert.equal(one({ type: "text", text: { body: long } }).text!.length, 4096);
  assert.ok(JSON.stringify(one({ type: "x", x: { deep } }).content).length < 200);
  assert.equal(one({ type: "x", x: wide }).content, null);
});

Deno.test("parseWebhook() keeps text that Postgres can store", () => {
  const { text, content } = one({ type: "image", image: { caption: "a\0b\ud800", "k\0": "\ud800" } });

  assert.equal(text, "ab\ufffd");
  assert.ok(!JSON.stringify(content).includes("\\u0000") && JSON.stringify(content).isWellFormed());
});

Deno.test("parseWebhook() reads statuses and messages of one batch", () => {
  const { statuses, messages } = parse([{ ...BASE, type: "text", text: { body: "Hi" } }], {
    statuses: [{ id: "wamid.S", status: "read", recipient_user_id: "ES.1349", timestamp: "1790000000" }],
  });

  assert.deepEqual([statuses[0]?.recipientUserId, statuses[0]?.recipientId, messages.length], [
    "ES.1349",
    "",
    1,
  ]);
});

Deno.test("parseWebhook() never throws for a message, and keeps the good ones beside it", () => {
  const good = { ...BASE, type: "text", text: { body: "Hi" } };
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.anything(), (odd, part, contact) => {
      const { messages, ignored } = parse([odd, good, { ...good, [String(good.type)]: part }], {
        contacts: [contact, CONTACT],
      });
      assert.equal(messages.length + ignored, 3);
      assert.ok(messages.some(({ text }) => text === "Hi"));
      for (const message of messages) JSON.stringify(message);
    }),
    { numRuns: 200 },
  );
});
