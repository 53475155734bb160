import assert from "node:assert/strict";
import { CHAT_TEXTS } from "../../../supabase/functions/_shared/widgets/chat_texts.ts";
import { PAGE_SCRIPT } from "../../../supabase/functions/widgetWebView/page_script.ts";
import { eventually } from "../../setup/eventually.ts";
import { BASE_PATH, type JsonObject } from "../../setup/http/http.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";

const OUTBOUND_WIDGET_URL = "https://widgets.example";
const env = { OUTBOUND_WIDGET_URL, OUTBOUND_PUBLIC_URL: "https://api.example/" };

/** `GET /widgetWebView` with both names in the query. */
function view({ http, key }: Api, widget_id: string, query: Record<string, string> = {}) {
  return http.get<string>("/widgetWebView", { query: { customer_id: key.key, widget_id, ...query } });
}

/** The data block of a page. */
function dataOf(page: string): JsonObject {
  return JSON.parse(/<script type="application\/json" id="data">(.*)<\/script>/.exec(page)![1]!);
}

function frameOf(page: string): URL {
  return new URL(/<iframe [^>]*src="([^"]*)"/.exec(page)![1]!.replaceAll("&amp;", "&"));
}

Deno.test("without OUTBOUND_PUBLIC_URL no Host but this machine's becomes an address of the service", () =>
  withApi(async (api) => {
    const { id } = await insertWidget(api.sql, api.company.id);
    const viewUnder = async (host: string) => {
      const url = `http://${host}${BASE_PATH}/widgetWebView/${api.key.key}/${id}`;
      const response = await api.app.fetch(new Request(url));
      return { status: response.status, text: await response.text() };
    };

    const evil = await viewUnder("evil.example");
    const local = await viewUnder("127.0.0.1:54321");

    assert.equal(evil.status, 502);
    assert.match(evil.text, /OUTBOUND_PUBLIC_URL is not set/);
    assert.doesNotMatch(evil.text, /evil\.example/);
    assert.equal(dataOf(local.text).widget.base_url, "http://127.0.0.1:54321/functions/v1");
  }, { env: { OUTBOUND_WIDGET_URL } }));

Deno.test("GET /widgetWebView is a strict page around the chat, in both forms of its path", () =>
  withApi(async (api) => {
    const { id } = await insertWidget(api.sql, api.company.id, {
      config: { texts: { es: { welcome: "Hola" } } },
    });
    const byPath = await api.http.get<string>(`/widgetWebView/${api.key.key}/${id}`, {
      query: { lang: "es", showClose: "false" },
    });
    for (const response of [await view(api, id, { lang: "es", showClose: "false" }), byPath]) {
      const { status, headers, body } = response;
      const frame = frameOf(body);
      const data = dataOf(body);

      assert.equal(status, 200);
      assert.match(headers.get("content-type") ?? "", /^text\/html; charset=utf-8/i);
      assert.equal(`${frame.origin}${frame.pathname}${frame.search}`, `${OUTBOUND_WIDGET_URL}/chat.html`);
      assert.deepEqual(Object.fromEntries(new URLSearchParams(frame.hash.slice(1))), {
        showClose: "false",
        lang: "es",
        api: "https://api.example/functions/v1",
        parent: "https://api.example",
      });
      assert.ok(!frame.href.includes(api.key.key), "no key in an address");
      const { body: look } = await api.http.get("/widget", {
        query: { access_key: api.key.key, widget_id: id, lang: "es" },
      });
      assert.deepEqual(data.widget, {
        ...look,
        access_key: api.key.key,
        base_url: "https://api.example/functions/v1",
      });
      assert.deepEqual(data.customer, { company_id: api.company.id, company_name: api.company.name });
      assert.equal(data.widgetOrigin, OUTBOUND_WIDGET_URL);
      assert.match(body, /<html lang="es">/);
      assert.match(body, /referrerpolicy="no-referrer"/);
    }
  }, { env }));

