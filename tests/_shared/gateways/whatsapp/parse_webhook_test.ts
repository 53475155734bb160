import assert from "node:assert/strict";
import fc from "fast-check";
import type { TemplateChange } from "../../../../supabase/functions/_shared/gateways/whatsapp/parse_template_update.ts";
import { parseWebhook } from "../../../../supabase/functions/_shared/gateways/whatsapp/parse_webhook.ts";

const NOW = new Date("2026-10-01T00:00:00Z");
const STATUS = {
  id: "wamid.A",
  status: "delivered",
  timestamp: "1790000000",
  recipient_id: "919812345678",
  biz_opaque_callback_data: "ref-1",
};
const TEMPLATE = {
  event: "APPROVED",
  message_template_id: 1234500067890,
  message_template_name: "order_ready",
  message_template_language: "en-US",
  reason: "NONE",
  message_template_category: "UTILITY",
};

const envelope = (value: unknown, extra: object = {}) => ({
  object: "whatsapp_business_account",
  entry: [{ id: "112233", ...extra, changes: [{ field: "any", value }] }],
});
const messages = (statuses: unknown[], extra: object = {}) =>
  envelope({
    messaging_product: "whatsapp",
    metadata: { display_phone_number: "1", phone_number_id: "99" },
    statuses,
    ...extra,
  });
const parse = (body: unknown) => parseWebhook(body, NOW);
const NONE = { templates: [], accounts: [], messages: [], preferences: [], moves: [] };

Deno.test("parseWebhook() reads a status", () => {
  assert.deepEqual(parse(messages([STATUS])), {
    statuses: [{
      wabaId: "112233",
      phoneNumberId: "99",
      platformMessageId: "wamid.A",
      status: "delivered",
      at: "2026-09-21T14:13:20.000Z",
      recipientId: "919812345678",
      recipientUserId: null,
      pricing: null,
      reference: "ref-1",
      error: null,
    }],
    ...NONE,
    ignored: 0,
  });
});

Deno.test("parseWebhook() reads a template's new state", () => {
  assert.deepEqual(parse(envelope(TEMPLATE, { time: 1790000000 })), {
    ...NONE,
    statuses: [],
    templates: [{
      wabaId: "112233",
      platformTemplateId: "1234500067890",
      name: "order_ready",
      language: "en-US",
      change: { kind: "status", status: "approved", reason: null, category: "UTILITY" },
      at: "2026-09-21T14:13:20.000Z",
    }],
    ignored: 0,
  });
});

Deno.test("parseWebhook() reads every entry, change and status of a batch", () => {
  const [entry] = messages([STATUS, { ...STATUS, id: "wamid.B" }]).entry;
  const [other] = envelope(TEMPLATE).entry;
  const twice = { ...entry, changes: [...entry!.changes, ...other!.changes, ...entry!.changes] };

  const events = parse({ entry: [twice, other] });

  assert.deepEqual(events.statuses.map((event) => event.platformMessageId), [
    "wamid.A",
    "wamid.B",
    "wamid.A",
    "wamid.B",
  ]);
  assert.equal(events.templates.length, 2);
});

Deno.test("parseWebhook() passes over a message id that cannot be kept, and keeps the others", () => {
  for (const id of ["", "wamid.\0", "wamid.\ud800", "世".repeat(513)]) {
    const events = parse(messages([{ ...STATUS, id }, STATUS]));

    assert.deepEqual(events.statuses.map((event) => event.platformMessageId), ["wamid.A"]);
    assert.equal(events.ignored, 1);
  }
});

const STATES: [given: string, read: string | undefined][] = [
  ["sent", "sent"],
  ["read", "read"],
  ["failed", "failed"],
  ["played", "read"],
  ["deleted", undefined],
  ["warning", undefined],
  ["constructor", undefined],
];

for (const [given, read] of STATES) {
  Deno.test(`parseWebhook() reads the status ${given} as ${read}`, () => {
    const events = parse(messages([{ ...STATUS, status: given }]));

    assert.equal(events.statuses[0]?.status, read);
    assert.equal(events.ignored, read === undefined ? 1 : 0);
  });
}

