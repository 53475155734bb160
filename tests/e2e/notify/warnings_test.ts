import assert from "node:assert/strict";
import { insertTemplate } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

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

/** The company's webhook, and whether it starts a flow. */
const WEBHOOKS: [webhook: Parameters<typeof insertWebhook>[2] | null, starts: boolean][] = [
  [null, false],
  [{}, true],
  [{ event_types: ["flow.triggered"] }, true],
  [{ event_types: ["notification.sent"] }, false],
  [{ is_active: false }, false],
];

for (const [webhook, starts] of WEBHOOKS) {
  Deno.test(`POST /notify ${starts ? "starts" : "warns of"} a flow with webhook ${JSON.stringify(webhook)}`, () =>
    withVoiceApi(async (api) => {
      if (webhook !== null) await insertWebhook(api.sql, api.company.id, webhook);
      const expected = starts ? [] : [["no_webhook", "name_event", undefined]];

      assert.deepEqual(await warningsOf(api, { name_event: "welcome" }), expected);
      assert.deepEqual(await warningsOf({ notify: api.voice }, { name_event: "welcome" }), expected);
      assert.deepEqual(await warningsOf(api, {}), []);
    }));
}

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

/** Returns code, number of contacts and time of the warnings about a request; a dry run has the same. */
async function waitsOf(
  send: Api["notify"],
  changes: JsonObject,
): Promise<[code: string, contacts: number | undefined, until: string | undefined][]> {
  const dry = await send(changes, { query: { dry_run: "true" } });
  const live = await send(changes);
  assert.deepEqual([dry.status, live.status], [200, 200], JSON.stringify(live.body));
  assert.deepEqual(dry.body.warnings, live.body.warnings);
  return (live.body.warnings ?? []).map(({ code, contacts, until }: JsonObject) => [code, contacts, until]);
}

const BOTH = { contact: undefined, contacts: [ANA, { number: "34600111333", name: "Luis" }] };
const MARKETING = { notification_type: "marketing" };

Deno.test("POST /notify names the hours that its messages wait for, with their number and the first time", () =>
  withApi(async ({ notify, sql, company }) => {
    const windows = { wed: [["10:00", "12:00"]], thu: [["13:00", "14:00"]] };
    const hours = [{ channel: "any", category: "all", zone: "campaign", windows, holidays: null }];
    assert.deepEqual(await waitsOf(notify, {}), []);

    await sql`
      insert into outbound.contact_rules (company_id, sending_hours) values (${company.id}, ${
      sql.json(hours)
    })`;

    assert.deepEqual(await waitsOf(notify, BOTH), [["sending_hours", 2, "2026-12-02T10:00:00Z"]]);
    assert.deepEqual(await waitsOf(notify, { datetime_sending: "2026-12-03T12:00:00" }), [
      ["sending_hours", 1, "2026-12-03T13:00:00Z"],
    ]);
    assert.deepEqual(await waitsOf(notify, { datetime_sending: "2026-12-03T13:30:00" }), []);

    await sql`update outbound.contact_rules set sending_hours = '[{"from": "a later version"}]'`;
    assert.deepEqual(await waitsOf(notify, {}), [["rules_unreadable", 1, "2026-12-01T13:00:00Z"]]);
  }, { services: { now: () => new Date("2026-12-01T12:00:00Z") } }));

Deno.test("POST /notify names the rest and the caps that keep marketing from leaving", () =>
  withApi(async ({ notify, sql, company, dispatch }) => {
    const marketing = { ...BOTH, ...MARKETING };
    const until = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    await sql`insert into outbound.marketing_cooldowns values (${company.id}, ${ANA.number}, ${until})`;
    assert.deepEqual(await waitsOf(notify, BOTH), [], "a utility message");
    await sql`update outbound.templates set category = 'MARKETING'`;
    assert.deepEqual(await waitsOf(notify, marketing), [], "without the rule it leaves at once");

    await sql`
      insert into outbound.contact_rules (company_id, marketing_cooldown, frequency_caps)
      values (${company.id}, true, '[{"channel": "any", "max": 1, "days": 30}]')`;

    const rest = ["marketing_cooldown", 1, until.toISOString().replace(".000", "")];
    assert.deepEqual(await waitsOf(notify, marketing), [rest]);
    await dispatch();
    assert.deepEqual(await waitsOf(notify, marketing), [rest, ["frequency_cap", 1, undefined]]);
  }));

Deno.test("POST /notify names a stopped sender, an outage of the platform, and the platform's limit", () =>
  withApi(async ({ notify, sql, sender }) => {
    const soon = new Date(Math.ceil(Date.now() / 1000) * 1000 + 60_000);
    const inWords = soon.toISOString().replace(".000", "");
    await sql`
      update outbound.sender_rate_state
      set failures = outbound.breaker_threshold(), unreachable_since = now() - interval '5 minutes', blocked_until = ${soon}
      where sender_id = ${sender.id}`;
    assert.deepEqual(await waitsOf(notify, BOTH), [["platform_unreachable", 2, inWords]]);
    assert.deepEqual(await waitsOf(notify, { datetime_sending: "2099-01-31T09:00:00" }), []);

    await sql`
      update outbound.senders set status = 'stopped', stopped_reason = 'The token has expired' where id = ${sender.id}`;
    const [stopped] = (await notify({}, { query: { dry_run: "true" } })).body.warnings;
    assert.deepEqual([stopped.code, stopped.message, stopped.contacts, stopped.until], [
      ...["sender_stopped", "The sender is stopped: The token has expired", 1, undefined],
    ]);
    assert.deepEqual(await waitsOf(notify, { datetime_sending: "2099-01-31T09:00:00" }), [
      ["sender_stopped", 1, undefined],
    ]);
    await sql`
      update outbound.senders set stopped_by_account = true, stopped_until = ${soon} where id = ${sender.id}`;
    assert.deepEqual(await waitsOf(notify, {}), [["sender_stopped", 1, inWords]]);
    assert.deepEqual(await waitsOf(notify, { datetime_sending: "2099-01-31T09:00:00" }), []);

    await sql`
      update outbound.senders
      set status = 'active', stopped_reason = null, stopped_by_account = false, stopped_until = null,
        messaging_limit = 'TIER_1', quality = 'RED'
      where id = ${sender.id}`;
    await sql`update outbound.sender_rate_state set failures = 0, unreachable_since = null, blocked_until = null`;
    assert.deepEqual(await waitsOf(notify, BOTH), [
      ["sender_limit", 1, undefined],
      ["sender_quality", undefined, undefined],
    ]);
  }));

Deno.test("POST /notify/voice names the gap between two calls of a number", () =>
  withVoiceApi(async ({ voice }) => {
    const contacts = [{ number: ANA.number }, { number: "34600111333" }, { number: ANA.number }];
    const waits = await waitsOf(voice, {
      ...{ contact: undefined, contacts },
      datetime_sending: "2099-01-31T09:00:00",
    });

    assert.deepEqual(waits[0], ["call_gap", 1, "2099-01-31T09:01:00Z"]);
  }));
