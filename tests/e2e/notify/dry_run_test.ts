import assert from "node:assert/strict";
import type postgres from "postgres";
import { storeRates } from "../../../supabase/functions/_shared/db/campaigns/rates.ts";
import { setConsentPolicy, suppress } from "../../setup/fixtures/contacts.ts";
import { insertTemplate, moveRateWindow } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { marketingRequest } from "./marketing_request.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const ANA = { number: "34600111222", name: "Ana" };
const LUIS = { number: "34600111333", name: "Luis" };
const DRY = { query: { dry_run: "true" } };

const RICH_COMPONENTS: postgres.JSONValue[] = [
  { type: "HEADER", format: "IMAGE" },
  { type: "BODY", text: "Hello {{1}}, order {{2}}" },
  { type: "FOOTER", text: "See you" },
  {
    type: "BUTTONS",
    buttons: [{ type: "QUICK_REPLY", text: "Stop" }, {
      type: "URL",
      text: "Track",
      url: "https://x.example/{{1}}",
    }],
  },
];

function bulk(...contacts: JsonObject[]): JsonObject {
  return { contact: undefined, contacts };
}

Deno.test("POST /notify?dry_run=true says what would become of each contact, and renders the messages", () =>
  withApi(async ({ notify, sender, sql, company }) => {
    const { name } = await insertTemplate(sql, sender, {
      category: "MARKETING",
      components: RICH_COMPONENTS,
    });
    await suppress(sql, company.id, { number: LUIS.number });
    const contacts = [ANA, { number: "+34 600" }, LUIS, { ...ANA, name: "Ana M." }, {
      number: "34600111444",
    }];

    const { status, body } = await notify({
      ...bulk(...contacts),
      notification_type: "marketing",
      name_template: name,
      datetime_sending: "2099-01-31T09:00:00",
      components_push: {
        header_image: "https://cdn.example/a.png",
        body_text_0: "{{name}}",
        body_text_1: "A-1",
        buttons_url_0: "a1",
      },
    }, DRY);

    assert.equal(status, 200);
    const { recipients, ...totals } = body;
    assert.deepEqual(totals, {
      ...{ success: true, dry_run: true, total: 5, ok: 1, invalid: 2, skipped: 1, held: 0, duplicate: 1 },
      countries: [{ country: "ES", count: 2 }],
      languages: [{ language: null, count: 2 }],
      senders: [{ number: sender.number, count: 2, limit: null, quality: null }],
      zones: [],
      estimated_cost: null,
      estimated_cost_code: "no_rate_card",
      estimated_cost_reason: "The operator has imported no rate card",
      not_checked: ["reachability", "platform_limits", "template_pacing", "media_files", "rules_when_sent"],
      warnings: [{
        index: 3,
        code: "duplicate_recipient",
        message: "The same recipient as contact 0, who gets both",
        field: "contact.number",
      }],
    });
    assert.deepEqual(recipients[0], {
      ...{ index: 0, number: ANA.number, user_id: null, status: "ok", code: null, reason: null },
      rendered: {
        header: { format: "IMAGE", link: "https://cdn.example/a.png" },
        body: "Hello Ana, order A-1",
        footer: "See you",
        buttons: [
          { type: "QUICK_REPLY", text: "Stop" },
          { type: "URL", text: "Track", url: "https://x.example/a1" },
        ],
      },
      ...{
        scheduled_time: "2099-01-31T09:00:00Z",
        timezone: null,
        country: "ES",
        category: "marketing",
        estimated_cost: null,
      },
    });
    assert.deepEqual(
      recipients.map(({ index, number, status, code }: JsonObject) => [index, number, status, code]),
      [
        [0, ANA.number, "ok", null],
        [1, "+34 600", "invalid", "validation_failed"],
        [2, LUIS.number, "skipped", "recipient_opted_out"],
        [3, ANA.number, "duplicate", "duplicate_recipient"],
        [4, "34600111444", "invalid", "validation_failed"],
      ],
    );
    assert.match(recipients[4].reason, /body_text_0/);
    assert.equal(recipients[4].rendered, null);
  }));

Deno.test("POST /notify?dry_run=true gives a verdict on a single recipient where a live request is refused", () =>
  withApi(async (api) => {
    const { notify, sql, company } = api;
    const marketing = await marketingRequest(api);
    await suppress(sql, company.id, { number: ANA.number });
    const optedOut = await notify({ ...marketing, contact: ANA }, DRY);
    await setConsentPolicy(sql, company.id, "require");
    const noConsent = await notify({ ...marketing, contact: LUIS }, DRY);

    assert.deepEqual([optedOut.status, optedOut.body.skipped, optedOut.body.ok], [200, 1, 0]);
    assert.equal(optedOut.body.recipients[0].code, "recipient_opted_out");
    assert.equal(noConsent.body.recipients[0].code, "consent_missing");
  }));

