import assert from "node:assert/strict";
import { insertSender, insertTemplate, moveRateWindow } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { assertConserved, tickWithoutProbe } from "../../setup/fixtures/queue.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused, assertRefusedShortly } from "../assert_refused.ts";
import { assertNothingStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const NO_CAMPAIGN = "0192f8a6-3d2e-7f41-9a5b-6c7d8e9f0a1b";

const people = (...numbers: string[]) => ({
  contact: undefined,
  contacts: numbers.map((number) => ({ number, name: "Asha" })),
});

/** `POST /notify` for a campaign that exists. */
function add(
  { notify }: Api,
  campaignId: string,
  changes: JsonObject = {},
  query: Record<string, string> = {},
  headers: Record<string, string> = {},
): Promise<TestAnswer<JsonObject>> {
  return notify(changes, { query: { campaign_id: campaignId, ...query }, headers });
}

async function start({ notify }: Api, changes: JsonObject = {}, query: Record<string, string> = {}) {
  const { status, body } = await notify(changes, { query });
  assert.equal(status, 200, JSON.stringify(body));
  return body.inquiry_set_id as string;
}

async function completions({ sql, company }: Api): Promise<JsonObject[]> {
  const events = await readEvents(sql, company.id);
  return events.filter(({ type }) => type === "campaign.completed").map(({ payload }) => payload.data);
}

/** As if no request had added to an open campaign for an hour. */
async function letAnHourPass({ sql }: Api): Promise<void> {
  await sql`update outbound.campaigns set open_until = open_until - interval '61 minutes'`;
  await tickWithoutProbe(sql);
}

Deno.test("contacts that are added to a paused campaign are taken with a warning, until it is resumed", () =>
  withApi(async (api) => {
    const id = await start(api);
    const control = (action: string) =>
      api.http.post(`/manage/companies/mine/campaigns/${id}/${action}`, undefined, {
        query: { access_key: api.key.key },
      });
    assert.equal((await add(api, id)).body.warnings, undefined);
    assert.equal((await control("pause")).status, 200);

    const headers = { "Idempotency-Key": "added-once" };
    const added = people("34600111444", "34600111555");
    const dry = await add(api, id, added, { dry_run: "true" });
    const first = await add(api, id, added, {}, headers);
    const again = await add(api, id, added, {}, headers);
    const warning = {
      code: "campaign_paused",
      message: "The campaign is paused: what is added waits until it is resumed",
      contacts: 2,
    };
    for (const { status, body } of [dry, first, again]) {
      assert.deepEqual([status, body.warnings], [200, [warning]]);
    }
    const { status, total } = await api.status(id);
    assert.deepEqual([status, total], ["paused", 4]);

    assert.equal((await control("resume")).status, 200);
    assert.equal((await add(api, id, people("34600111666"))).body.warnings, undefined);
  }));

Deno.test("contacts of several requests are one campaign: single, bulk and flat, some of them refused", () =>
  withApi(async (api) => {
    const id = await start(api);
    const responses = [
      await add(api, id, { contact: { number: "34600111333", name: "Luis" } }),
      await add(api, id.toUpperCase(), {
        ...people("34600111444", "+1", "34600111555"),
        campaign_name: "Other",
      }),
      await add(api, id, {
        contact: undefined,
        components_push: undefined,
        "contact.number": "34600111666",
        "contact.name": "Eva",
        "components_push.body_text_0": "{{name}}",
        "components_push.body_text_1": "B",
      }, { unflatten: "true" }),
    ];

    assert.deepEqual(responses.map(({ status, body }) => [status, body.inquiry_set_id]), [
      [200, id],
      [200, id],
      [200, id],
    ]);
    const { campaign_name, total, pending, rejected } = await api.status(id);
    assert.deepEqual([campaign_name, total, pending, rejected], ["Orders", 5, 5, 1]);
    await api.dispatch();
    const query = { access_key: api.key.key };
    const { body } = await api.http.get(`/manage/companies/mine/campaigns/${id}/recipients`, { query });
    assert.deepEqual(body.recipients.map(({ number }: JsonObject) => number), [
      ...["34600111222", "34600111333", "34600111444", "34600111555", "34600111666"],
    ]);
    assert.equal((await api.status(id)).status, "completed");
    await assertConserved(api.sql);
  }));

Deno.test("a request that differs from its campaign is refused, and names the field", () =>
  withApi(async (api) => {
    const id = await start(api, { name_event: "welcome" });
    const other = await insertSender(api.sql, api.company.id, { waba_id: api.sender.waba_id });
    const parcel = await insertTemplate(api.sql, api.sender, { name: "parcel_update" });
    const spanish = await insertTemplate(api.sql, api.sender, { name: api.template.name, language: "es" });
    const later = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
    const differing: [changes: JsonObject, details: JsonObject][] = [
      [{ recipient_id: other.number }, {
        field: "recipient_id",
        provided: other.number,
        expected: api.sender.id,
      }],
      [{ name_template: parcel.name }, {
        field: "name_template",
        provided: parcel.name,
        expected: api.template.name,
      }],
      [{ language_template: "es" }, {
        field: "language_template",
        provided: spanish.language,
        expected: api.template.language,
      }],
      [{ notification_type: "marketing" }, {
        field: "notification_type",
        provided: "marketing",
        expected: "utility",
      }],
      [{ datetime_sending: later }, { field: "datetime_sending", provided: later, expected: null }],
      [{ timezone: "Europe/Madrid" }, { field: "timezone", provided: "Europe/Madrid", expected: null }],
      [{ name_event: undefined }, { field: "name_event", provided: null, expected: "welcome" }],
    ];
    await assertNothingStored(api.sql, async () => {
      for (const [changes, details] of differing) {
        const response = await add(api, id, { name_event: "welcome", ...changes });
        assertRefused(response, { status: 409, error: "campaign_mismatch", details }, details.field);
        assert.match(response.body.message, new RegExp(`'${details.field}'`));
      }
    });
    assert.deepEqual((await api.status(id)).total, 1);
    assert.equal((await add(api, id, { name_event: "welcome" })).status, 200);
  }));

Deno.test("messages are not added to a campaign of calls, nor calls to one of messages", () =>
  withVoiceApi(async (api) => {
    const messages = await start(api);
    const calls = (await api.voice()).body.inquiry_set_id;
    assertRefused(await add(api, calls), {
      ...{ status: 409, error: "campaign_mismatch" },
      details: { field: "channel", provided: "whatsapp", expected: "voice" },
    });
    assertRefused(await api.voice({}, { query: { campaign_id: messages } }), {
      ...{ status: 409, error: "campaign_mismatch" },
      details: { field: "channel", provided: "voice", expected: "whatsapp" },
    });
    const other = await api.addCaller();
    const added = await api.voice({ contact: { number: "34600111333" } }, { query: { campaign_id: calls } });

    assert.deepEqual([added.status, added.body.inquiry_set_id], [200, calls]);
    const recipients = await api.recipients(calls);
    assert.deepEqual(recipients.map(({ number }) => number), ["34600111222", "34600111333"]);
    assertRefusedShortly(
      await api.http.post("/notify/voice", {
        ...{
          contact: { number: "34600111444" },
          recipient_id: other.voiceSender.number,
          agent_id: other.agent.id,
        },
        ...{ notification_type: "transactional", campaign_name: "Reminders" },
      }, { query: { access_key: other.key.key, campaign_id: calls } }),
      404,
      "Campaign not found",
    );
  }));

Deno.test("a template that needs other values than before is refused for an old campaign", () =>
  withApi(async (api) => {
    const id = await start(api);
    const body = { type: "BODY", text: "Hello {{1}}, thanks for {{2}} and {{3}}" };
    await api.sql`update outbound.templates set components = ${api.sql.json([body])}`;
    const components_push = { body_text_0: "a", body_text_1: "b", body_text_2: "c" };

    const response = await add(api, id, { components_push });

    assertRefused(response, {
      ...{ status: 409, error: "campaign_mismatch" },
      details: { field: "template_shape", provided: null, expected: null },
    });
    assert.equal((await api.notify({ components_push })).status, 200);
  }));

Deno.test("a campaign that does not exist, is another company's or has no proper id is refused, at the key's cost", () =>
  withApi(async (api) => {
    const { company, key, ...theirs } = await api.addTenant();
    const notify = (query: Record<string, string>) =>
      api.http.post("/notify", {
        ...{ contact: { number: "34600111222", name: "A" }, recipient_id: theirs.sender.number },
        ...{ name_template: theirs.template.name, language_template: theirs.template.language },
        ...{ notification_type: "utility", campaign_name: "Orders" },
        components_push: { body_text_0: "a", body_text_1: "b" },
      }, { query: { access_key: key.key, ...query } });
    const foreign = (await notify({})).body.inquiry_set_id;

    await assertNothingStored(api.sql, async () => {
      assertRefusedShortly(await add(api, NO_CAMPAIGN), 404, "Campaign not found");
      assertRefusedShortly(await add(api, foreign), 404, "Campaign not found");
      for (const campaignId of ["", "x", "1", `${foreign}0`, "null", "%00"]) {
        const response = await add(api, campaignId);
        assertRefused(response, { status: 400, error: "validation_failed" }, campaignId);
        assert.equal(response.body.details.field, "campaign_id");
      }
      for (const more of ["", "1", "TRUE", "yes"]) {
        const response = await add(api, foreign, {}, { more });
        assertRefused(response, { status: 400, error: "validation_failed" }, more);
        assert.equal(response.body.details.field, "more");
      }
    });
    const [row] = await api.sql`select requests from outbound.usage where company_id = ${api.company.id}`;
    assert.equal(row!.requests, 12);
    assert.deepEqual((await notify({ campaign_id: foreign })).body.inquiry_set_id, foreign);
    await api.sql`delete from outbound.companies where id = ${company.id}`;
    assertRefusedShortly(await add(api, foreign), 404, "Campaign not found");
  }));

Deno.test("a cancelled campaign takes nothing more", () =>
  withApi(async (api) => {
    const id = await start(api, {}, { more: "true" });
    const query = { access_key: api.key.key };
    await api.http.post(`/manage/companies/mine/campaigns/${id}/cancel`, undefined, { query });

    await assertNothingStored(api.sql, async () => {
      const response = await add(api, id);
      assertRefused(response, { status: 409, error: "campaign_cancelled" });
      assert.match(response.body.message, /start a new one/);
    });
    const { status, open_until, completed_at } = await api.status(id);
    assert.deepEqual([status, open_until, completed_at !== null], ["cancelled", undefined, true]);
  }));

Deno.test("contacts added to a paused campaign wait with the others", () =>
  withApi(async (api) => {
    const id = await start(api);
    const query = { access_key: api.key.key };
    await api.http.post(`/manage/companies/mine/campaigns/${id}/pause`, undefined, { query });
    assert.equal((await add(api, id, people("34600111333", "34600111444"))).status, 200);
    await api.dispatch();
    const paused = await api.status(id);
    assert.deepEqual([paused.status, paused.pending, paused.sent], ["paused", 3, 0]);

    const resumed = await api.http.post(`/manage/companies/mine/campaigns/${id}/resume`, undefined, {
      query,
    });
    await api.dispatch();

    assert.equal(resumed.body.changed, 3);
    assert.deepEqual((await api.status(id)).sent, 3);
    await assertConserved(api.sql);
  }));

Deno.test("a finished campaign opens again, and is reported again when it finishes", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const id = await start(api);
    await api.dispatch();
    assert.notEqual((await api.status(id)).completed_at, null);

    await add(api, id, people("34600111333", "34600111444"));
    const open = await api.status(id);
    assert.deepEqual([open.status, open.completed_at, open.pending, open.sent], ["sending", null, 2, 1]);
    await api.dispatch();

    const { status, total, sent, completed_at } = await api.status(id);
    assert.deepEqual([status, total, sent, completed_at !== null], ["completed", 3, 3, true]);
    assert.deepEqual((await completions(api)).map(({ campaign_id, total }) => [campaign_id, total]), [
      [id, 1],
      [id, 3],
    ]);
    await add(api, id, people("+1", "0"));
    assert.deepEqual((await api.status(id)).rejected, 2);
    assert.equal((await completions(api)).length, 2, "nothing was added, so nothing finished");
    await assertConserved(api.sql);
  }));