Deno.test("the web view's policy lets in its own script and style, the widget host, and the widget's pages around it", () =>
  withApi(async (api) => {
    const anywhere = await insertWidget(api.sql, api.company.id);
    const { id } = await insertWidget(api.sql, api.company.id, {
      allowed_origins: ["https://shop.example", "http://localhost:8080"],
    });
    const { headers, body } = await view(api, id);
    const nonces = new Set(Array.from(body.matchAll(/nonce="([^"]+)"/g), (match) => match[1]));
    const [nonce] = nonces;

    assert.equal(nonces.size, 1);
    assert.deepEqual(headers.get("content-security-policy")!.split("; "), [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      `frame-src ${OUTBOUND_WIDGET_URL}`,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors https://shop.example http://localhost:8080",
    ]);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "no-store");
    assert.doesNotMatch(body, /\son\w+=|javascript:|<script(?![^>]*(nonce|application\/json))/i);
    const again = await view(api, anywhere.id);
    assert.ok(!again.body.includes(nonce!), "a nonce is used once");
    assert.doesNotMatch(again.headers.get("content-security-policy")!, /frame-ancestors/);
  }, { env }));

const NASTY = `</script><script>alert(1)</script><!--"'\`<img src=x onerror=alert(1)>&amp;\u2028\${1}{{2}}`;

Deno.test("nothing that a company or a visitor writes becomes markup or script in the web view", () =>
  withApi(async (api) => {
    const config = { texts: { en: { welcome: NASTY, title: NASTY, send: NASTY } } };
    const { id } = await insertWidget(api.sql, api.company.id, { config });
    await api.sql`update outbound.companies set name = ${NASTY} where id = ${api.company.id}`;
    const plain = await view(api, (await insertWidget(api.sql, api.company.id)).id);
    const shape = (page: string) => Array.from(page.matchAll(/<\/?[a-z!][a-z0-9-]*/gi), ([tag]) => tag);

    for (const query of [{}, { lang: NASTY }, { lang: "en", extra: NASTY }]) {
      const { status, body } = await view(api, id, query);
      const data = dataOf(body);
      assert.equal(status, 200);
      assert.deepEqual(shape(body), shape(plain.body));
      assert.deepEqual([data.widget.texts.welcome, data.customer.company_name], [NASTY, NASTY]);
      const block = /id="data">(.*)/.exec(body)![1]!.replace("</script>", "");
      assert.ok(!body.includes("<img") && !/[<>&\u2028]/.test(block));
    }
    for (const query of [{ showClose: NASTY }, { widget_id: NASTY }, { customer_id: NASTY }]) {
      const url = new URL(`${api.url}${BASE_PATH}/widgetWebView`);
      const all = { customer_id: api.key.key, widget_id: id, ...query };
      url.search = new URLSearchParams(all).toString();
      const response = await fetch(url, { headers: { accept: "text/html,*/*;q=0.8" } });
      const page = await response.text();
      assert.ok([400, 403].includes(response.status));
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/);
      assert.match(response.headers.get("content-security-policy") ?? "", /default-src 'none'/);
      assert.ok(!page.includes("<script") && !page.includes("<img"), page);
    }
  }, { env }));

const OWN = { en: { welcome: "Hi! This is Acme." }, es: { welcome: "¡Hola! Somos Acme." } };

/** The company's own texts, the language asked for, and the welcome message that comes. */
const WELCOMES: [texts: Record<string, JsonObject>, lang: string | undefined, welcome: string][] = [
  [OWN, "es", OWN.es.welcome],
  [OWN, "es-MX", OWN.es.welcome],
  [OWN, "de", OWN.en.welcome],
  [OWN, "it", OWN.en.welcome],
  [OWN, "zh", OWN.en.welcome],
  [OWN, undefined, OWN.en.welcome],
  [{ en: OWN.en }, "es", OWN.en.welcome],
  [{}, "es", CHAT_TEXTS.es.welcome],
  [{}, "de", CHAT_TEXTS.de.welcome],
  [{}, "it", CHAT_TEXTS.it.welcome],
  [{}, "sv", CHAT_TEXTS.en.welcome],
];

Deno.test("GET /widgetWebView has the company's welcome in the language asked for, or its default one", () =>
  withApi(async (api) => {
    for (const [texts, lang, welcome] of WELCOMES) {
      const { id } = await insertWidget(api.sql, api.company.id, { config: { texts } });
      const { body } = await view(api, id, lang === undefined ? {} : { lang });
      assert.equal(dataOf(body).widget.texts.welcome, welcome, `${JSON.stringify(texts)} ${lang}`);
    }
  }, { env }));

