import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { notifyBody } from "../../setup/fixtures/notify_body.ts";
import { assertNothingStored, countStored } from "../stored.ts";
import { type Api, withApi } from "../with_api.ts";

const invalid = { status: 400, error: "validation_failed" };

/** One value of every JSON type; `null` counts as left out and has tests of its own. */
const OF_TYPE: Record<string, unknown> = {
  string: "text",
  number: 34600111222,
  boolean: true,
  array: ["x"],
  object: { x: "y" },
};

/** Every field that `POST /notify` knows, with the one type it takes. */
const FIELDS: Record<string, keyof typeof OF_TYPE> = {
  "language_template": "string",
  "name_template": "string",
  "recipient_id": "string",
  "notification_type": "string",
  "campaign_name": "string",
  "name_event": "string",
  "datetime_sending": "string",
  "timezone": "string",
  "components_push": "object",
  "components_push.body_text_0": "string",
  "contact": "object",
  "contact.number": "string",
  "contact.name": "string",
  "contact.first_name": "string",
  "contact.last_name": "string",
  "contact.email": "string",
  "contact.shoe_size": "string",
};

/** A good body with the value at a dotted path replaced. */
function bodyWith(api: Api, path: string, value: unknown): JsonObject {
  const body = structuredClone(notifyBody(api));
  const [first, second] = path.split(".") as [string, string?];
  if (second === undefined) body[first] = value;
  else body[first][second] = value;
  return body;
}

/** Posts a nested body and the same in flat form; both responses must be alike. */
async function postBothForms({ http, key }: Api, body: JsonObject): Promise<TestAnswer<JsonObject>[]> {
  const flat = Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) =>
      ["contact", "components_push"].includes(name) && typeof value === "object" && !Array.isArray(value)
        ? Object.entries(value).map(([child, grandchild]) => [`${name}.${child}`, grandchild])
        : [[name, value]]
    ),
  );
  const query = { access_key: key.key };
  return [
    await http.post("/notify", body, { query }),
    await http.post("/notify", flat, { query: { ...query, unflatten: "true" } }),
  ];
}

Deno.test("POST /notify refuses a value of the wrong type in every field, nested and flat", () =>
  withApi(async (api) => {
    await assertNothingStored(api.sql, async () => {
      for (const [path, type] of Object.entries(FIELDS)) {
        for (const [given, value] of Object.entries(OF_TYPE)) {
          if (given === type) continue;
          const responses = await postBothForms(api, bodyWith(api, path, value));
          for (const response of responses) {
            assertRefused(response, invalid, `${path} as ${given}`);
            assert.equal(response.body.details.field, path, `${path} as ${given}`);
          }
        }
      }
    });
  }));

Deno.test("POST /notify reports a contact of the wrong type in a bulk request and serves the others", () =>
  withApi(async (api) => {
    const wrong = [null, 34600111222, true, "34600111222", ["34600111222"], {}, { number: 34600111222 }, {
      number: null,
    }];
    const contacts = [...wrong, { number: "34600111222", name: "Asha" }];
    const { status, body } = await api.notify({ contact: undefined, contacts });

    assert.deepEqual([status, body.total, body.processed, body.failed], [
      200,
      contacts.length,
      1,
      wrong.length,
    ]);
    assert.deepEqual(body.errors.map(({ contact }: JsonObject) => contact), wrong);
    for (const { reason } of body.errors) assert.match(reason, /contact/);
  }));

Deno.test("POST /notify refuses a field that is far too long", () =>
  withApi(async (api) => {
    const long = "9".repeat(10_000);
    await assertNothingStored(api.sql, async () => {
      for (const path of Object.keys(FIELDS).filter((path) => FIELDS[path] === "string")) {
        for (const response of await postBothForms(api, bodyWith(api, path, long))) {
          assertRefused(response, invalid, path);
          assert.ok(JSON.stringify(response.body).length < 1000, path);
        }
      }
    });
  }));

