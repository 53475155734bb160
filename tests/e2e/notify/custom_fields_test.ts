import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { type Api, withApi } from "../with_api.ts";
import { withVoiceApi } from "../with_voice_api.ts";

const NUMBER = "34600111222";

/** Fields that the contract leaves to the client, by name, with a value that is not of a form of ours. */
const FIELDS: Record<string, string> = {
  user_id: "cus_12",
  metadata: "gold",
  constructor: "Calatrava",
  prototype: "first",
  __proto_: "nearly",
  toString: "text",
  hasOwnProperty: "yes",
};

/** A body as text, because a literal cannot hold `__proto__`. */
function withProto(body: JsonObject): string {
  return JSON.stringify(body).replaceAll('"__proto_"', '"__proto__"');
}

/** Posts a body with the fields of the last one, of which one is named `__proto__`. */
async function post(api: Pick<Api, "http" | "key">, path: string, body: JsonObject, query = {}) {
  return await api.http.post(path, undefined, {
    query: { access_key: api.key.key, ...query },
    headers: { "content-type": "application/json" },
    rawBody: withProto(body),
  });
}

/** A request whose two values are references to a field, and the body's other fields. */
function referring({ sender, template }: Api, name: string): JsonObject {
  return {
    recipient_id: sender.number,
    name_template: template.name,
    language_template: template.language,
    notification_type: "utility",
    campaign_name: "Own fields",
    components_push: { body_text_0: `{{${name}}}`, body_text_1: "x" },
  };
}

async function sentTexts({ sql, company }: Api): Promise<string[]> {
  const rows = await sql`
    select message #>> '{0,parameters,0,text}' as text, user_id from outbound.notifications
    where company_id = ${company.id} order by id`;
  assert.deepEqual(rows.map(({ user_id }) => user_id), rows.map(() => null));
  return rows.map(({ text }) => text);
}

Deno.test("a field of a contact or of the request may have any name, and is what a reference names", () =>
  withApi(async (api) => {
    const expected: string[] = [];
    for (const [name, value] of Object.entries(FIELDS)) {
      const own = { [name]: value };
      const realName = name.replace("__proto_", "__proto__");
      const base = referring(api, realName);
      const requests: [string, JsonObject, JsonObject?][] = [
        ["contact", { ...base, contact: { number: NUMBER, ...own } }],
        ["contacts", { ...base, contacts: [{ number: NUMBER, ...own }] }],
        ["root", { ...base, ...own, contact: { number: NUMBER } }],
        ["flat", {
          ...base,
          components_push: undefined,
          ...{ "components_push.body_text_0": `{{${realName}}}`, "components_push.body_text_1": "x" },
          ...{ "contact.number": NUMBER, [`contact.${realName}`]: value },
        }, { unflatten: "true" }],
      ];
      for (const [where, body, query] of requests) {
        const response = await post(api, "/notify", body, query);
        assert.equal(response.status, 200, `${where} ${name}: ${JSON.stringify(response.body)}`);
        assert.equal(response.body.failed ?? 0, 0, `${where} ${name}: ${JSON.stringify(response.body)}`);
        expected.push(value);
      }
    }
    assert.deepEqual(await sentTexts(api), expected);
    assert.equal(({} as JsonObject).city, undefined);
  }));

Deno.test("a call's own fields may have any name, and are variables for the agent", () =>
  withVoiceApi(async (api) => {
    const { status, body } = await post(api, "/notify/voice", {
      ...{ recipient_id: api.voiceSender.number, agent_id: api.agent.platform_agent_id },
      ...{ notification_type: "transactional", campaign_name: "Own fields" },
      metadata: "silver",
      contact: { number: NUMBER, ...FIELDS },
    });

    assert.equal(status, 200, JSON.stringify(body));
    const [row] = await api.sql`
      select message -> 'dynamic_variables' as variables, metadata from outbound.notifications`;
    const { number, ...variables } = row!.variables;
    assert.equal(number, NUMBER);
    assert.equal(row!.metadata, null);
    assert.equal(withProto(variables), withProto(Object.fromEntries(Object.entries(variables))));
    for (const [name, value] of Object.entries(FIELDS)) {
      assert.equal(
        Object.entries(variables).find(([each]) => each === name.replace("__proto_", "__proto__"))![1],
        value,
      );
    }
  }));