Deno.test("GET /widgetWebView responds with each status of the contract", () =>
  withApi(async (api) => {
    const { id } = await insertWidget(api.sql, api.company.id);
    const voice = await insertWidget(api.sql, api.company.id, { kind: "voice" });
    const other = await api.addTenant();
    const get = (query: Record<string, string>) => api.http.get("/widgetWebView", { query });
    const key = api.key.key;

    for (const field of ["customer_id", "widget_id"]) {
      const given: Record<string, string> = { customer_id: key, widget_id: id, [field]: "" };
      assertRefused(await get(given), {
        status: 400,
        error: "validation_failed",
        message: `Missing required field: '${field}'`,
        details: { field, reason: "required" },
      });
    }
    for (const wrong of ["1", `${id}x`, "undefined"]) {
      assertRefused(await get({ customer_id: key, widget_id: wrong }), {
        status: 400,
        error: "validation_failed",
      });
      assertRefused(await api.http.get(`/widgetWebView/${key}/${wrong}`), {
        status: 400,
        error: "validation_failed",
      });
    }
    assertRefused(await get({ customer_id: key, widget_id: id, showClose: "1" }), {
      status: 400,
      error: "validation_failed",
    });
    assertRefused(await get({ customer_id: "nobody", widget_id: id }), { status: 403, error: "forbidden" });
    for (const missing of [crypto.randomUUID(), voice.id]) {
      assertRefused(await get({ customer_id: key, widget_id: missing }), { status: 404, error: "not_found" });
    }
    assertRefused(await get({ customer_id: other.key.key, widget_id: id }), {
      status: 404,
      error: "not_found",
    });
    await api.sql`update outbound.companies set api_access = false where id = ${api.company.id}`;
    assertRefused(await get({ customer_id: key, widget_id: id }), { status: 403, error: "forbidden" });
  }, { env }));

Deno.test("GET /widgetWebView responds to a browser with a page during maintenance too", () =>
  withApi(async ({ url, sql, key }) => {
    await sql`insert into outbound.settings (name, value) values ('maintenance', '{"on": true, "until": null}')`;
    const address =
      `${url}${BASE_PATH}/widgetWebView?customer_id=${key.key}&widget_id=${crypto.randomUUID()}`;
    const page = await eventually(async () => {
      const response = await fetch(address, { headers: { accept: "text/html" } });
      const text = await response.text();
      assert.equal(response.status, 503);
      return { type: response.headers.get("content-type"), text };
    });

    assert.match(page.type ?? "", /^text\/html/);
    assert.match(page.text, /under maintenance/);
    assert.ok(!page.text.includes(key.key));
  }, { env }));

Deno.test("GET /widgetWebView says what is missing where no widget host is set", () =>
  withApi(async (api) => {
    const { id } = await insertWidget(api.sql, api.company.id);
    assertRefused(await view(api, id) as never, {
      status: 502,
      error: "service_unavailable",
      details: { service: "widget_host", estimated_recovery: null },
    });
  }));

const SHOP = "https://shop.example";

interface ScriptOptions {
  storage?: "works" | "blocked";
  showClose?: boolean;
  /** The fragment of the page's address. */
  hash?: string;
  /** The values that this browser stored before. */
  kept?: Record<string, string>;
}

