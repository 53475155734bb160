import assert from "node:assert/strict";
import type postgres from "postgres";
import type { JsonObject } from "../../setup/http/http.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";
import { assertRefused } from "../assert_refused.ts";

const SPAIN = { number: "34600111222", name: "Ana" };
const TOKYO = { number: "34600111333", name: "Luis", timezone: "Asia/Tokyo" };
const LIMA = { number: "51911222333", name: "Rosa" };
const AT_NINE = {
  datetime_sending: "2099-01-31T00:00:00",
  timezone: "Europe/Madrid",
  recipient_time: "09:00",
};
const DRY = { query: { dry_run: "true" } };

const bulk = (...contacts: JsonObject[]): JsonObject => ({ contact: undefined, contacts });

async function insertContact(
  sql: postgres.Sql,
  companyId: string,
  { number, timezone = null, language = null }: {
    number: string;
    timezone?: string | null;
    language?: string | null;
  },
): Promise<void> {
  const id = crypto.randomUUID();
  await sql`
    insert into outbound.contacts (company_id, id, timezone, language, source)
    values (${companyId}, ${id}, ${timezone}, ${language}, 'api')`;
  await sql`
    insert into outbound.contact_addresses (company_id, kind, address, contact_id)
    values (${companyId}, 'number', ${number}, ${id})`;
}

/** When each recipient of a campaign is due, by number. */
async function dueOf({ sql }: Pick<Api, "sql">, campaignId: string): Promise<Record<string, string>> {
  const rows = await sql`
    select number, coalesce(held_run_at, run_at) as at, expires_at - coalesce(held_run_at, run_at) as ttl
    from outbound.notifications where campaign_id = ${campaignId}`;
  assert.equal(new Set(rows.map(({ ttl }) => String(ttl))).size, 1, "each may wait as long");
  return Object.fromEntries(rows.map(({ number, at }) => [number, at.toISOString()]));
}

Deno.test("with recipient_time each recipient gets it at that time of its own day, and the first is the campaign's", () =>
  withApi(async (api) => {
    const { status, body } = await api.notify({ ...bulk(SPAIN, TOKYO, LIMA), ...AT_NINE });

    assert.deepEqual([status, body.scheduled_time], [200, "2099-01-31T00:00:00Z"]);
    assert.deepEqual(await dueOf(api, body.inquiry_set_id), {
      [SPAIN.number]: "2099-01-31T08:00:00.000Z",
      [TOKYO.number]: "2099-01-31T00:00:00.000Z",
      [LIMA.number]: "2099-01-31T14:00:00.000Z",
    });
    const campaign = await api.status(body.inquiry_set_id);
    assert.deepEqual([campaign.status, campaign.scheduled_time], ["scheduled", "2099-01-31T00:00:00Z"]);
    const recipients = await api.http.get(
      `/manage/companies/mine/campaigns/${body.inquiry_set_id}/recipients`,
      { query: { access_key: api.key.key } },
    );
    assert.deepEqual(
      recipients.body.recipients.map(({ status, until }: JsonObject) => [status, until]),
      [["scheduled", "2099-01-31T08:00:00Z"], ["scheduled", "2099-01-31T00:00:00Z"], [
        "scheduled",
        "2099-01-31T14:00:00Z",
      ]],
    );
  }));

Deno.test("the zone of a stored contact counts before the number's, and the contact's own before both", () =>
  withApi(async (api) => {
    await insertContact(api.sql, api.company.id, { number: LIMA.number, timezone: "America/New_York" });
    await insertContact(api.sql, api.company.id, { number: TOKYO.number, timezone: "America/New_York" });

    const { body } = await api.notify({ ...bulk(LIMA, TOKYO), ...AT_NINE });

    assert.deepEqual(await dueOf(api, body.inquiry_set_id), {
      [LIMA.number]: "2099-01-31T14:00:00.000Z",
      [TOKYO.number]: "2099-01-31T00:00:00.000Z",
    });
    const summer = await api.notify({ contact: LIMA, ...AT_NINE, datetime_sending: "2099-07-31T00:00:00" });
    assert.equal(summer.body.scheduled_time, "2099-07-31T13:00:00Z");
  }));

Deno.test("without a day it is the next such time of each recipient", () =>
  withApi(async (api) => {
    const before = Date.now();
    const { body } = await api.notify({ ...bulk(SPAIN, TOKYO), recipient_time: "09:00" });

    const due = Object.values(await dueOf(api, body.inquiry_set_id)).map(Date.parse);
    for (const at of due) assert.ok(at >= before && at <= before + 25 * 3_600_000);
    assert.equal(Date.parse(body.scheduled_time), Math.min(...due));
  }));