/** Bodies that are no JSON object, whatever the endpoint. */
const NOT_JSON: Record<string, BodyInit> = {
  "nothing": "",
  "broken": '{"contact":',
  "trailing comma": '{"a":1,}',
  "two values": "{}{}",
  "a form": "email=a&password=b",
  "single quotes": "{'a':1}",
  "NaN": '{"a":NaN}',
  "not UTF-8": new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  "half a surrogate pair in UTF-8": new Uint8Array([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d]),
  "NUL": "\0",
  "an array": "[]",
  "a text": '"text"',
  "a number": "1",
  "null": "null",
  "many brackets": "[".repeat(30_000),
  "deep": `${'{"a":'.repeat(17)}1${"}".repeat(17)}`,
  "very deep": `${'{"a":'.repeat(5_000)}1${"}".repeat(5_000)}`,
  "NUL in a value": '{"campaign_name":"a\\u0000b"}',
  "NUL in a key": '{"a\\u0000b":1}',
  "half a surrogate pair": '{"campaign_name":"\\ud800"}',
  "half a surrogate pair in a key": '{"\\udfff":1}',
  "half a surrogate pair, deep": '{"a":[[{"b":"\\ud83d"}]]}',
  "__proto__": '{"__proto__":{"contact":{"number":"34600111222"}}}',
  "__proto__, deep": '{"contact":{"number":"34600111222","__proto__":{"name":"x"}}}',
  "constructor": '{"constructor":{"prototype":{"admin":true}}}',
};

/** Endpoints that take a body, with the query of a good request. */
const endpointsWithBody = (access_key: string): Record<string, Record<string, string>> => ({
  "/auth": { grant_type: "password" },
  "/auth/refresh": {},
  "/auth/recover": {},
  "/notify": { access_key },
  "/notify/voice": { access_key },
  "/admin/chatapp/create/template": { access_key },
});

/** The `details.provided` of each body that is not an object; never its raw text, which may hold a password. */
const NOT_AN_OBJECT: [rawBody: string, provided: unknown][] = [
  ["", "text that is not JSON"],
  ['{"email":"a@x.test","password":"secret"', "text that is not JSON"],
  ["email=a&password=secret", "text that is not JSON"],
  ['["secret"]', "array"],
  ['"text"', "text"],
  ["1", 1],
  ["true", true],
  ["null", null],
];

Deno.test("a body that is not JSON, or not an object, is named in details with what is expected instead", () =>
  withApi(async ({ http, key }) => {
    const headers = { "content-type": "application/json" };
    for (const [rawBody, provided] of NOT_AN_OBJECT) {
      const details = { field: "body", provided, expected_format: "a JSON object" };
      for (const [path, query] of Object.entries(endpointsWithBody(key.key))) {
        const response = await http.post(path, undefined, { query, headers, rawBody });
        assertRefused(response, { ...invalid, details }, `${path} ${rawBody}`);
      }
    }
  }));

Deno.test("POST /notify and POST /auth refuse a body that is no JSON object of sound text", () =>
  withApi(async ({ http, key, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const [name, rawBody] of Object.entries(NOT_JSON)) {
        const headers = { "content-type": "application/json" };
        const notify = { query: { access_key: key.key }, headers, rawBody };
        assertRefused(await http.post("/notify", undefined, notify), invalid, name);
        const auth = { query: { grant_type: "password" }, headers, rawBody };
        assertRefused(await http.post("/auth", undefined, auth), invalid, name);
      }
    });
    assert.equal(({} as JsonObject).admin, undefined);
  }));