/** Runs the page's script in a made-up browser. */
function runScript(options: ScriptOptions = {}) {
  const { storage = "works", showClose = true, hash = "", kept = {} } = options;
  const toFrame: [data: JsonObject, to: string][] = [];
  const toParent: [data: JsonObject, to: string][] = [];
  const frame = { postMessage: (data: JsonObject, to: string) => void toFrame.push([data, to]) };
  const data = {
    widgetOrigin: OUTBOUND_WIDGET_URL,
    showClose,
    userKey: "k",
    storagePrefix: "p:",
    widget: { w: 1 },
    customer: { company_id: "c" },
  };
  const listeners: Record<string, (event: unknown) => void> = {};
  // Keys are properties, as they are in a browser.
  const localStorage = Object.defineProperties(kept, {
    getItem: { value: (name: string) => kept[name] ?? null },
    setItem: { value: (name: string, value: string) => void (kept[name] = value) },
    removeItem: { value: (name: string) => void delete kept[name] },
  });
  const parent = { postMessage: (message: JsonObject, to: string) => void toParent.push([message, to]) };
  const elements: Record<string, unknown> = {
    data: { textContent: JSON.stringify(data) },
    chat: { contentWindow: frame },
  };
  const globals: Record<string, unknown> = {
    document: { getElementById: (id: string) => elements[id] },
    addEventListener: (type: string, added: (event: unknown) => void) => listeners[type] = added,
    parent,
    window: {},
    location: { hash },
    localStorage: storage === "works" ? localStorage : blockedStorage(),
    crypto,
  };
  new Function(...Object.keys(globals), PAGE_SCRIPT)(...Object.values(globals));
  return {
    ...{ toFrame, toParent, kept },
    /** A message of the chat by default. */
    send: (message: unknown, from: JsonObject = {}) =>
      listeners.message!({ origin: OUTBOUND_WIDGET_URL, source: frame, data: message, ...from }),
    /** A message of the page around. */
    sendDown: (data: unknown, origin = SHOP) => listeners.message!({ origin, source: parent, data }),
    /** Another tab of this page changed something. */
    changeElsewhere: (key: string, newValue: string | null) => listeners.storage!({ key, newValue }),
  };
}

function blockedStorage(): unknown {
  return new Proxy({}, { get: blocked, ownKeys: blocked });
}

function blocked(): never {
  throw new DOMException("Blocked", "SecurityError");
}

