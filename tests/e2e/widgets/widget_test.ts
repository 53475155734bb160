import assert from "node:assert/strict";
import { VOICE_TEXTS } from "../../../supabase/functions/_shared/widgets/voice_texts.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";
import { BASE_PATH } from "../../setup/http/http.ts";
import { assertRefused, assertRefusedShortly } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };

const TEXTS = {
  en: { welcome: "Hello", title: "Acme" },
  es: { welcome: "Hola" },
  "pt-BR": { welcome: "Oi" },
};

/** `GET /widget`, with the company's key unless given another. */
function look({ http, key }: Api, widget_id: string, query: Record<string, string> = {}, origin?: string) {
  return http.get("/widget", {
    query: { access_key: key.key, widget_id, ...query },
    headers: origin === undefined ? {} : { origin },
  });
}

Deno.test("GET /widget returns looks, and every text in the language asked for", () =>
  withApi(async (api) => {
    const widget = await insertWidget(api.sql, api.company.id, {
      config: {
        texts: TEXTS,
        colors: { primary: "#aabbcc" },
        position: { placement: "top-left", size: 80 },
        features: { typing: false },
        appearance: "auto",
        launcher: { icon: "mail" },
      },
    });
    const { status, body } = await look(api, widget.id, { lang: "es-MX" });
    const { texts, ...rest } = body;

    assert.equal(status, 200);
    assert.deepEqual(rest, {
      widget_id: widget.id,
      kind: "chat",
      company_name: api.company.name,
      language: "es",
      available_languages: [
        "en",
        "es",
        "pt-BR",
        "pt",
        "fr",
        "de",
        "it",
        "nl",
        "pl",
        "tr",
        "ar",
        "hi",
        "ja",
        "zh",
      ],
      colors: {
        primary: "#aabbcc",
        secondary: "#eef2ff",
        background: "#ffffff",
        text: "#1c1e21",
        accent: "#0b7a4b",
      },
      position: { placement: "top-left", offset_x: 20, offset_y: 20, size: 80 },
      features: {
        typing: false,
        names: true,
        files: false,
        emoji: true,
        rating: true,
        sound: false,
        title_blink: false,
      },
      quick_replies: [],
      open_times: null,
      ask_email_after_minutes: null,
      consent: null,
      assistant: { mode: "off" },
      appearance: "auto",
      dark_colors: {},
      launcher: { paths: ["M3.5 5.5h17v13h-17z", "M3.5 6.5 12 13l8.5-6.5"] },
      logo: null,
      proactive: [],
    });
    const { welcome, title, send } = texts;
    assert.deepEqual({ welcome, title, send }, {
      welcome: "Hola",
      title: "Acme",
      send: "Enviar",
    });
  }, { env }));

Deno.test("a French visitor reads a widget's own texts, which are in English only, and the rest in French", () =>
  withApi(async ({ http, key, sql, company }) => {
    const texts = { en: { welcome: "Hello", title: "Acme", subtitle: "Mondays to Fridays" } };
    const chat = await insertWidget(sql, company.id, { config: { texts } });
    const voice = await insertWidget(sql, company.id, { kind: "voice", config: { texts } });
    const access_key = key.key;

    const { body: look } = await http.get("/widget", {
      query: { access_key, widget_id: chat.id, lang: "fr" },
    });
    const query = { access_key, id_widget: voice.id, language: "fr-CA" };
    const { body: voiceLook } = await http.get("/voice-widget", { query });
    const { body: page } = await http.get<string>("/widgetWebView", {
      query: { customer_id: access_key, widget_id: chat.id, lang: "fr" },
    });

    assert.deepEqual([look.language, voiceLook.language], ["fr", "fr"]);
    const { send, title, welcome, subtitle } = look.texts;
    assert.deepEqual([send, title, welcome, subtitle], ["Envoyer", "Acme", "Hello", "Mondays to Fridays"]);
    assert.deepEqual([voiceLook.texts.welcome, voiceLook.texts.start], ["Hello", VOICE_TEXTS.fr.start]);
    assert.match(page, /<html lang="fr">/);
    assert.ok(page.includes(JSON.stringify(look.texts).slice(1, -1)));
  }, { env }));

Deno.test("GET /widget takes the company's key and a publishable one, under all names", () =>
  withApi(async (api) => {
    const { http, key, sql, company } = api;
    const publishable = await insertPublishableKey(sql, company.id);
    const { id } = await insertWidget(sql, company.id);
    for (const given of [key.key, publishable]) {
      for (const keyName of ["access_key", "customer_id"]) {
        for (const idName of ["widget_id", "id_widget"]) {
          const { status } = await http.get("/widget", { query: { [keyName]: given, [idName]: id } });
          assert.equal(status, 200, `${keyName} ${idName}`);
        }
      }
    }
    const [row] = await sql`select last_used_at from outbound.api_keys where id = ${key.id}`;
    assert.ok(row!.last_used_at, "the use of a key is recorded");
  }, { env }));

