import assert from "node:assert/strict";
import { insertTemplate } from "../../setup/fixtures/fixtures.ts";
import { consent, setConsentPolicy, suppress } from "../../setup/fixtures/contacts.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { marketingRequest } from "./marketing_request.ts";
import { assertNothingStored } from "../stored.ts";
import { withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const NUMBER = "34600111222";
const OTHER = "34600111333";
const USER_ID = "ES.1349aBc";
const PERSON = { number: NUMBER, name: "Ana" };

Deno.test("POST /notify refuses a single recipient who does not want marketing, and stores nothing", () =>
  withApi(async (api) => {
    const { notify, company, sql } = api;
    const marketing = await marketingRequest(api);
    await suppress(sql, company.id, { number: NUMBER });

    await assertNothingStored(sql, async () => {
      assertRefused(await notify({ ...marketing, contact: PERSON }), {
        status: 422,
        error: "recipient_opted_out",
        message: "The recipient does not want such messages",
        details: { field: "contact", reason: "opted_out" },
      });
    });
    assert.equal((await notify({ contact: PERSON })).status, 200, "a utility message");
  }));

/** The template's category, none for calls; the type of the request; and whether both make it marketing. */
const MARKETING_OR_NOT: [category: string | null, type: string, isMarketing: boolean][] = [
  ["MARKETING", "marketing", true],
  ["MARKETING", "utility", true],
  ["MARKETING", "transactional", true],
  ["UTILITY", "marketing", false],
  ["UTILITY", "utility", false],
  ["UTILITY", "transactional", false],
  [null, "marketing", true],
  [null, "transactional", false],
];

Deno.test("who stopped marketing gets none by the template's category, and no calls of that type", () =>
  withVoiceApi(async (api) => {
    const marketing = await marketingRequest(api);
    await suppress(api.sql, api.company.id, { number: NUMBER });

    for (const [category, notification_type, isMarketing] of MARKETING_OR_NOT) {
      const template = category === "MARKETING" ? marketing : {};
      const send = category === null ? api.voice : api.notify;
      const { status, body } = await send({ ...template, notification_type, contact: PERSON });

      const label = `${category} ${notification_type}`;
      assert.deepEqual(
        [status, body.error],
        isMarketing ? [422, "recipient_opted_out"] : [200, undefined],
        label,
      );
      const differs = category !== null && !isMarketing && notification_type === "marketing";
      const codes = (body.warnings ?? []).map(({ code }: JsonObject) => code);
      assert.deepEqual(codes, differs ? ["notification_type_differs"] : [], label);
    }
  }));

Deno.test("POST /notify says the same of a person who was erased and of one who opted out, live and dry", () =>
  withApi(async ({ notify, http, key, company, sql }) => {
    await suppress(sql, company.id, { number: NUMBER, category: "all" });
    const erase = await http.post("/manage/companies/mine/contacts/erase", { number: OTHER }, {
      query: { access_key: key.key },
    });
    assert.equal(erase.status, 200);

    const responsesTo = async (number: string) => {
      const one = { contact: { ...PERSON, number } };
      const all = [
        await notify(one),
        await notify(one, { query: { dry_run: "true" } }),
        await notify({ contact: undefined, contacts: [{ ...PERSON, number: "34600111444" }, one.contact] }),
      ];
      const text = JSON.stringify(all.map(({ status, body }) => ({ status, body })));
      return text.replaceAll(number, "the number").replace(/"(req_)?[0-9a-f-]{32,36}"/g, "an id");
    };

    const erased = await responsesTo(OTHER);
    assert.match(erased, /recipient_opted_out/);
    assert.equal(erased, await responsesTo(NUMBER));
  }));

Deno.test("POST /notify names recipients who do not want marketing among the errors of a bulk request", () =>
  withApi(async (api) => {
    const { notify, status, company, sql } = api;
    const marketing = await marketingRequest(api);
    await suppress(sql, company.id, { number: NUMBER });
    const contacts = [{ ...PERSON, number: OTHER }, PERSON];

    const { status: code, body } = await notify({ ...marketing, contact: undefined, contacts });

    assert.equal(code, 200);
    assert.deepEqual([body.total, body.processed, body.failed], [2, 1, 1]);
    assert.deepEqual(body.errors, [
      { contact: contacts[1], reason: "The recipient does not want such messages" },
    ]);
    const { total, rejected } = await status(body.inquiry_set_id);
    assert.deepEqual([total, rejected], [1, 1]);
  }));

Deno.test("POST /notify with an Idempotency-Key repeats the first response although the recipient opted out since", () =>
  withApi(async (api) => {
    const { notify, company, sql } = api;
    const options = { headers: { "Idempotency-Key": "once" } };
    const body = { ...await marketingRequest(api), contact: PERSON };
    const first = await notify(body, options);
    await suppress(sql, company.id, { number: NUMBER });

    const second = await notify(body, options);

    assert.deepEqual([second.status, second.body], [200, first.body]);
    assert.equal(second.headers.get("idempotent-replayed"), "true");
  }));

Deno.test("POST /notify refuses marketing without consent where the company requires it, and warns where it asks for that", () =>
  withApi(async (api) => {
    const { notify, company, sql } = api;
    const marketing = await marketingRequest(api);
    const single = { ...marketing, contact: PERSON };
    const bulk = { ...marketing, contact: undefined, contacts: [{ ...PERSON, number: OTHER }, PERSON] };
    await consent(sql, company.id, { number: OTHER });
    const warning = { code: "no_consent", message: "No consent of the recipient to marketing is recorded" };

    await setConsentPolicy(sql, company.id, "require");
    assertRefused(await notify(single), {
      status: 422,
      error: "consent_missing",
      details: { field: "contact", reason: "no_consent" },
    });
    assert.equal((await notify(bulk)).body.failed, 1);

    await setConsentPolicy(sql, company.id, "warn");
    assert.deepEqual((await notify(single)).body.warnings, [{ index: 0, ...warning }]);
    const warned = await notify(bulk);
    assert.deepEqual([warned.body.processed, warned.body.warnings], [2, [{ index: 1, ...warning }]]);

    await setConsentPolicy(sql, company.id, "off");
    assert.equal((await notify(single)).body.warnings, undefined);
  }));

Deno.test("POST /notify takes a contact by user id; refuses a wrong one, and one without number and user id", () =>
  withApi(async ({ notify, http, key, sql }) => {
    const { status, body } = await notify({ contact: { user_id: USER_ID, name: "Ana" } });

    assert.equal(status, 200);
    const path = `/manage/companies/mine/campaigns/${body.inquiry_set_id}/recipients`;
    const { recipients } = (await http.get(path, { query: { access_key: key.key } })).body;
    assert.deepEqual([recipients[0].number, recipients[0].user_id], [null, USER_ID]);
    await assertNothingStored(sql, async () => {
      for (const user_id of ["es.1349", "ES1349", "ES.", "ES.a b", "ESP.1", 7, `ES.${"a".repeat(129)}`]) {
        const refused = await notify({ contact: { user_id, name: "Ana" } });
        assertRefused(refused, { status: 400, error: "validation_failed" }, String(user_id));
        assert.equal(refused.body.details.field, "contact.user_id");
      }
      assertRefused(await notify({ contact: { name: "Ana" } }), {
        status: 400,
        error: "validation_failed",
        message: "Missing required field: 'contact.number'",
      });
    });
  }));

Deno.test("POST /notify refuses an authentication template for a user id, alone and in a bulk request", () =>
  withApi(async ({ notify, sender, sql }) => {
    const { name } = await insertTemplate(sql, sender, { category: "AUTHENTICATION" });
    const template = { name_template: name };
    const contacts = [{ user_id: USER_ID, name: "Ana" }, PERSON];

    assertRefused(await notify({ ...template, contact: contacts[0] }), {
      status: 422,
      error: "user_id_not_supported",
      details: { field: "contact.number", reason: "required by authentication templates" },
    });
    const { body } = await notify({ ...template, contact: undefined, contacts });
    assert.deepEqual([body.processed, body.failed, body.errors[0].contact], [1, 1, contacts[0]]);
  }));

Deno.test("POST /notify/voice refuses a user id, and those who do not want calls", () =>
  withVoiceApi(async ({ voice, company, sql }) => {
    await suppress(sql, company.id, { number: NUMBER, channel: "voice", category: "all" });

    assertRefused(await voice({ contact: { user_id: USER_ID } }), {
      status: 400,
      error: "validation_failed",
      message: "Missing required field: 'contact.number'",
    });
    assertRefused(await voice({ contact: PERSON }), {
      status: 422,
      error: "recipient_opted_out",
    });
  }));
