import assert from "node:assert/strict";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";

const LOGO = "data:image/png;base64,iVBORw0KGgo=";

const CONFIG = {
  texts: { en: { title: "Acme", launcher_text: "Help?" } },
  logo: LOGO,
  launcher: { path: "M4 12h16" },
  proactive: [
    { texts: { en: "Hello", "pt-BR": "Oi" }, path: "/pricing", delay_s: 3 },
    { texts: { fr: "Bonjour" } },
  ],
};

/** `GET /widget/look` as a page. */
function page({ http, key }: Api, widget_id: string, query: Record<string, string> = {}) {
  return http.get<string>("/widget/look", { query: { access_key: key.key, widget_id, ...query } });
}

/** Returns the message of the page, and the origin that it is for. */
function posted(html: string): [message: { theme: Record<string, unknown> }, origin: string] {
  const [, call] = /parent\.postMessage\((.*)\);/.exec(html)!;
  return JSON.parse(`[${call}]`);
}

Deno.test("GET /widget?part=button returns the texts of the button alone, and no logo", () =>
  withApi(async ({ http, key, sql, company }) => {
    const { id } = await insertWidget(sql, company.id, { config: CONFIG });
    const query = { access_key: key.key, widget_id: id };

    const { body } = await http.get("/widget", { query: { ...query, part: "button", lang: "pt" } });
    const { body: whole } = await http.get("/widget", { query });

    assert.deepEqual(Object.keys(body.texts).sort(), [
      ...["close_label", "launcher_text", "new_messages", "open_label", "retry", "title", "unavailable"],
    ]);
    assert.deepEqual([body.logo, whole.logo], [null, LOGO]);
    assert.deepEqual(body.launcher, { paths: ["M4 12h16"] });
    assert.equal(whole.texts.welcome, "Hello! How can we help?");
    assertRefused(await http.get("/widget", { query: { ...query, part: "all" } }), {
      status: 400,
      error: "validation_failed",
    });
  }));

Deno.test("a greeting is in the visitor's language, or else in one that it has", () =>
  withApi(async ({ http, key, sql, company }) => {
    const { id } = await insertWidget(sql, company.id, { config: CONFIG });
    const inLanguage = async (lang: string) => {
      const { body } = await http.get("/widget", { query: { access_key: key.key, widget_id: id, lang } });
      return body.proactive;
    };

    assert.deepEqual(await inLanguage("pt-BR"), [
      { text: "Hello", path: "/pricing", delay_s: 3 },
      { text: "Bonjour", path: "/*", delay_s: 10 },
    ]);
    assert.equal((await inLanguage("fr"))[1].text, "Bonjour");
  }));

Deno.test("GET /widget/look posts the look to the page that it names, and to no other", () =>
  withApi(async (api) => {
    const texts = { en: { title: "</script><script>alert(1)</script>" } };
    const { id } = await insertWidget(api.sql, api.company.id, { config: { texts } });

    const { status, body, headers } = await page(api, id, { page_origin: "https://shop.example" });

    assert.equal(status, 200);
    assert.match(
      headers.get("Content-Security-Policy")!,
      /^default-src 'none'; script-src 'nonce-[\w-]{24}';/,
    );
    assert.equal(headers.get("Cache-Control"), "no-store");
    assert.equal(body.match(/<script/g)!.length, 1);
    const [message, origin] = posted(body);
    assert.equal(origin, "https://shop.example");
    assert.equal((message.theme.texts as Record<string, string>).title, texts.en.title);
    for (const page_origin of ["null", "*", "https://shop.example/'", "javascript:alert(1)"]) {
      assert.equal(posted((await page(api, id, { page_origin })).body)[1], "*");
    }
  }));

Deno.test("GET /widget/look posts what the button needs, and no more", () =>
  withApi(async (api) => {
    const { id } = await insertWidget(api.sql, api.company.id, { config: CONFIG });

    const [{ theme }] = posted((await page(api, id)).body);

    assert.deepEqual(Object.keys(theme).sort(), [
      ...["appearance", "colors", "dark_colors", "features", "launcher", "position", "proactive", "texts"],
    ]);
    assert.deepEqual(theme.features, { sound: false, title_blink: false });
  }));

Deno.test("GET /widget/look refuses what GET /widget refuses", () =>
  withApi(async (api) => {
    const { id } = await insertWidget(api.sql, api.company.id, { allowed_origins: ["https://shop.example"] });

    const elsewhere = await page(api, id, { page_origin: "https://evil.example" });
    assertRefused(elsewhere as never, { status: 403, error: "forbidden" });
    assert.equal((await page(api, id, { page_origin: "https://shop.example" })).status, 200);
    assertRefused(await page(api, crypto.randomUUID()) as never, { status: 404, error: "not_found" });
    assertRefused(await page(api, "none") as never, { status: 400, error: "validation_failed" });
    assertRefused(await page(api, id, { access_key: "pk_none" }) as never, {
      status: 401,
      error: "unauthorized",
    });
  }));
