import assert from "node:assert/strict";
import { insertTemplate } from "../setup/fixtures.ts";
import type { JsonObject } from "../setup/http.ts";
import { type Api, withApi } from "./with_api.ts";
import { withVoiceApi } from "./with_voice_api.ts";

const ANA = { number: "34600111222", name: "Ana" };

/** Returns code, field and index of the warnings about a request; a dry run has the same. */
async function warningsOf({ notify }: Pick<Api, "notify">, changes: JsonObject, query = {}) {
  const dry = await notify(changes, { query: { ...query, dry_run: "true" } });
  const live = await notify(changes, { query });
  assert.deepEqual([dry.status, live.status], [200, 200], JSON.stringify(live.body));
  assert.deepEqual(dry.body.warnings, live.body.warnings);
  return (live.body.warnings ?? []).map(({ code, field, index }: JsonObject) => [code, field, index]);
}

Deno.test("POST /notify warns of an unknown field that resembles one that is missing", () =>
  withApi(async (api) => {
    const warned = (changes: JsonObject) => warningsOf(api, changes);
    const misspelt = (field: string, index?: number) => [["unknown_field", field, index]];

    assert.deepEqual(await warned({ datetime_sendng: "2099-01-31T09:00:00" }), misspelt("datetime_sendng"));
    assert.deepEqual(await warned({ dateTimeSending: "2099-01-31T09:00:00" }), misspelt("dateTimeSending"));
    assert.deepEqual(await warned({ timezon: "UTC" }), misspelt("timezon"));
    assert.deepEqual(
      await warned({ contact: { ...ANA, e_mail: "a@b.example" } }),
      misspelt("contact.e_mail", 0),
    );

    assert.deepEqual(await warned({ order: "A-1", contact: { ...ANA, city: "Vigo", name2: "M." } }), []);
    const referred = { body_text_0: "{{name}}", body_text_1: "{{ mail }}" };
    assert.deepEqual(
      await warned({ contact: { ...ANA, mail: "a@b.example" }, components_push: referred }),
      [],
    );
    const flat = { contact: undefined, components_push: undefined, "contact.number": ANA.number };
    const values = { "components_push.body_text_0": "a", "components_push.body_text_1": "b" };
    const ofFlat = { ...flat, ...values, "contact.fist_name": "Ana" };
    assert.deepEqual(await warningsOf(api, ofFlat, { unflatten: "true" }), misspelt("contact.fist_name", 0));
  }));

Deno.test("POST /notify sends to a repeated number twice, and warns of it; the first twenty warnings are shown", () =>
  withApi(async (api) => {
    const contacts = [ANA, { number: "no" }, { ...ANA, name: "A." }];
    assert.deepEqual(await warningsOf(api, { contact: undefined, contacts }), [
      ["duplicate_recipient", "contact.number", 2],
    ]);

    const many = await api.notify({ contact: undefined, contacts: Array(30).fill(ANA) });
    assert.deepEqual([many.body.processed, many.body.warnings.length, many.body.more_warnings], [30, 20, 9]);
  }));

Deno.test("POST /notify warns of a type that does not fit the template's category", () =>
  withApi(async (api) => {
    const { name } = await insertTemplate(api.sql, api.sender, { category: "MARKETING" });
    const differs = [["notification_type_differs", "notification_type", undefined]];

    assert.deepEqual(await warningsOf(api, { notification_type: "marketing" }), differs);
    for (const notification_type of ["utility", "transactional"]) {
      assert.deepEqual(await warningsOf(api, { notification_type, name_template: name }), differs);
    }
    assert.deepEqual(await warningsOf(api, { notification_type: "transactional" }), []);
    assert.deepEqual(await warningsOf(api, { notification_type: "marketing", name_template: name }), []);
  }));

Deno.test("POST /notify warns of a whole URL where the template appends the value", () =>
  withApi(async (api) => {
    const buttons = [{ type: "URL", text: "Track", url: "https://x.example/{{1}}" }];
    const { name } = await insertTemplate(api.sql, api.sender, {
      components: [{ type: "BODY", text: "Hello" }, { type: "BUTTONS", buttons }],
    });
    const warned = (
      value: string,
      contacts: JsonObject[] = [ANA, { ...ANA, number: "34600111333", link: "HTTPS://x" }],
    ) =>
      warningsOf(api, {
        contact: undefined,
        contacts,
        name_template: name,
        components_push: { buttons_url_0: value },
      });

    assert.deepEqual(await warned("https://x.example/a1"), [[
      "full_url",
      "components_push.buttons_url_0",
      undefined,
    ]]);
    assert.deepEqual(await warned("{{link}}"), [["full_url", "components_push.buttons_url_0", 1]]);
    assert.deepEqual(await warned("a1"), []);
  }));

Deno.test("POST /notify warns of a number that lacks the country code of the sender", () =>
  withApi(async (api) => {
    await api.sql`update outbound.senders set number = '34911222333' where id = ${api.sender.id}`;
    const changes = { recipient_id: "34911222333" };

    assert.deepEqual(await warningsOf(api, { ...changes, contact: { ...ANA, number: "600111222" } }), [
      ["no_country_code", "contact.number", 0],
    ]);
    for (const number of ["34600111222", "5215512345678", "4520123456"]) {
      assert.deepEqual(await warningsOf(api, { ...changes, contact: { ...ANA, number } }), [], number);
    }
  }));

Deno.test("POST /notify with an Idempotency-Key repeats the warnings", () =>
  withApi(async ({ notify }) => {
    const request = () => notify({ datetime_sendng: "x" }, { headers: { "Idempotency-Key": "once" } });
    const [first, second] = [await request(), await request()];

    assert.equal(first.body.warnings.length, 1);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
  }));

Deno.test("POST /notify/voice warns of a misspelt field, not of variables for the agent", () =>
  withVoiceApi(async ({ voice }) => {
    const { body } = await voice({ datetime_sendng: "2099-01-31T09:00:00", appointment: "at ten" });

    assert.deepEqual(body.warnings.map(({ field }: JsonObject) => field), ["datetime_sendng"]);
    assert.match(body.warnings[0].message, /did you mean 'datetime_sending'\?/);
  }));