Deno.test("GET /widget refuses keys and ids that are no good", () =>
  withApi(async (api) => {
    const { http, key, sql, company } = api;
    const { id } = await insertWidget(sql, company.id);
    const voice = await insertWidget(sql, company.id, { kind: "voice" });
    const off = await insertWidget(sql, company.id, { is_active: false });
    const other = await api.addTenant();
    const revoked = await insertPublishableKey(sql, company.id, { is_active: false });

    const ask = (query: Record<string, string>) => http.get("/widget", { query });
    const unauthorized = { status: 401, error: "unauthorized" };
    assertRefused(await ask({ widget_id: id }), unauthorized);
    assertRefused(await ask({ access_key: "", widget_id: id }), unauthorized);
    assertRefused(await ask({ access_key: "pk_of_nobody_at_all_1234567890", widget_id: id }), unauthorized);
    assertRefused(await ask({ access_key: revoked, widget_id: id }), unauthorized);
    assertRefused(await ask({ access_key: key.key }), {
      status: 400,
      error: "validation_failed",
      details: { field: "widget_id", reason: "required" },
    });
    assertRefused(await look(api, "nonsense"), {
      status: 400,
      error: "validation_failed",
      details: { field: "widget_id", provided: "nonsense", expected_format: "a UUID" },
    });
    assertRefused(await ask({ access_key: key.key, widget_id: id, id_widget: "nonsense" }), {
      status: 400,
      error: "validation_failed",
      details: { field: "id_widget", provided: "nonsense", expected_format: "a UUID" },
    });
    assertRefused(await ask({ access_key: key.key, widget_id: id, id_widget: "" }), {
      status: 400,
      error: "validation_failed",
      details: { field: "id_widget", reason: "required" },
    });
    for (const missing of [crypto.randomUUID(), voice.id, off.id]) {
      assertRefused(await look(api, missing), { status: 404, error: "not_found" }, missing);
    }
    assertRefused(await ask({ access_key: other.key.key, widget_id: id }), {
      status: 404,
      error: "not_found",
    });
    await sql`update outbound.companies set api_access = false where id = ${company.id}`;
    assertRefusedShortly(await look(api, id), 403, "API access is switched off for this company");
  }, { env }));

Deno.test("the use of a widget takes nothing off the rate of the company's key", () =>
  withApi(async (api) => {
    const { sql, company, key } = api;
    const { id } = await insertWidget(sql, company.id);
    await sql`update outbound.api_keys set rate_limit = 1 where id = ${key.id}`;
    for (const _ of [1, 2, 3]) assert.equal((await look(api, id)).status, 200);
    assert.equal((await api.notify()).status, 200);
  }, { env }));

Deno.test("a widget with a list of pages is refused to every other page", () =>
  withApi(async (api) => {
    const allowed_origins = ["https://shop.example", "http://localhost:8080"];
    const { id } = await insertWidget(api.sql, api.company.id, { allowed_origins });

    for (const origin of [...allowed_origins, env.OUTBOUND_WIDGET_URL, api.url, undefined]) {
      assert.equal((await look(api, id, {}, origin)).status, 200, String(origin));
    }
    const strangers = [
      "https://evil.example",
      "https://shop.example.evil.example",
      "null",
      "http://shop.example",
    ];
    for (const origin of strangers) {
      const response = await look(api, id, {}, origin);
      assertRefused(response, { status: 403, error: "forbidden" }, origin);
      assert.equal(response.headers.get("access-control-allow-origin"), "*");
    }
  }, { env }));

Deno.test("pages of any origin may call the widgets' endpoints and read the responses, and no others", () =>
  withApi(async ({ http, url }) => {
    const id = crypto.randomUUID();
    const open = [
      "/widget",
      "/widget/conversations",
      `/widget/conversations/${id}/messages`,
      "/widgetWebView",
    ]
      .concat(
        "/voice-widget",
        "/voice-widget/signed-url",
        "/voice-widget/search",
        "/voice-widget/handoff/end",
      );
    const headers = {
      origin: "https://shop.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization, content-type, last-event-id",
    };
    for (const path of open) {
      const preflight = await fetch(`${url}${BASE_PATH}${path}`, { method: "OPTIONS", headers });
      assert.deepEqual([preflight.status, await preflight.text()], [204, ""], path);
      assert.equal(preflight.headers.get("access-control-allow-origin"), "*", path);
      assert.equal(preflight.headers.get("access-control-allow-methods"), "GET,POST,OPTIONS", path);
      assert.match(
        preflight.headers.get("access-control-allow-headers") ?? "",
        /authorization.*last-event-id/i,
      );
      assert.equal(preflight.headers.get("access-control-allow-credentials"), null, path);
      const { headers: responseHeaders } = await http.get(path, {
        headers: { origin: "https://shop.example" },
      });
      assert.equal(responseHeaders.get("access-control-allow-origin"), "*", path);
    }
    const closed = await fetch(`${url}${BASE_PATH}/notify`, { method: "OPTIONS", headers });
    assert.equal(closed.headers.get("access-control-allow-origin"), null);
    await closed.body?.cancel();
  }, { env }));