Deno.test("parseWebhook() reads a failure and what to do about it", () => {
  const error = {
    code: 131026,
    title: "Message undeliverable",
    error_data: { details: "Not\u0000 reachable" },
  };

  const [event] = parse(messages([{ ...STATUS, status: "failed", errors: [error, { code: 1 }] }])).statuses;

  assert.deepEqual(event?.error, {
    code: 131026,
    action: "fail",
    reason: "The number is not on WhatsApp or cannot receive the message: Not reachable",
  });
});

const TITLES: [error: object, reason: string][] = [
  [
    { code: 131014, title: "Request for url https://x.test failed with error: 404 (Not Found)" },
    "The platform refused the message with code 131014: Request for url https://x.test failed with error: 404 (Not Found)",
  ],
  [
    { code: 131026, title: "Undeliverable", error_data: { details: "" } },
    "The number is not on WhatsApp or cannot receive the message: Undeliverable",
  ],
  [
    { code: 131026, title: "Undeliverable", message: "Message undeliverable" },
    "The number is not on WhatsApp or cannot receive the message: Message undeliverable",
  ],
];

for (const [error, reason] of TITLES) {
  Deno.test(`parseWebhook() keeps the platform's words of ${JSON.stringify(error)}`, () => {
    const [event] = parse(messages([{ ...STATUS, status: "failed", errors: [error] }])).statuses;

    assert.equal(event?.error?.reason, reason);
  });
}

for (const errors of [undefined, [], [{ title: "no code" }], "none", [null]]) {
  Deno.test(`parseWebhook() keeps a failure whose errors are ${JSON.stringify(errors)}`, () => {
    const [event] = parse(messages([{ ...STATUS, status: "failed", errors }])).statuses;

    assert.deepEqual([event?.status, event?.error], ["failed", null]);
  });
}

const TIMES: [why: string, timestamp: unknown, at: string][] = [
  ["a number", 1790000000, "2026-09-21T14:13:20.000Z"],
  ["nothing", undefined, NOW.toISOString()],
  ["no number", "soon", NOW.toISOString()],
  ["zero", "0", NOW.toISOString()],
  ["milliseconds", "1790000000000", NOW.toISOString()],
  ["next year", "1820000000", NOW.toISOString()],
  ["a negative number", -5, NOW.toISOString()],
];

for (const [why, timestamp, at] of TIMES) {
  Deno.test(`parseWebhook() reads ${why} for a time as ${at}`, () => {
    assert.equal(parse(messages([{ ...STATUS, timestamp }])).statuses[0]?.at, at);
  });
}

Deno.test("parseWebhook() takes a status without recipient, reference or sender", () => {
  const body = envelope({ statuses: [{ id: "wamid.A", status: "sent", biz_opaque_callback_data: null }] });

  const [event] = parse(body).statuses;

  assert.deepEqual([event?.recipientId, event?.reference, event?.phoneNumberId], ["", null, ""]);
});

const TEMPLATE_EVENTS: [change: object, status: string, reason: string | null][] = [
  [{ event: "PAUSED", other_info: { title: "FIRST_PAUSE" } }, "disabled", "FIRST_PAUSE"],
  [{ event: "PAUSED", reason: "NONE" }, "disabled", null],
  [{ event: "PAUSED", other_info: { title: "UNPAUSE" } }, "approved", null],
  [{ event: "FLAGGED" }, "approved", null],
  [{ event: "REJECTED", reason: "INVALID_FORMAT" }, "rejected", "INVALID_FORMAT"],
  [{ event: "PENDING_DELETION", reason: null }, "disabled", null],
  [{ event: "SOMETHING_NEW" }, "something_new", null],
];

for (const [change, status, reason] of TEMPLATE_EVENTS) {
  Deno.test(`parseWebhook() reads the template event ${JSON.stringify(change)} as ${status}`, () => {
    const [event] = parse(envelope({ ...TEMPLATE, ...change })).templates;

    assert.deepEqual(event?.change, { kind: "status", status, reason, category: "UTILITY" });
  });
}