/** Bodies over a limit, with the details that name it. */
const OVER_A_LIMIT: [rawBody: string, details: JsonObject][] = [
  [`{"a":[${"1,".repeat(25_000)}1]}`, {
    ...{ field: "body", provided: "object" },
    expected_format: "a JSON object of at most 20000 values",
  }],
  [`${'{"a":'.repeat(20)}1${"}".repeat(20)}`, {
    ...{ field: "body", provided: "object" },
    expected_format: "a JSON object of at most 16 levels",
  }],
  ['{"campaign_name":"\\ud83d"}', {
    ...{ field: "campaign_name", provided: "" },
    expected_format: "text of valid Unicode without NUL",
  }],
  ['{"contact":{"name":"a\\u0000b"}}', {
    ...{ field: "contact", provided: "" },
    expected_format: "text of valid Unicode without NUL",
  }],
];

Deno.test("a body over a limit is refused with details that name the limit", () =>
  withApi(async ({ http, key }) => {
    const options = { query: { access_key: key.key }, headers: { "content-type": "application/json" } };
    for (const [rawBody, details] of OVER_A_LIMIT) {
      const response = await http.post("/notify", undefined, { ...options, rawBody });
      assertRefused(response, { ...invalid, details }, JSON.stringify(details));
    }
  }));

const WRONG_TYPES = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "application/jsonx",
  "text/json",
  "json",
]
  .concat("application/ld+json", "multipart/form-data", "application/json-patch+json", "*/*", "");

Deno.test("POST /notify and POST /auth insist on Content-Type: application/json", () =>
  withApi(async (api) => {
    const { http, key, sql } = api;
    const rawBody = new TextEncoder().encode(JSON.stringify(notifyBody(api)));
    const post = (path: string, query: Record<string, string>, type: string) =>
      http.post(path, undefined, { query, rawBody, headers: type === "" ? {} : { "content-type": type } });

    await assertNothingStored(sql, async () => {
      for (const type of WRONG_TYPES) {
        for (
          const response of [
            await post("/notify", { access_key: key.key }, type),
            await post("/auth", { grant_type: "password" }, type),
          ]
        ) {
          const details = { field: "Content-Type", provided: type, expected_format: "application/json" };
          assertRefused(response, { ...invalid, details }, type);
        }
      }
    });
    for (
      const type of [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        "application/json;x=y",
      ]
    ) {
      assert.equal((await post("/notify", { access_key: key.key }, type)).status, 200, type);
    }
  }));

/** One flat key of each kind; `unflatten_test.ts` has them all. */
const FLAT_KEYS: JsonObject[] = [
  { "contact.number": "34600111222", contact: { number: "34600111222" } },
  { "contact..number": "34600111222" },
  { [`${"a.".repeat(5000)}a`]: "1" },
  { "contact.__proto__.number": "34600111222" },
];

Deno.test("POST /notify refuses flat keys that collide, are empty, too deep or reach a prototype", () =>
  withApi(async (api) => {
    const { contact: _, components_push: __, ...rest } = notifyBody(api);
    const query = { access_key: api.key.key, unflatten: "true" };
    await assertNothingStored(api.sql, async () => {
      for (const keys of FLAT_KEYS) {
        const response = await api.http.post("/notify", { ...rest, ...keys }, { query });
        assertRefused(response, invalid, Object.keys(keys)[0]);
        assert.ok(JSON.stringify(response.body).length < 1000);
      }
    });
  }));

Deno.test("POST /notify takes unflatten as true or false only", () =>
  withApi(async ({ notify, sql }) => {
    await assertNothingStored(sql, async () => {
      for (const unflatten of ["1", "TRUE", "yes", "", "0", "null", "true,true"]) {
        const response = await notify({}, { query: { unflatten } });
        assertRefused(response, invalid, unflatten);
        assert.equal(response.body.details.field, "unflatten");
      }
    });
    assert.equal((await notify({}, { query: { unflatten: "false" } })).status, 200);
  }));

const SQL_TEXT = "'); drop table campaigns; --";