Deno.test("a campaign whose template was stopped before it finished sends what is added once it is approved", () =>
  withApi(async (api) => {
    const id = await start(api);
    const stopped = async (status: string) => {
      await api.sql`update outbound.templates set status = ${status}, unsettled = true`;
      await api.sql`select outbound.settle_templates()`;
    };
    await stopped("disabled");
    assert.equal((await api.status(id)).paused_reason, "template_not_approved");
    await api.sql`update outbound.queue set expires_at = now()`;
    await tickWithoutProbe(api.sql);
    assert.equal((await api.status(id)).status, "completed");
    assert.equal((await add(api, id)).body.error, "template_not_approved");
    await stopped("approved");

    assert.equal((await add(api, id)).status, 200);
    await api.dispatch();

    const { status, failed, sent } = await api.status(id);
    assert.deepEqual([status, failed, sent], ["completed", 1, 1]);
  }));

Deno.test("a scheduled campaign takes more for the same time, in any zone's letter case, also after it", () =>
  withApi(async (api) => {
    const datetime_sending = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
    const schedule = { datetime_sending, timezone: "Etc/UTC" };
    const id = await start(api, schedule);
    const scheduled_time = `${datetime_sending}Z`;
    const added = await add(api, id, { ...schedule, timezone: "etc/utc" });
    assert.deepEqual([added.status, added.body.scheduled_time], [200, scheduled_time]);
    assertRefused(await add(api, id), {
      ...{ status: 409, error: "campaign_mismatch" },
      details: {
        field: "datetime_sending",
        provided: null,
        expected: `${datetime_sending}.000Z`,
      },
    });
    assert.deepEqual((await api.status(id)).status, "scheduled");

    // Its time was two days ago, longer than a message lives.
    const past = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 19);
    await api.sql`update outbound.campaigns set scheduled_time = ${`${past}Z`}`;
    await api.sql`update outbound.queue set run_at = now(), status = 'queued'`;
    const late = await add(api, id, { ...schedule, datetime_sending: past });
    assert.deepEqual([late.status, late.body.scheduled_time], [200, `${past}Z`]);
    assertRefused(await add(api, id, { ...schedule, datetime_sending: "2020-01-01T00:00:00" }), {
      ...{ status: 409, error: "campaign_mismatch" },
    });
    assertRefused(await api.notify({ ...schedule, datetime_sending: past }), {
      ...{ status: 400, error: "validation_failed" },
    });
    await api
      .sql`select outbound.schedule_senders(array[company_id], array[id], false) from outbound.senders`;
    await api.dispatch();
    assert.deepEqual((await api.status(id)).sent, 3);
    await assertConserved(api.sql);
  }));

