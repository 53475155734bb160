import assert from "node:assert/strict";
import { insertTemplate } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused, assertRefusedShortly } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { withApi } from "../with_api.ts";

const CONTACT = { number: "34600111222" };
const many = (count: number) => Array.from({ length: count }, () => CONTACT);

/** Faults of the recipients, and the contract's words for each. */
const CONTACT_RULES: [changes: JsonObject, message: string][] = [
  [{ contact: undefined }, "Missing required field: 'contact' or 'contacts'"],
  [{ contact: null }, "Missing required field: 'contact' or 'contacts'"],
  [{ contacts: [CONTACT] }, "Cannot use both 'contact' and 'contacts' simultaneously"],
  [{ contacts: [] }, "Cannot use both 'contact' and 'contacts' simultaneously"],
  [{ contact: [CONTACT] }, "'contact' must be an object, not an array"],
  [{ contact: [] }, "'contact' must be an object, not an array"],
  [{ contact: undefined, contacts: CONTACT }, "'contacts' must be an array, not an object"],
  [{ contact: undefined, contacts: [] }, "'contacts' array cannot be empty"],
  [
    { contact: undefined, contacts: many(101) },
    "Maximum 100 contacts allowed per request. Received: 101",
  ],
  [
    { contact: undefined, contacts: many(1000) },
    "Maximum 100 contacts allowed per request. Received: 1000",
  ],
];

Deno.test("POST /notify refuses wrong recipients in the contract's words", () =>
  withApi(async ({ notify, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const [changes, message] of CONTACT_RULES) {
        const response = await notify(changes);
        assertRefused(response, { status: 400, error: "validation_failed", message }, message);
        assert.match(response.body.details.field, /^contacts?$/, message);
      }
    });
  }));

Deno.test("POST /notify refuses contacts in the flat form", () =>
  withApi(async ({ notify }) => {
    const response = await notify({ contact: undefined, contacts: [CONTACT] }, {
      query: { unflatten: "true" },
    });

    assertRefused(response, { status: 400, error: "validation_failed" });
    assert.equal(response.body.details.field, "contacts");
  }));

const REQUIRED = [
  "language_template",
  "name_template",
  "recipient_id",
  "notification_type",
  "campaign_name",
];

Deno.test("POST /notify names a required field that is missing", () =>
  withApi(async ({ notify, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const field of REQUIRED) {
        for (const value of [undefined, null]) {
          assertRefused(await notify({ [field]: value }), {
            status: 400,
            error: "validation_failed",
            message: `Missing required field: '${field}'`,
            details: { field, reason: "required" },
          });
        }
      }
      assertRefused(await notify({ contact: { name: "Asha" } }), {
        status: 400,
        error: "validation_failed",
        message: "Missing required field: 'contact.number'",
        details: { field: "contact.number", reason: "required" },
      });
    });
  }));

/** Values of a form that the contract does not allow. */
const BAD_FORMATS: [field: string, provided: string, changes: JsonObject][] = [
  ...["+34600111222", "34 600 111 222", "0034600111222", "123456", "1234567890123456", "34600abc222", ""]
    .map((number): [string, string, JsonObject] => ["contact.number", number, { contact: { number } }]),
  ...["english", "EN", "en-US", "e", ""]
    .map((code): [string, string, JsonObject] => ["language_template", code, { language_template: code }]),
  ...["Order", "order update", "order-update", ""]
    .map((name): [string, string, JsonObject] => ["name_template", name, { name_template: name }]),
  ...["promo", "MARKETING", ""]
    .map((type): [string, string, JsonObject] => ["notification_type", type, { notification_type: type }]),
  ["campaign_name", "   ", { campaign_name: "   " }],
  ["campaign_name", "", { campaign_name: "" }],
  ["campaign_name", "Autumn\x1b[2J", { campaign_name: "Autumn\x1b[2J" }],
  ["campaign_name", "two\nlines", { campaign_name: "two\nlines" }],
  ["name_event", "a\x9bb", { name_event: "a\x9bb" }],
  ["recipient_id", "nobody", { recipient_id: "nobody" }],
  ["recipient_id", "34999999999", { recipient_id: "34999999999" }],
  ...["2099-01-01", "2099-01-01T10:00", "2099-01-01T10:00:00Z", "2099-01-01T10:00:00+02:00"]
    .concat("2099-02-30T10:00:00", "2099-01-01 10:00:00", "tomorrow", "")
    .map((time): [string, string, JsonObject] => ["datetime_sending", time, { datetime_sending: time }]),
  ...["Europe/Nowhere", "+02:00", ""].map((
    zone,
  ): [string, string, JsonObject] => ["timezone", zone, {
    datetime_sending: "2099-01-01T10:00:00",
    timezone: zone,
  }]),
  ["timezone", "Nowhere", { timezone: "Nowhere" }],
];

Deno.test("POST /notify says what it was given and what it expects instead", () =>
  withApi(async ({ notify, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const [field, provided, changes] of BAD_FORMATS) {
        const response = await notify(changes);
        assertRefused(response, { status: 400, error: "validation_failed" }, `${field} ${provided}`);
        const { expected_format, ...details } = response.body.details;
        assert.deepEqual(details, { field, provided });
        assert.match(expected_format, /\w/);
      }
    });
  }));

