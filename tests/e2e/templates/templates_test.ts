import assert from "node:assert/strict";
import type postgres from "postgres";
import { insertSender, insertTemplate, ORDER_COMPONENTS } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";

/** `GET /notify/templates` for a number, with the company's key. */
async function list({ http, key }: Api, phone_number: string) {
  return await http.get<JsonObject[]>("/notify/templates", { query: { access_key: key.key, phone_number } });
}

/** `GET /notify/template/components`, with the company's key. */
async function components({ http, key }: Api, template: string, options: Record<string, string> = {}) {
  const query = { access_key: key.key, template, ...options };
  return await http.get("/notify/template/components", { query });
}

Deno.test("GET /notify/templates returns a bare array of templates as the contract shapes them", () =>
  withApi(async (api) => {
    const { template, sender } = api;
    const response = await list(api, sender.number);

    assert.equal(response.status, 200);
    assert.deepEqual(response.body, [{
      id: template.id,
      name: template.name,
      status: "APPROVED",
      category: "UTILITY",
      language: "en",
      parameter_format: "POSITIONAL",
      components: ORDER_COMPONENTS,
    }]);
  }));

Deno.test("GET /notify/templates writes every status in upper case", () =>
  withApi(async (api) => {
    const statuses = ["pending", "rejected", "disabled"];
    for (const status of statuses) await insertTemplate(api.sql, api.sender, { status });
    const { body } = await list(api, api.sender.number);

    assert.deepEqual(body.map(({ status }) => status).sort(), [
      "APPROVED",
      "DISABLED",
      "PENDING",
      "REJECTED",
    ]);
  }));

Deno.test("GET /notify/templates lists the account of the number asked for, and nothing for a strange number", () =>
  withApi(async (api) => {
    const second = await insertSender(api.sql, api.company.id);
    const theirs = await insertTemplate(api.sql, second);
    const names = async (number: string) => (await list(api, number)).body.map(({ name }) => name);

    assert.deepEqual(await names(api.sender.number), [api.template.name]);
    assert.deepEqual(await names(second.number), [theirs.name]);
    assert.deepEqual(await names("34999999999"), []);
  }));

Deno.test("GET /notify/templates insists on digits", () =>
  withApi(async (api) => {
    assertRefused(await list(api, ""), {
      status: 400,
      error: "validation_failed",
      message: "Missing required field: 'phone_number'",
      details: { field: "phone_number", reason: "required" },
    });
    for (const provided of ["+34600111222", "34 600", "abc", "1".repeat(16), "٣٤٦٠٠"]) {
      assertRefused(await list(api, provided), {
        status: 400,
        error: "validation_failed",
        details: { field: "phone_number", provided, expected_format: "digits only, no '+'" },
      });
    }
  }));

const media = (format: string) => ({ type: "HEADER", format, example: { header_handle: ["4::x"] } });
const url = (address: string) => ({ type: "URL", text: "Go", url: address });

/** Templates and what has to be supplied to send them. */
const TEMPLATES: [name: string, components: JsonObject[], names: string[]][] = [
  ["nothing_dynamic", [
    { type: "HEADER", format: "TEXT", text: "Hours" },
    { type: "BODY", text: "Open at nine" },
    { type: "FOOTER", text: "Shop" },
    { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "Stop" }, url("https://a.example")] },
  ], []],
  ["image", [media("IMAGE"), { type: "BODY", text: "Look" }], ["header_image"]],
  ["video", [media("VIDEO"), { type: "BODY", text: "Look {{1}}" }], ["header_video", "body_text_0"]],
  ["document", [media("DOCUMENT"), { type: "BODY", text: "Look" }], ["header_document"]],
  ["body", [{ type: "BODY", text: "{{2}} and {{1}} and {{3}}" }], [
    "body_text_0",
    "body_text_1",
    "body_text_2",
  ]],
  ["buttons", [
    { type: "BODY", text: "Go" },
    {
      type: "BUTTONS",
      buttons: [
        { type: "QUICK_REPLY", text: "No" },
        url("https://a.example/{{1}}"),
        url("https://a.example"),
        url("https://b.example/{{1}}"),
      ],
    },
  ], ["buttons_url_0", "buttons_url_1"]],
];

Deno.test("GET /notify/template/components names what has to be supplied, by id or by name", () =>
  withApi(async (api) => {
    for (const [name, parts, names] of TEMPLATES) {
      const definition = parts as postgres.JSONValue[];
      const { id } = await insertTemplate(api.sql, api.sender, { name, components: definition });
      const [row] = await api.sql`select platform_template_id as id from outbound.templates where id = ${id}`;
      for (const template of [name, id, row!.id]) {
        const response = await components(api, template);
        assert.deepEqual(
          [response.status, response.body],
          [200, { status: "OK", components: names }],
          template,
        );
        const { values, ...rest } = (await components(api, template, { values: "true" })).body;
        assert.deepEqual(rest, response.body);
        const required = values.filter((value: JsonObject) => value.required);
        assert.deepEqual(required.map(({ name }: JsonObject) => name), names, template);
      }
    }
  }));

Deno.test("GET /notify/template/components takes the approved language of a name, or the one asked for", () =>
  withApi(async (api) => {
    const name = "greeting";
    const version = (language: string, status: string, text: string) =>
      insertTemplate(api.sql, api.sender, { name, language, status, components: [{ type: "BODY", text }] });
    await version("de", "pending", "Hallo");
    await version("fr", "approved", "Salut {{1}}");

    const shown = async (language?: string) => {
      const { body, headers } = await components(api, name, language === undefined ? {} : { language });
      return [body.components, headers.get("content-language")];
    };
    assert.deepEqual(await shown(), [["body_text_0"], "fr"]);
    assert.deepEqual(await shown("de"), [[], "de"]);
    await version("en_US", "approved", "Hello");
    assert.deepEqual(await shown(), [[], "en-US"]);
    assert.deepEqual(await shown("fr"), [["body_text_0"], "fr"]);
    assertRefused(await components(api, name, { language: "it" }), {
      status: 404,
      error: "template_not_found",
    });
  }));

Deno.test("GET /notify/template/components refuses a template that is missing or not named", () =>
  withApi(async (api) => {
    assertRefused(await components(api, ""), {
      status: 400,
      error: "validation_failed",
      message: "Missing required field: 'template'",
      details: { field: "template", reason: "required" },
    });
    for (
      const template of ["no_such_template", crypto.randomUUID(), "x".repeat(10_000), "'; drop table x; --"]
    ) {
      assertRefused(await components(api, template), { status: 404, error: "template_not_found" }, template);
    }
  }));