Deno.test("more=true keeps a campaign open until a request without it", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const id = await start(api, {}, { more: "true" });
    for (const number of ["34600111333", "34600111444"]) {
      await api.dispatch();
      const { status, completed_at, open_until, pending } = await api.status(id);
      assert.deepEqual([status, completed_at, pending], ["sending", null, 0]);
      const minutes = (Date.parse(open_until) - Date.now()) / 60_000;
      assert.ok(minutes > 59 && minutes < 62, open_until);
      await add(api, id, { contact: { number, name: "A" } }, { more: "true" });
    }
    await api.dispatch();
    assert.deepEqual(await completions(api), []);

    const last = await add(api, id, people("34600111555", "+1"), { more: "false" });

    assert.equal(last.status, 200);
    assert.equal((await api.status(id)).open_until, undefined);
    await api.dispatch();
    assert.equal((await api.status(id)).status, "completed");
    assert.deepEqual((await completions(api)).map(({ total, sent, rejected }) => [total, sent, rejected]), [[
      4,
      4,
      1,
    ]]);
    await assertConserved(api.sql);
  }));

Deno.test("a last request of refused contacts only completes its campaign", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const id = await start(api, people("+1"), { more: "true" });
    assert.deepEqual((await api.status(id)).status, "sending");
    assert.deepEqual(await completions(api), []);

    await add(api, id, people("+2", "+3"));

    const { status, total, rejected, completed_at } = await api.status(id);
    assert.deepEqual([status, total, rejected, completed_at !== null], ["completed", 0, 3, true]);
    assert.equal((await completions(api)).length, 1);
  }));