Deno.test("a dry run shows each recipient's time and zone, and counts zones, countries, languages and senders", () =>
  withApi(async (api) => {
    await insertContact(api.sql, api.company.id, { number: LIMA.number, language: "es" });
    await api.sql`
      update outbound.senders set quality = 'GREEN', messaging_limit = 'TIER_250' where id = ${api.sender.id}`;
    const ana = { ...SPAIN, number: "34600111444", language: "pt-BR" };

    const { body } = await api.notify({ ...bulk(SPAIN, TOKYO, LIMA, ana), ...AT_NINE }, DRY);

    assert.deepEqual(
      body.recipients.map(({ scheduled_time, timezone }: JsonObject) => [scheduled_time, timezone]),
      [
        ["2099-01-31T08:00:00Z", "Europe/Madrid"],
        ["2099-01-31T00:00:00Z", "Asia/Tokyo"],
        ["2099-01-31T14:00:00Z", "America/Lima"],
        ["2099-01-31T08:00:00Z", "Europe/Madrid"],
      ],
    );
    assert.deepEqual(body.zones, [
      { timezone: "Europe/Madrid", count: 2, scheduled_time: "2099-01-31T08:00:00Z" },
      { timezone: "Asia/Tokyo", count: 1, scheduled_time: "2099-01-31T00:00:00Z" },
      { timezone: "America/Lima", count: 1, scheduled_time: "2099-01-31T14:00:00Z" },
    ]);
    assert.deepEqual(body.countries, [{ country: "ES", count: 3 }, { country: "PE", count: 1 }]);
    assert.deepEqual(body.languages, [
      { language: null, count: 2 },
      { language: "es", count: 1 },
      { language: "pt_BR", count: 1 },
    ]);
    assert.deepEqual(body.senders, [{ number: api.sender.number, count: 4, limit: 250, quality: "GREEN" }]);
    const plain = await api.notify(bulk(SPAIN), DRY);
    assert.deepEqual([plain.body.zones, plain.body.recipients[0].timezone], [[], null]);
  }));

Deno.test("requests that add to a campaign name the same time and day, and an earlier recipient moves its beginning", () =>
  withApi(async (api) => {
    const first = await api.notify({ ...bulk(SPAIN), ...AT_NINE });
    const query = { campaign_id: first.body.inquiry_set_id };
    const added = await api.notify({ ...bulk(TOKYO), ...AT_NINE }, { query });

    assert.equal(added.status, 200);
    assert.equal((await api.status(first.body.inquiry_set_id)).scheduled_time, "2099-01-31T00:00:00Z");
    const others: [changes: JsonObject, field: string][] = [
      [{ recipient_time: "10:00" }, "recipient_time"],
      [{ recipient_time: undefined }, "recipient_time"],
      [{ datetime_sending: "2099-02-01T00:00:00" }, "datetime_sending"],
      [{ spread_over: "PT1H" }, "spread_over"],
    ];
    for (const [changes, field] of others) {
      const refused = await api.notify({ ...bulk(LIMA), ...AT_NINE, ...changes }, { query });
      assertRefused(refused, { status: 409, error: "campaign_mismatch" });
      assert.equal(refused.body.details.field, field);
    }
  }));

Deno.test("spread_over spreads a request evenly, from its time on", () =>
  withApi(async (api) => {
    const contacts = Array.from({ length: 4 }, (_, index) => ({ number: `3460011122${index}`, name: "A" }));
    const scheduled = { datetime_sending: "2099-01-31T09:00:00", spread_over: "PT2H" };

    const { body } = await api.notify({ ...bulk(...contacts), ...scheduled });
    const now = await api.notify({ ...bulk(...contacts), spread_over: "PT2H" });

    assert.equal(body.scheduled_time, "2099-01-31T09:00:00Z");
    assert.deepEqual(Object.values(await dueOf(api, body.inquiry_set_id)).toSorted(), [
      "2099-01-31T09:00:00.000Z",
      "2099-01-31T09:30:00.000Z",
      "2099-01-31T10:00:00.000Z",
      "2099-01-31T10:30:00.000Z",
    ]);
    assert.equal(now.body.scheduled_time, undefined);
    await api.dispatch();
    const { status, pending, started_at } = await api.status(now.body.inquiry_set_id);
    assert.deepEqual([status, pending], ["sending", 3], "the first leaves at once");
    assert.notEqual(started_at, null);
  }));

Deno.test("other text under our names is the client's own, and the response says so unless it is referred to", () =>
  withApi(async (api) => {
    const { status, body } = await api.notify({ recipient_time: "nine", spread_over: "2h" });
    const used = await api.notify({
      recipient_time: "nine o'clock",
      components_push: { body_text_0: "{{name}}", body_text_1: "{{recipient_time}}" },
    });

    assert.deepEqual([status, body.scheduled_time], [200, undefined]);
    assert.deepEqual(body.warnings.map(({ code, field }: JsonObject) => [code, field]), [
      ["unknown_field", "recipient_time"],
      ["unknown_field", "spread_over"],
    ]);
    assert.deepEqual([used.status, used.body.warnings], [200, undefined]);
  }));

Deno.test("calls have a recipient's time too, and an agent gets other text as a variable", () =>
  withVoiceApi(async ({ voice, sql }) => {
    const { body } = await voice({ ...AT_NINE, contact: { number: SPAIN.number, timezone: "Asia/Tokyo" } });
    await voice({ recipient_time: "nine" });

    assert.equal(body.scheduled_time, "2099-01-31T00:00:00Z");
    const rows = await sql`select message from outbound.notification_facts order by id`;
    assert.deepEqual(rows.map(({ message }) => message.dynamic_variables.recipient_time), [
      undefined,
      "nine",
    ]);
  }));
