import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { createTemplate, listMade } from "./create_template.ts";
import { type Api, withApi } from "../with_api.ts";

const HANDLE = { header_handle: ["4::aW1hZ2UvanBlZw==:ARZ"] };
const LINK = { type: "URL", text: "Open", url: "https://example.com/{1}" };

const card = (text: string) => ({
  HEADER: { format: "IMAGE", example: HANDLE },
  BODY: { text },
  BUTTONS: [{ type: "QUICK_REPLY", text: "More about it" }, LINK],
});

/** Submits a template, has the platform approve it, and returns its name. */
async function makeTemplate(
  api: Api,
  category_template: string,
  components_template: JsonObject,
): Promise<string> {
  const name_template = `made_${crypto.randomUUID().replaceAll("-", "")}`;
  const { status, body } = await createTemplate(api, {
    name_template,
    category_template,
    components_template,
  });
  assert.equal(status, 200, JSON.stringify(body));
  const [row] = await api.sql`
    select platform_template_id as id from outbound.templates where id = ${body.template.id}`;
  await api.sandbox.setTemplate(row!.id, "APPROVED");
  await eventually(async () => {
    const made = (await listMade(api)).find(({ name }) => name === name_template);
    assert.equal(made?.status, "APPROVED");
  });
  return name_template;
}

async function valuesOf(api: Api, template: string): Promise<JsonObject> {
  const query = { access_key: api.key.key, template, values: "true" };
  return (await api.http.get("/notify/template/components", { query })).body;
}

interface Case {
  what: string;
  category: string;
  components: JsonObject;
  required: string[];
  optional?: string[];
  values: JsonObject;
  /** Parts of what the phone shows. */
  shows: JsonObject;
}

const CASES: Case[] = [
  {
    what: "a text header with a variable",
    category: "UTILITY",
    components: {
      HEADER: { format: "TEXT", text: "Points in {1}", example: { header_text: ["June"] } },
      BODY: { text: "Hello, here they are." },
    },
    required: ["header_text_0"],
    values: { header_text_0: "{{month}}" },
    shows: { header: { format: "TEXT", text: "Points in May" } },
  },
  {
    what: "a location, a reply with a payload and a form",
    category: "UTILITY",
    components: {
      HEADER: { format: "LOCATION" },
      BODY: { text: "This is where you find us." },
      BUTTONS: [{ type: "QUICK_REPLY", text: "Stop promotions" }, {
        type: "FLOW",
        text: "Choose",
        flow_id: "4801",
      }],
    },
    required: ["header_location_latitude", "header_location_longitude"],
    optional: [
      "header_location_name",
      "header_location_address",
      "buttons_quick_reply_0",
      "buttons_flow_token_0",
      "buttons_flow_data_0",
    ],
    values: {
      header_location_latitude: "{{latitude}}",
      header_location_longitude: "-3.7",
      header_location_name: "Example Traders",
      buttons_quick_reply_0: "visit",
      buttons_flow_token_0: "{{name}}",
      buttons_flow_data_0: '{"day": {"n": 1} }',
    },
    shows: {
      header: { format: "LOCATION", text: "Example Traders", latitude: "40.4", longitude: "-3.7" },
      buttons: [
        { type: "QUICK_REPLY", text: "Stop promotions", payload: "visit" },
        { type: "FLOW", text: "Choose", flow_id: "4801", flow_token: "Asha", flow_data: { day: { n: 1 } } },
      ],
    },
  },
  {
    what: "a limited-time offer with a code",
    category: "MARKETING",
    components: {
      LIMITED_TIME_OFFER: { text: "Spring offer!", has_expiration: true },
      BODY: { text: "A quarter off, only this week." },
      BUTTONS: [{ type: "COPY_CODE", example: "SPRING25" }, LINK],
    },
    required: ["limited_time_offer_expiration", "buttons_url_0", "buttons_copy_code_0"],
    values: {
      limited_time_offer_expiration: "2098-01-31T19:00:00+01:00",
      buttons_url_0: "a",
      buttons_copy_code_0: "{{code}}",
    },
    shows: { offer: { text: "Spring offer!", expires_at: "2098-01-31T18:00:00.000Z" } },
  },
  {
    what: "a carousel",
    category: "MARKETING",
    components: {
      BODY: { text: "Hello {1}, look." },
      CAROUSEL: { cards: [card("Agave for {1} only."), card("Aloe.")] },
    },
    required: [
      "body_text_0",
      "carousel_0_header_image",
      "carousel_0_body_text_0",
      "carousel_0_buttons_url_0",
      "carousel_1_header_image",
      "carousel_1_buttons_url_0",
    ],
    optional: ["carousel_0_buttons_quick_reply_0", "carousel_1_buttons_quick_reply_0"],
    values: {
      body_text_0: "{{name}}",
      carousel_0_header_image: "https://example.com/agave.jpg",
      carousel_0_body_text_0: "{{price}}",
      carousel_0_buttons_url_0: "agave",
      carousel_0_buttons_quick_reply_0: "MORE_agave",
      carousel_1_header_image: "https://example.com/aloe.jpg",
      carousel_1_buttons_url_0: "aloe",
    },
    shows: {
      body: "Hello Asha, look.",
      cards: [
        {
          header: { format: "IMAGE", link: "https://example.com/agave.jpg" },
          body: "Agave for € 18 only.",
          buttons: [
            { type: "QUICK_REPLY", text: "More about it", payload: "MORE_agave" },
            { type: "URL", text: "Open", url: "https://example.com/agave" },
          ],
        },
        {
          header: { format: "IMAGE", link: "https://example.com/aloe.jpg" },
          body: "Aloe.",
          buttons: [
            { type: "QUICK_REPLY", text: "More about it", payload: "More about it" },
            { type: "URL", text: "Open", url: "https://example.com/aloe" },
          ],
        },
      ],
    },
  },
];