Deno.test("a campaign without an addition for an hour closes; one that still sends completes when it has sent", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const done = await start(api, {}, { more: "true" });
    await api.dispatch();
    const datetime_sending = new Date(Date.now() + 3_600_000).toISOString().slice(0, 19);
    const waiting = await start(api, { datetime_sending }, { more: "true" });
    assert.equal((await api.status(waiting)).status, "scheduled");
    await tickWithoutProbe(api.sql);
    assert.equal((await api.status(done)).status, "sending");

    await letAnHourPass(api);

    const [first, second] = [await api.status(done), await api.status(waiting)];
    assert.deepEqual([first.status, first.open_until], ["completed", undefined]);
    assert.deepEqual([second.status, second.open_until, second.completed_at], ["scheduled", undefined, null]);
    assert.deepEqual((await completions(api)).map(({ campaign_id }) => campaign_id), [done]);
    assert.equal((await add(api, done, {}, { more: "true" })).status, 200);
    assert.equal((await api.status(done)).status, "sending");
    await assertConserved(api.sql);
  }));

Deno.test("an open campaign can be paused and cancelled when all of it is sent", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const id = await start(api, {}, { more: "true" });
    await api.dispatch();
    const query = { access_key: api.key.key };
    const control = async (what: string) =>
      (await api.http.post(`/manage/companies/mine/campaigns/${id}/${what}`, undefined, { query })).body
        .status;

    assert.equal(await control("pause"), "paused");
    await add(api, id, {}, { more: "true" });
    await api.dispatch();
    assert.equal((await api.status(id)).sent, 1);
    assert.equal(await control("resume"), "sending");
    await api.dispatch();
    assert.equal((await api.status(id)).sent, 2);
    assert.equal(await control("cancel"), "completed");
    assert.equal((await completions(api)).length, 1);
  }));