Deno.test("the web view's script replies to its own iframe, whichever way it asks", () => {
  const page = runScript();
  for (const message of ["get_widget", { type: "get_widget" }, "get_customer", { type: "get_customer" }]) {
    page.send(message);
  }
  const userId = page.kept.k;

  assert.match(userId ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const widget = [{ type: "widget", widget: { w: 1 } }, OUTBOUND_WIDGET_URL];
  const customer = [
    { type: "customer", customer: { company_id: "c", user_id: userId } },
    OUTBOUND_WIDGET_URL,
  ];
  assert.deepEqual(page.toFrame, [widget, widget, customer, customer]);
});

Deno.test("the web view's script ignores other origins, other windows and other messages", () => {
  const page = runScript();
  const strangers = [
    "https://evil.example",
    `${OUTBOUND_WIDGET_URL}.evil.example`,
    "http://widgets.example",
    "null",
    "",
  ];
  for (const origin of strangers) page.send("get_widget", { origin });
  page.send("get_customer", { source: { postMessage: () => {} } });
  page.send("get_customer", { source: null });
  for (
    const message of [null, undefined, 5, [], {}, "outbound:close", "GET_WIDGET", { type: 5 }, "__proto__"]
  ) {
    if (message !== "outbound:close") page.send(message);
  }

  assert.deepEqual([page.toFrame, page.toParent], [[], []]);
});

Deno.test("the web view's script keeps one id for a page where the browser keeps nothing", () => {
  const page = runScript({ storage: "blocked" });
  page.send("get_customer");
  page.send("get_customer");
  const [first, second] = page.toFrame.map(([data]) => data.customer.user_id);

  assert.match(first, /^[0-9a-f-]{36}$/);
  assert.equal(second, first);
});

Deno.test("the web view's script passes on the wish to be closed only where the chat may be closed", () => {
  for (const showClose of [true, false]) {
    const page = runScript({ showClose });
    page.send({ type: "outbound:close" });
    assert.deepEqual(page.toParent, showClose ? [[{ type: "outbound:close" }, "*"]] : []);
  }
});

Deno.test("the web view's script passes on what happens in the chat, and nothing beside it", () => {
  const page = runScript();
  page.send({ type: "outbound:message", author: "operator", text: "secret" });
  page.send({ type: "outbound:handoff", text: "secret" });
  page.send({ type: "outbound:unread", count: 2, text: "secret" });

  assert.deepEqual(page.toParent, [
    [{ type: "outbound:message", author: "operator" }, "*"],
    [{ type: "outbound:handoff" }, "*"],
    [{ type: "outbound:unread", count: 2 }, "*"],
  ]);
});

Deno.test("the web view's script stores what the chat wants stored, and hands on what another tab has stored", () => {
  const page = runScript({ kept: { "p:conversation": "t", "p:old": "o", other: "x" } });
  page.send({ type: "outbound:store", name: "seen", value: "4" });
  page.send({ type: "outbound:store", name: "old", value: null });
  page.send("get_state");
  page.changeElsewhere("p:conversation", "u");
  page.changeElsewhere("other", "y");
  page.send("get_page");

  assert.deepEqual(page.kept, { "p:conversation": "t", "p:seen": "4", other: "x" });
  assert.deepEqual(page.toFrame.map(([data]) => data.type), ["state", "outbound:stored", "page"]);
  assert.deepEqual(page.toFrame[0]![0].state, { stored: { conversation: "u", seen: "4" }, is_shown: true });
  assert.deepEqual(page.toFrame.slice(1).map(([data]) => data), [
    { type: "outbound:stored", name: "conversation", value: "u" },
    { type: "page", page: null },
  ]);
});

const IN_SHOP: ScriptOptions = { hash: `#page=${encodeURIComponent(SHOP)}` };
const STATE = { type: "outbound:state", state: { stored: { conversation: "t" }, is_shown: false } };

Deno.test("the web view's script stores things at the loader's page, at its exact origin, and nothing itself", () => {
  const page = runScript(IN_SHOP);
  page.send("get_customer");
  assert.equal(page.toFrame.length, 0, "nothing is known yet");
  page.sendDown(STATE);
  page.send("get_state");
  page.send("get_customer");
  page.send({ type: "outbound:store", name: "conversation", value: null });
  page.send("get_page");
  page.sendDown({ type: "outbound:page", page: { url: "https://shop.example/cart", title: "Cart" } });
  page.sendDown({ type: "outbound:shown" });

  const userId = page.toFrame.find(([{ type }]) => type === "customer")![0].customer.user_id;
  assert.deepEqual(page.toParent, [
    [{ type: "outbound:get_state" }, SHOP],
    [{ type: "outbound:store", name: "user", value: userId }, SHOP],
    [{ type: "outbound:store", name: "conversation", value: null }, SHOP],
    [{ type: "outbound:get_page" }, SHOP],
  ]);
  assert.deepEqual(page.toFrame.map(([{ type }, to]) => [type, to]), [
    ["state", OUTBOUND_WIDGET_URL],
    ["customer", OUTBOUND_WIDGET_URL],
    ["page", OUTBOUND_WIDGET_URL],
    ["outbound:shown", OUTBOUND_WIDGET_URL],
  ]);
  assert.deepEqual(page.kept, {});
});

Deno.test("the web view's script accepts the loader's page at its exact origin only, and never gives it its own values", () => {
  const kept = { k: crypto.randomUUID(), "p:conversation": "secret" };
  const page = runScript({ ...IN_SHOP, kept });
  for (const origin of ["https://evil.example", `${SHOP}.evil.example`, "http://shop.example", "null"]) {
    page.sendDown(STATE, origin);
  }
  page.send("get_state");
  assert.equal(page.toFrame.length, 0);

  page.sendDown({ type: "outbound:state", state: { stored: {}, is_shown: true } });
  page.send("get_state");
  page.send("get_customer");
  assert.ok(!JSON.stringify([page.toFrame, page.toParent]).includes("secret"));
  assert.notEqual(page.toFrame[1]![0].customer.user_id, kept.k);
});

Deno.test("the web view's script stores things itself where no loader names its page properly", () => {
  for (
    const hash of [
      "",
      "#page=",
      "#page=null",
      "#page=https://shop.example/",
      "#page=javascript:alert(1)",
      "#page=*",
    ]
  ) {
    const page = runScript({ hash });
    page.sendDown(STATE);
    page.send("get_customer");
    page.send({ type: "outbound:store", name: "seen", value: "1" });

    assert.deepEqual([Object.keys(page.kept), page.toParent], [["k", "p:seen"], []], hash);
  }
});