Deno.test("a user id and metadata of our own form stay what they are, and without a number a user id needs its form", () =>
  withApi(async (api) => {
    const base = { ...referring(api, "name"), metadata: { shop: "Madrid" } };
    const good = { number: NUMBER, name: "Ana", user_id: "ES.1349aBc", metadata: { order: "A-1" } };
    assert.equal((await post(api, "/notify", { ...base, contact: good })).status, 200);
    const [row] = await api.sql`select user_id, metadata from outbound.notifications`;
    assert.deepEqual([row!.user_id, row!.metadata], ["ES.1349aBc", { shop: "Madrid", order: "A-1" }]);

    const refused: [JsonObject, string][] = [
      [{ user_id: "cus_12", name: "Ana" }, "contact.user_id"],
      [{ number: NUMBER, name: "Ana", metadata: { text: "x".repeat(1100) } }, "contact.metadata"],
    ];
    for (const [contact, field] of refused) {
      const { status, body } = await post(api, "/notify", { ...base, contact });
      assert.deepEqual([status, body.details?.field], [400, field], JSON.stringify(body));
    }
  }));

/** Contacts that cannot be stored or served, as JSON, with the field that the refusal names. */
const BAD_CONTACTS: Record<string, [json: string, field: string]> = {
  "half a surrogate pair": [`{"number":"34600111333","name":"\\ud83d"}`, "contact.name"],
  "NUL": [`{"number":"34600111333","name":"a\\u0000b"}`, "contact.name"],
  "half a surrogate pair in a name": [`{"number":"34600111333","x\\udfff":"y"}`, "contact"],
  "NUL, deep": [`{"number":"34600111333","metadata":{"a":["\\u0000"]}}`, "contact.metadata"],
  "an object named __proto__": [`{"number":"34600111333","__proto__":{"name":"x"}}`, "contact.__proto__"],
};

Deno.test("a contact that cannot be stored is one entry in errors, also when the response is repeated", () =>
  withApi(async (api) => {
    const base = referring(api, "name");
    const bad = Object.values(BAD_CONTACTS);
    const good = Array.from({ length: 3 }, (_, index) => `{"number":"3460011100${index}","name":"Ana"}`);
    const rawBody = JSON.stringify({ ...base, contacts: "HERE" })
      .replace('"HERE"', `[${[...good, ...bad.map(([json]) => json)].join(",")}]`);
    const send = async () =>
      await api.http.post("/notify", undefined, {
        query: { access_key: api.key.key, details: "true" },
        headers: { "content-type": "application/json", "idempotency-key": "once" },
        rawBody,
      });

    const first = await send();
    const again = await send();

    const { status, body } = first;
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual([body.processed, body.failed], [good.length, bad.length]);
    assert.deepEqual(
      body.errors.map(({ field, contact }: JsonObject) => [field, JSON.stringify(contact)]),
      bad.map(([json, field]) => [field, JSON.stringify(JSON.parse(json))]),
    );
    assert.deepEqual([again.status, again.headers.get("idempotent-replayed")], [200, "true"]);
    assert.equal(JSON.stringify(again.body), JSON.stringify(body));
    assert.deepEqual(await sentTexts(api), good.map(() => "Ana"));
  }));

Deno.test("outside of contacts, text that cannot be stored is refused with the field that holds it", () =>
  withApi(async (api) => {
    const contact = { number: NUMBER, name: "Ana" };
    for (const field of ["campaign_name", "contact"]) {
      const body = {
        ...referring(api, "name"),
        contact,
        [field]: field === "contact" ? { ...contact, city: "HERE" } : "HERE",
      };
      const { status, body: refusal } = await api.http.post("/notify", undefined, {
        query: { access_key: api.key.key },
        headers: { "content-type": "application/json" },
        rawBody: JSON.stringify(body).replace("HERE", "\\ud83d"),
      });
      assert.deepEqual([status, refusal.details?.field], [400, field], JSON.stringify(refusal));
    }
  }));