Deno.test("POST /notify refuses a time that is not in the future", () =>
  withApi(async ({ notify, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const datetime_sending of ["2020-01-01T00:00:00", new Date().toISOString().slice(0, 19)]) {
        const response = await notify({ datetime_sending, timezone: "UTC" });
        assertRefused(response, {
          status: 400,
          error: "validation_failed",
          message: "'datetime_sending' must be in the future",
        });
        assert.equal(response.body.details.field, "datetime_sending");
      }
    });
  }));

Deno.test("POST /notify distinguishes a missing template from one that is not approved", () =>
  withApi(async ({ notify, sql, sender }) => {
    for (const status of ["pending", "rejected", "disabled"]) {
      await insertTemplate(sql, sender, { name: `is_${status}`, status });
    }
    await assertNothingStored(sql, async () => {
      assertRefused(await notify({ name_template: "no_such_template" }), {
        status: 404,
        error: "template_not_found",
      });
      assertRefused(await notify({ language_template: "es" }), { status: 404, error: "template_not_found" });
      for (const status of ["pending", "rejected", "disabled"]) {
        assertRefused(await notify({ name_template: `is_${status}` }), {
          status: 422,
          error: "template_not_approved",
          details: { template_name: `is_${status}`, current_status: status, required_status: "approved" },
        });
      }
    });
  }));

const NAMES = ["body_text_0", "body_text_1"];

Deno.test("POST /notify refuses variables that differ from the template's", () =>
  withApi(async ({ notify, sql }) => {
    const cases: [given: string[], missing: string[], unexpected: string[]][] = [
      [[], NAMES, []],
      [["body_text_0"], ["body_text_1"], []],
      [[...NAMES, "body_text_2"], [], ["body_text_2"]],
      [[...NAMES, "header_image"], [], ["header_image"]],
      [["body_text_1", "body_text_2"], ["body_text_0"], ["body_text_2"]],
      [[...NAMES, "footer"], [], ["footer"]],
    ];
    await assertNothingStored(sql, async () => {
      for (const [given, missing, unexpected] of cases) {
        const media = "https://files.example.com/a.png";
        const components_push = Object.fromEntries(given.map((name) => [name, media]));
        assertRefused(await notify({ components_push }), {
          status: 422,
          error: "variable_mismatch",
          details: { template_variables: NAMES, provided_variables: given, missing, unexpected },
        });
      }
      const absent = await notify({ components_push: undefined });
      assertRefused(absent, { status: 422, error: "variable_mismatch" });
      assert.deepEqual(absent.body.details.missing, NAMES);
    });
  }));

/** Values that are neither bare text nor one reference to a field that holds text. */
const BAD_VALUES = [
  "{1}",
  "{{1}}",
  "Hi {{name}}",
  "{{name}}{{number}}",
  "{{nowhere}}",
  "{{email}}",
  "{{}}",
  "",
  " ",
];

Deno.test("POST /notify refuses a value that mixes, misses or is no reference", () =>
  withApi(async ({ notify, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const value of BAD_VALUES) {
        // `name` and `email` of the root do not count: those two come from the contact.
        const root = { email: "root@example.com" };
        const response = await notify({ ...root, components_push: { body_text_0: "x", body_text_1: value } });
        assertRefused(response, { status: 400, error: "validation_failed" }, value);
        assert.equal(response.body.details.field, "components_push.body_text_1", value);
      }
    });
  }));

Deno.test("POST /notify refuses media that is not https or not of a kind the header takes", () =>
  withApi(async ({ notify, sql, sender }) => {
    const allowed = { image: "png", video: "mp4", document: "pdf" };
    for (const [kind, extension] of Object.entries(allowed)) {
      const header = { type: "HEADER", format: kind.toUpperCase() };
      const name_template = `with_${kind}`;
      await insertTemplate(sql, sender, {
        name: name_template,
        components: [header, { type: "BODY", text: "x" }],
      });
      const push = (url: string) => notify({ name_template, components_push: { [`header_${kind}`]: url } });
      const wrong = [
        "http://a.example/x." + extension,
        "ftp://a.example/x",
        "x." + extension,
        "https://a.example/x.exe",
      ];
      for (const url of wrong) {
        const response = await push(url);
        assertRefused(response, { status: 400, error: "validation_failed" }, url);
        assert.equal(response.body.details.field, `components_push.header_${kind}`);
      }
      assert.equal((await push(`https://a.example/x.${extension}?v=1`)).status, 200);
    }
  }));

Deno.test("POST /notify refuses a key that is missing or unknown, and one without the permission", () =>
  withApi(async ({ notify, sql, key }) => {
    await assertNothingStored(sql, async () => {
      for (
        const access_key of ["", "nonsense", `${key.key}x`, key.id, key.key.toUpperCase(), "k".repeat(4000)]
      ) {
        assertRefused(await notify({}, { query: { access_key } }), { status: 401, error: "unauthorized" });
      }
      await sql`update outbound.api_keys set permissions = '{voice_notifications}'`;
      const message = "This access key lacks the permission 'chatapp_notifications'";
      assertRefusedShortly(await notify(), 403, message);
    });
  }));