Deno.test("an addition is stored once under its Idempotency-Key; campaign_id and more are part of the request", () =>
  withApi(async (api) => {
    const id = await start(api);
    const another = await start(api);
    const headers = { "idempotency-key": "k" };
    const changes = people("34600111333", "+1");
    const responses = [];
    for (let time = 0; time < 3; time++) {
      responses.push(await add(api, id, changes, { more: "true" }, headers));
    }

    assert.deepEqual(
      responses.map(({ status, body }) => [status, body]),
      Array(3).fill([200, responses[0]!.body]),
    );
    assert.deepEqual(responses.map((response) => response.headers.get("idempotent-replayed")), [
      null,
      "true",
      "true",
    ]);
    const { total, rejected } = await api.status(id);
    assert.deepEqual([total, rejected], [2, 1]);
    for (
      const response of [
        await add(api, id, changes, {}, headers),
        await add(api, another, changes, { more: "true" }, headers),
        await api.notify(changes, { headers }),
      ]
    ) assertRefused(response, { status: 422, error: "idempotency_key_reused" });

    await api.http.post(`/manage/companies/mine/campaigns/${id}/cancel`, undefined, {
      query: { access_key: api.key.key },
    });
    assert.deepEqual((await add(api, id, changes, { more: "true" }, headers)).body, responses[0]!.body);
  }));

Deno.test("additions made at once are all counted, and use up rate and quota like other requests", () =>
  withApi(async (api) => {
    const id = await start(api, {}, { more: "true" });
    await api.sql`update outbound.api_keys set daily_quota = 41`;
    const responses = await Promise.all(
      Array.from(
        { length: 30 },
        (_, n) => add(api, id, people(`3460011${1000 + n}`, `3460012${1000 + n}`), { more: "true" }),
      ),
    );

    const accepted = responses.filter(({ status }) => status === 200);
    assert.equal(accepted.length, 20);
    assert.equal(responses.filter(({ body }) => body.error === "quota_exceeded").length, 10);
    assert.equal((await api.status(id)).total, 41);
    await assertConserved(api.sql);
    const [row] = await api
      .sql`select notifications from outbound.usage where company_id = ${api.company.id}`;
    assert.equal(row!.notifications, 41);
    await api.sql`update outbound.api_keys set rate_limit = 1`;
    await moveRateWindow(api.sql, api.key);
    assertRefused(await add(api, id), { status: 429, error: "rate_limit_exceeded" });
  }));