const OF_A_TEMPLATE = {
  message_template_id: 1,
  message_template_name: "a",
  message_template_language: "es",
};

const TEMPLATE_CHANGES: [value: object, change: TemplateChange][] = [
  [{ previous_quality_score: "GREEN", new_quality_score: "yellow" }, { kind: "quality", quality: "YELLOW" }],
  [{ previous_category: "UTILITY", new_category: "MARKETING" }, { kind: "category", category: "MARKETING" }],
  // Advance notice of a day: the new category is the one in force.
  [
    { new_category: "UTILITY", correct_category: "MARKETING", category_update_timestamp: 1_790_000_000 },
    { kind: "category", category: "UTILITY" },
  ],
  [{ message_template_element: "Hello", message_template_title: null }, { kind: "components" }],
  [{ message_template_buttons: [] }, { kind: "components" }],
];

for (const [value, change] of TEMPLATE_CHANGES) {
  Deno.test(`parseWebhook() reads ${JSON.stringify(value)} as a change of the template's ${change.kind}`, () => {
    const [event] = parse(envelope({ ...OF_A_TEMPLATE, ...value })).templates;

    assert.deepEqual([event?.name, event?.language, event?.platformTemplateId], ["a", "es", "1"]);
    assert.deepEqual(event?.change, change);
  });
}

const TEMPLATE_IDS: [json: string, id: string | null][] = [
  ["9007199254740991", "9007199254740991"],
  ["12345678901234567890", null],
  ['"12345678901234567890"', "12345678901234567890"],
  ["null", null],
  ["1.5", null],
];

for (const [json, id] of TEMPLATE_IDS) {
  Deno.test(`parseWebhook() reads the template id ${json} as ${id}`, () => {
    const body = envelope({ ...TEMPLATE, message_template_id: JSON.parse(json) });

    assert.equal(parse(body).templates[0]?.platformTemplateId, id);
  });
}

const IGNORED: [why: string, body: unknown, count: number][] = [
  ["no object", null, 1],
  ["a list", [], 1],
  ["an object without entries", { object: "page" }, 1],
  ["entries that are none", { entry: [null, 5, { id: "1" }, { changes: [] }] }, 4],
  ["changes that are none", { entry: [{ id: "1", changes: [null, { field: "x" }, { value: 5 }] }] }, 3],
  ["statuses that are none", messages([null, {}, { ...STATUS, id: "" }, { ...STATUS, id: "a\0" }]), 4],
  ["a surrogate half", messages([{ ...STATUS, id: "a\ud800" }]), 1],
  ["an id without end", messages([{ ...STATUS, id: "x".repeat(5000) }]), 1],
  ["messages and errors beside no statuses", messages([], { messages: [{}, {}], errors: [{}] }), 3],
  ["messages alone", envelope({ messages: [{ from: "1" }] }), 1],
  ["a template's update without a change", envelope(OF_A_TEMPLATE), 1],
  ["a quality without a template", envelope({ new_quality_score: "RED" }), 1],
  ["a quality that is none", envelope({ ...OF_A_TEMPLATE, new_quality_score: 5 }), 1],
  ["a number's update", envelope({ display_phone_number: "1", event: "THROUGHPUT_UPGRADE" }), 1],
];

for (const [why, body, count] of IGNORED) {
  Deno.test(`parseWebhook() ignores ${why}`, () => {
    assert.deepEqual(parse(body), { ...NONE, statuses: [], ignored: count });
  });
}

Deno.test("parseWebhook() never throws, and keeps good statuses beside anything odd", () => {
  fc.assert(fc.property(fc.anything(), fc.array(fc.anything()), (odd, more) => {
    parse(odd);
    parse(envelope(odd));
    const events = parse(messages([odd, STATUS, ...more]));
    assert.ok(events.statuses.some((event) => event.platformMessageId === "wamid.A"));
    assert.equal(events.statuses.length + events.ignored, 2 + more.length);
  }));
});