Deno.test("text that looks like SQL is text like any other", () =>
  withApi(async ({ http, key, notify, status, sql, sandbox, dispatch }) => {
    const accepted = await notify({
      campaign_name: SQL_TEXT,
      components_push: { body_text_0: SQL_TEXT, body_text_1: "$1 %s \\ ${x}" },
    });
    assert.equal((await status(accepted.body.inquiry_set_id)).campaign_name, SQL_TEXT);
    await dispatch();
    const [message] = await sandbox.messages();
    assert.equal(message!.rendered.body, `Hello ${SQL_TEXT}, your order $1 %s \\ \${x} is ready.`);

    const query = { access_key: key.key };
    await assertNothingStored(sql, async () => {
      assertRefused(await notify({ recipient_id: SQL_TEXT }), invalid);
      assertRefused(await notify({ name_template: SQL_TEXT }), invalid);
      assertRefused(await notify({}, { query: { access_key: SQL_TEXT } }), {
        status: 401,
        error: "unauthorized",
      });
      assertRefused(
        await http.get("/notify/templates", { query: { ...query, phone_number: SQL_TEXT } }),
        invalid,
      );
      const lookUp = await http.get("/notify/template/components", {
        query: { ...query, template: SQL_TEXT },
      });
      assertRefused(lookUp, { status: 404, error: "template_not_found" });
      const { body } = await http.get("/notify/status", { query: { ...query, campaign_id: SQL_TEXT } });
      assert.equal(body.message, "Campaign not found");
    });
  }));

/** Query values, percent-encoded by hand, that no text in the database could hold or that are no UTF-8. */
const BAD_QUERY = ["%00", "a%00b", "%ff", "%ED%A0%80", "%", "%zz", "%C0%80"];

Deno.test("a query that is no sound text is refused by every endpoint", () =>
  withApi(async ({ http, key, sql }) => {
    const paths: [method: string, path: string][] = [
      ["GET", "/notify/status?campaign_id=BAD&access_key=KEY"],
      ["GET", "/notify/status?campaign_id=1&access_key=BAD"],
      ["GET", "/notify/templates?phone_number=BAD&access_key=KEY"],
      ["GET", "/notify/templates?phone_number=1&access_key=BAD"],
      ["GET", "/notify/template/components?template=BAD&access_key=KEY"],
      ["GET", "/notify/template/components?template=x&language=BAD&access_key=KEY"],
      ["GET", "/webhooks/whatsapp?hub.mode=subscribe&hub.verify_token=BAD&hub.challenge=1"],
      ["POST", "/notify?unflatten=BAD&access_key=KEY"],
      ["POST", "/notify?access_key=BAD"],
      ["POST", "/auth?grant_type=BAD"],
      ["POST", "/api_keys?x=BAD"],
    ];
    await assertNothingStored(sql, async () => {
      for (const [method, path] of paths) {
        for (const bad of BAD_QUERY) {
          const target = path.replace("BAD", bad).replace("KEY", key.key);
          const { status } = await http.request(method, target, method === "POST" ? {} : undefined);
          assert.ok(status >= 400 && status < 500, `${method} ${target}: ${status}`);
        }
      }
    });
  }));

Deno.test("headers that are not what they should be are refused or ignored, never an error", () =>
  withApi(async ({ http, notify, url, sql }) => {
    const before = await countStored(sql);
    for (const key of ["", " ", "a b", "é", "x".repeat(256)]) {
      const response = await notify({}, { headers: { "idempotency-key": key } });
      assertRefused(response, invalid, key);
      assert.equal(response.body.details.field, "Idempotency-Key");
    }
    assert.match(
      await sendRaw(url, "POST /functions/v1/notify HTTP/1.1\r\nX-Bad: a\0b\r\n\r\n"),
      /^HTTP\/1\.1 400 /,
    );
    assert.deepEqual(await countStored(sql), before);
    assert.equal((await http.get("/health")).status, 200);
  }));

/** Sends bytes that `fetch` would refuse to send, and returns the response. */
async function sendRaw(url: string, text: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(text));
  return await new Response(connection.readable).text();
}