/** Fields for references: of the contact and of the request. */
const FIELDS = {
  contact: { number: "34600111222", name: "Asha", month: "May", latitude: "40.4", price: "€ 18" },
  code: "SPRING25",
};

for (const { what, category, components, required, optional = [], values, shows } of CASES) {
  Deno.test(`a template with ${what} is created, described and sent`, () =>
    withApi(async (api) => {
      const name_template = await makeTemplate(api, category, components);

      const described = await valuesOf(api, name_template);
      assert.deepEqual(described.components, required);
      assert.deepEqual(
        described.values.filter((value: JsonObject) => !value.required).map(({ name }: JsonObject) => name),
        optional,
      );
      const examples = Object.fromEntries(
        described.values.map(({ name, example }: JsonObject) => [name, example]),
      );
      const body = { name_template, language_template: "en_US", ...FIELDS };
      for (const components_push of [examples, values]) {
        const { status, body: answer } = await api.notify({ ...body, components_push });
        assert.equal(status, 200, JSON.stringify(answer));
        await api.dispatch();
      }
      const missing = { ...values, [required[0]!]: undefined };
      assertRefused(await api.notify({ ...body, components_push: missing }), {
        status: 422,
        error: "variable_mismatch",
      });

      const messages = await api.sandbox.messages();
      const { rendered } = messages.at(-1) as { rendered: JsonObject };
      assert.equal(messages.length, 2, "the examples can be sent as they are");
      for (const [part, shown] of Object.entries(shows)) assert.deepEqual(rendered[part], shown, part);
    }));
}

const OFFER = CASES.find(({ what }) => what.includes("offer"))!;

Deno.test("an offer must end after its message is due, and its values keep the platform's forms", () =>
  withApi(async (api) => {
    const name_template = await makeTemplate(api, OFFER.category, OFFER.components);
    const send = (values: JsonObject, changes: JsonObject = {}) =>
      api.notify({
        name_template,
        language_template: "en_US",
        ...FIELDS,
        ...changes,
        components_push: { ...OFFER.values, ...values },
      });
    const refusals: [values: JsonObject, changes?: JsonObject][] = [
      [{ limited_time_offer_expiration: "2020-01-31T18:00:00Z" }],
      [{ limited_time_offer_expiration: "2030-01-31T18:00:00" }],
      [{ limited_time_offer_expiration: "2030-02-31T18:00:00Z" }],
      [{ limited_time_offer_expiration: "tomorrow" }],
      [{ limited_time_offer_expiration: "2090-01-01T00:00:00Z" }, {
        datetime_sending: "2090-01-01T00:00:00",
      }],
      [{ buttons_copy_code_0: "x".repeat(16) }],
      [{ buttons_copy_code_0: "two\nlines" }],
    ];
    for (const [values, changes] of refusals) {
      const { status, body } = await send(values, changes);
      assert.deepEqual([status, body.error], [400, "validation_failed"], JSON.stringify(values));
      assert.equal(body.details.field, `components_push.${Object.keys(values)[0]}`);
    }

    const contacts = ["2098-01-31T18:00:00Z", "2020-01-31T18:00:00Z"].map((end, index) => ({
      number: `3460011122${index}`,
      end,
    }));
    const bulk = await send({ limited_time_offer_expiration: "{{end}}" }, { contact: undefined, contacts });
    assert.deepEqual([bulk.body.processed, bulk.body.failed], [1, 1]);
    assert.match(bulk.body.errors[0].reason, /limited_time_offer_expiration.*after/);
  }));

Deno.test("names that no template has are refused and cost nothing, however many and however written", () =>
  withApi(async (api) => {
    const names = [
      "carousel_999999999_header_image",
      "carousel_-1_body_text_0",
      "carousel_0_carousel_0_body_text_0",
      "carousel_0_limited_time_offer_expiration",
      "header_text_1",
      "body_text_00",
      "body_text_1e9",
      "buttons_quick_reply_",
      "toString",
      "hasOwnProperty",
    ];
    const many = Array.from({ length: 10_000 }, (_, index) => `carousel_${index}_body_text_${index}`);
    for (const given of [...names.map((name) => [name]), many]) {
      const extra = Object.fromEntries(given.map((name) => [name, "x"]));
      const components_push = { body_text_0: "a", body_text_1: "b", ...extra };
      const { status, body } = await api.notify({ components_push });
      assert.deepEqual([status, body.error], [422, "variable_mismatch"], given[0]!);
      assert.deepEqual(body.details.unexpected, given);
    }
    const constructor = await api.notify({ components_push: { constructor: "x" } });
    assert.deepEqual([constructor.status, constructor.body.error], [422, "variable_mismatch"]);
    const raw = await api.http.post("/notify", undefined, {
      query: { access_key: api.key.key },
      headers: { "content-type": "application/json" },
      rawBody: `{"contact":{"number":"34600111222"},"components_push":{"__proto__":{"body_text_0":"x"}}}`,
    });
    assert.ok(raw.status >= 400 && raw.status < 500);
  }));

Deno.test("an opt-out button keeps its meaning with a payload of the request's own", () =>
  withApi(async (api) => {
    const { category, components, values } = CASES.find(({ what }) => what.includes("payload"))!;
    const name_template = await makeTemplate(api, category, components);
    await api.notify({ name_template, language_template: "en_US", ...FIELDS, components_push: values });
    await api.dispatch();
    await api.sandbox.write("34600111222", { type: "button", text: "Stop promotions" });

    await eventually(async () => {
      const [found] = await api.sql`
        select source from outbound.suppressions where company_id = ${api.company.id} and address = '34600111222'`;
      assert.equal(found?.source, "button");
    });
  }));