Deno.test("POST /notify?dry_run=true refuses what concerns the whole request, as a live one does", () =>
  withApi(async ({ notify, http, key, sql }) => {
    const refusals: [JsonObject, number, string][] = [
      [{ contact: { number: "+1" } }, 400, "validation_failed"],
      [{ name_template: "nothing" }, 404, "template_not_found"],
      [{ components_push: {} }, 422, "variable_mismatch"],
      [{ datetime_sending: "2001-01-01T00:00:00" }, 400, "validation_failed"],
      [{ recipient_id: "1" }, 400, "validation_failed"],
    ];
    for (const [changes, status, error] of refusals) {
      assertRefused(await notify(changes, DRY), { status, error });
    }
    assertRefused(await notify({}, { query: { dry_run: "yes" } }), {
      status: 400,
      error: "validation_failed",
    });
    assertRefused(await http.post("/notify", {}, { query: { access_key: "no", dry_run: "true" } }), {
      status: 401,
      error: "unauthorized",
    });

    await sql`update outbound.api_keys set daily_quota = 1 where id = ${key.id}`;
    assertRefused(await notify(bulk(ANA, LUIS), DRY), { status: 429, error: "quota_exceeded" });
  }));

/** Returns a fingerprint of each table, without what every request changes of its key. */
async function fingerprints(sql: postgres.Sql): Promise<Record<string, string>> {
  const tables = await sql<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'outbound'::regnamespace and relkind = 'r'`;
  const prints: Record<string, string> = {};
  for (const { name } of tables) {
    const [row] = await sql`
      select md5(coalesce(string_agg(line, '' order by line), '')) as print from (
        select (to_jsonb(t) - '{last_used_at,requests,day_requests,window_start}'::text[])::text as line
        from ${sql(`outbound.${name}`)} as t
      ) as lines`;
    prints[name] = row!.print;
  }
  return prints;
}

Deno.test("POST /notify?dry_run=true stores nothing, and takes no idempotency key", () =>
  withVoiceApi(async (api) => {
    const { notify, voice, sql, company } = api;
    const marketing = await marketingRequest(api);
    await suppress(sql, company.id, { number: LUIS.number });
    await setConsentPolicy(sql, company.id, "warn");
    // The rate's row of today is stored by any request.
    await notify({ name_template: "nothing" });
    const before = await fingerprints(sql);
    assert.ok(Object.keys(before).length > 30);

    const options = { ...DRY, headers: { "Idempotency-Key": "once" } };
    const once = await notify({ ...marketing, ...bulk(ANA, LUIS) }, options);
    const other = await notify({ contact: LUIS }, options);
    const call = await voice({}, options);

    assert.deepEqual([once.status, other.status, call.status], [200, 200, 200]);
    assert.equal(once.headers.get("idempotent-replayed"), null);
    assert.deepEqual(await fingerprints(sql), before);
  }));

Deno.test("POST /notify?dry_run=true counts against the rate of the key once, as any request", () =>
  withApi(async ({ notify, key, sql }) => {
    await sql`update outbound.api_keys set rate_limit = 3 where id = ${key.id}`;
    await moveRateWindow(sql, key);
    const left = async (changes: JsonObject) => {
      const { headers } = await notify(changes, DRY);
      return /r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
    };

    assert.deepEqual([await left({}), await left({ components_push: {} }), await left({})], ["2", "1", "0"]);
    assertRefused(await notify({}, DRY), { status: 429, error: "rate_limit_exceeded" });
  }));

async function setRules(sql: postgres.Sql, companyId: string, rules: Record<string, postgres.JSONValue>) {
  await setConsentPolicy(sql, companyId, "off");
  for (const [name, value] of Object.entries(rules)) {
    await sql`update outbound.contact_rules set ${sql({ [name]: sql.json(value) } as never)}
      where company_id = ${companyId}`;
  }
}

Deno.test("POST /notify?dry_run=true names the window that a message waits for, and the caps that keep it", () =>
  withApi(async (api) => {
    const { notify, sql, company } = api;
    const marketing = await marketingRequest(api);
    const windows = { wed: [["10:00", "12:00"]] };
    await setRules(sql, company.id, {
      sending_hours: [{ channel: "any", category: "marketing", zone: "recipient", windows, holidays: null }],
      frequency_caps: [{ channel: "any", max: 1, days: 7 }],
    });
    const monday = { ...marketing, datetime_sending: "2026-12-07T09:00:00" };

    const held = (await notify({ ...monday, contact: ANA }, DRY)).body;
    assert.deepEqual([held.held, held.recipients[0].code, held.recipients[0].scheduled_time], [
      1,
      "sending_hours",
      "2026-12-09T10:00:00Z",
    ]);
    assert.equal((await notify({ contact: ANA }, DRY)).body.ok, 1, "a utility message");

    await countMarketing(sql, company.id, "2026-12-06");
    const over = (await notify({ ...monday, ...bulk(ANA, LUIS) }, DRY)).body;
    assert.deepEqual(over.recipients.map(({ status, code }: JsonObject) => [status, code]), [
      ["skipped", "frequency_cap"],
      ["held", "sending_hours"],
    ]);
  }, { services: { now: () => new Date("2026-12-01T12:00:00Z") } }));

/** As if Ana had been sent a marketing message on a day. */
async function countMarketing(sql: postgres.Sql, companyId: string, day: string): Promise<void> {
  const id = crypto.randomUUID();
  await sql`
    insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status, sent_at)
    values (${companyId}, ${id}, ${id}, ${id}, ${ANA.number}, '[]', 'sent', now())`;
  await sql`
    insert into outbound.marketing_sends (company_id, address, notification_id, channel, day)
    values (${companyId}, ${ANA.number}, ${id}, 'whatsapp', ${day})`;
}

Deno.test("POST /notify?dry_run=true holds marketing to a person whom the platform spares, by the company's rule", () =>
  withApi(async (api) => {
    const { notify, sql, company } = api;
    const marketing = await marketingRequest(api);
    const until = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000);
    await sql`insert into outbound.marketing_cooldowns values (${company.id}, ${ANA.number}, ${until})`;

    const immediate = await notify({ ...marketing, ...bulk(ANA) }, DRY);
    assert.equal(immediate.body.recipients[0].status, "ok");
    await sql`insert into outbound.contact_rules (company_id, marketing_cooldown) values (${company.id}, true)`;

    const { body } = await notify({ ...marketing, ...bulk(ANA, LUIS) }, DRY);

    assert.deepEqual(
      body.recipients.map(({ status, code, scheduled_time }: JsonObject) => [status, code, scheduled_time]),
      [["held", "marketing_cooldown", until.toISOString().replace(".000", "")], ["ok", null, null]],
    );
  }));

function rate(changes: JsonObject) {
  return {
    ...{ market: "ES", category: "utility", currency: "USD", rate: "0.02", effective_from: "2026-01-01" },
    ...changes,
  };
}

Deno.test("POST /notify?dry_run=true estimates the cost by the rate card, and says what it leaves out", () =>
  withApi(async ({ notify, sql, company }) => {
    const estimate = async (contacts: JsonObject[]) => {
      const { body } = await notify(bulk(...contacts), DRY);
      const costs = body.recipients.map((recipient: JsonObject) => recipient.estimated_cost);
      return [costs, body.estimated_cost, body.estimated_cost_reason];
    };
    const mexican = { number: "5215512345678", name: "Eva" };
    await storeRates(sql, [
      rate({}),
      rate({ rate: "0.0151", effective_from: "2026-02-01" }),
      rate({ rate: "9", effective_from: "2999-01-01" }),
      rate({ category: "marketing", market: "*" }),
    ]);

    assert.deepEqual(await estimate([ANA, LUIS]), [
      ["0.0151", "0.0151"],
      { amount: "0.0302", currency: "USD", complete: true },
      undefined,
    ]);
    assert.deepEqual(await estimate([ANA, mexican]), [
      ["0.0151", null],
      { amount: "0.0151", currency: "USD", complete: false },
      "The rate card has no rate for 1 of the messages",
    ]);

    await storeRates(sql, [rate({ market: "*", rate: "0.5" }), rate({ currency: "EUR", rate: "0.01" })]);
    const [, none, reason] = await estimate([ANA]);
    assert.deepEqual([none, /EUR, USD/.test(reason)], [null, true]);
    await sql`update outbound.companies set currency = 'USD' where id = ${company.id}`;
    assert.deepEqual((await estimate([ANA, mexican]))[0], ["0.0151", "0.5"]);
  }));

Deno.test("POST /notify/voice?dry_run=true checks calls, and has no estimate for them", () =>
  withVoiceApi(async ({ voice, sql, company }) => {
    await suppress(sql, company.id, { number: LUIS.number, category: "all" });

    const { body } = await voice(
      { contact: undefined, contacts: [{ number: "34600111222" }, LUIS, {}] },
      DRY,
    );

    assert.deepEqual([body.ok, body.skipped, body.invalid], [1, 1, 1]);
    assert.deepEqual(body.recipients[0], {
      ...{ index: 0, number: "34600111222", user_id: null, status: "ok", code: null, reason: null },
      ...{ rendered: null, scheduled_time: null, timezone: null },
      ...{ country: "ES", category: null, estimated_cost: null },
    });
    assert.deepEqual([body.estimated_cost, body.estimated_cost_reason], [
      null,
      "The rate card is about messages, not about calls",
    ]);
    assertRefused(await voice({ agent_id: "nobody" }, DRY), { status: 404, error: "agent_not_found" });
  }));

Deno.test("POST /notify?dry_run=true wakes no dispatcher and calls no platform", () =>
  withApi(async ({ notify, sandbox, dispatch }: Api) => {
    await notify({}, DRY);
    await dispatch();

    assert.deepEqual((await sandbox.messages()).length, 0);
  }));
