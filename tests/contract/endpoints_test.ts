import assert from "node:assert/strict";
import type postgres from "postgres";
import { assertRefused } from "../e2e/assert_refused.ts";
import { createTemplate } from "../e2e/templates/create_template.ts";
import { type Api, withApi } from "../e2e/with_api.ts";
import { withEnvironment } from "../e2e/with_environment.ts";
import { insertTemplate } from "../setup/fixtures/fixtures.ts";
import { createTestHttp, type JsonObject } from "../setup/http/http.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";

const invalid = { status: 400, error: "validation_failed" };
const env = { OUTBOUND_WIDGET_URL: "https://widgets.example", OUTBOUND_PUBLIC_URL: "https://api.example" };
const CREATE = "/admin/chatapp/create/template";

/** The endpoints of a company's key that answer a refusal in the long form. */
const OF_A_KEY: [method: string, path: string][] = [
  ["POST", "/notify"],
  ["GET", "/notify/templates"],
  ["GET", "/notify/template/components"],
  ["POST", CREATE],
  ["POST", "/notify/voice"],
  ["GET", `/voice-widget?id_widget=${crypto.randomUUID()}`],
];

Deno.test("all timestamps of a session are ISO 8601 in UTC", () =>
  withEnvironment(async ({ http, createUser, keepSecret }) => {
    const user = await createUser();
    const { email, password } = user;
    const query = { grant_type: "password" };
    const { body: session } = await http.post("/auth", { email, password }, { query });
    keepSecret(session.access_token, session.refresh_token, user.password);
    const { user: shown } = session;
    const [identity] = shown.identities;

    for (const part of [shown, identity]) {
      const times = Object.entries<string>(part).filter(([name]) => name.endsWith("_at"));
      assert.ok(times.length >= 3);
      for (const [name, time] of times) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, name);
    }
  }));

Deno.test("every endpoint of a key responds 401 without one and with an unknown one", () =>
  withApi(async ({ http }) => {
    for (const [method, path] of OF_A_KEY) {
      for (const query of [{}, { access_key: "" }, { access_key: "nonsense" }]) {
        const response = await http.request(method, path, method === "POST" ? {} : undefined, { query });
        assertRefused(response, { status: 401, error: "unauthorized" }, `${method} ${path}`);
      }
    }
  }));

Deno.test("POST endpoints take application/json and nothing else", () =>
  withApi(async ({ http, key }) => {
    const paths = { "/auth": { grant_type: "password" }, "/notify": {}, [CREATE]: {}, "/notify/voice": {} };
    for (const [path, more] of Object.entries(paths)) {
      for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
        const query = { access_key: key.key, ...more };
        const options = { query, headers: { "content-type": type }, rawBody: "{}" };
        const response = await http.post(path, undefined, options);
        assertRefused(response, invalid, `${path} ${type}`);
        assert.equal(response.body.details.field, "Content-Type");
      }
    }
  }));

Deno.test("every field of E7 is required, and named when it is missing", () =>
  withApi(async (api) => {
    const fields = ["company_id", "waba_id", "name_template", "language_template", "category_template"]
      .concat("components_template");
    for (const field of fields) {
      for (const value of [undefined, null]) {
        const details = { field, reason: "required" };
        assertRefused(await createTemplate(api, { [field]: value }), { ...invalid, details });
      }
      const response = await createTemplate(api, { [field]: 5 });
      assertRefused(response, invalid, field);
      assert.deepEqual(Object.keys(response.body.details), ["field", "provided", "expected_format"]);
    }
  }));

Deno.test("one contact gets success, message and inquiry_set_id, and nothing else", () =>
  withApi(async ({ notify }) => {
    const { status, body } = await notify();

    const { inquiry_set_id, ...rest } = body;
    assert.deepEqual([status, rest], [200, { success: true, message: "Notification queued" }]);
    assert.equal(typeof inquiry_set_id, "string");
  }));

Deno.test("a static part of a template cannot be sent", () =>
  withApi(async ({ sql, sender, notify }) => {
    const components: JsonObject[] = [
      { type: "HEADER", format: "TEXT", text: "Hours" },
      { type: "BODY", text: "Open at nine" },
      { type: "FOOTER", text: "Shop" },
      { type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: "No" }] },
    ];
    await insertTemplate(sql, sender, { name: "hours", components: components as postgres.JSONValue[] });
    for (
      const name of ["header_text", "header_text_0", "header", "footer", "quick_reply_0", "buttons_text_0"]
    ) {
      const response = await notify({ name_template: "hours", components_push: { [name]: "x" } });
      assertRefused(response, { status: 422, error: "variable_mismatch" }, name);
      assert.deepEqual(response.body.details.unexpected, [name]);
    }
  }));

/** By header: the extensions of the contract's kinds, and others. */
const KINDS: Record<string, [taken: string[], refused: string[]]> = {
  image: [["jpg", "jpeg", "png", "gif", "JPG"], ["webp", "mp4", "pdf"]],
  video: [["mp4", "avi", "mov"], ["mkv", "jpg"]],
  document: [["pdf", "doc", "xls", "ppt"], ["txt", "mp4"]],
};

/** Makes a template with each media header, and returns what `POST /notify` responds to a link in it. */
async function withMedia({ sql, sender, notify }: Api) {
  for (const kind of Object.keys(KINDS)) {
    const components = [{ type: "HEADER", format: kind.toUpperCase() }, { type: "BODY", text: "Look" }];
    await insertTemplate(sql, sender, { name: `with_${kind}`, components });
  }
  return (kind: string, link: string) =>
    notify({ name_template: `with_${kind}`, components_push: { [`header_${kind}`]: link } });
}

Deno.test("media headers take links of the listed kinds, and no other", () =>
  withApi(async (api) => {
    const send = await withMedia(api);
    for (const [kind, [taken, refused]] of Object.entries(KINDS)) {
      for (const extension of taken) {
        assert.equal((await send(kind, `https://files.example.com/a.${extension}`)).status, 200, extension);
      }
      for (const extension of refused) {
        assertRefused(await send(kind, `https://files.example.com/a.${extension}`), invalid, extension);
      }
    }
  }));

Deno.test("media on a host that is not public is refused", () =>
  withApi(async (api) => {
    const send = await withMedia(api);
    const hosts = ["127.0.0.1", "localhost", "10.0.0.1", "192.168.1.1", "169.254.0.1", "[::1]", "2130706433"];
    for (const host of [...hosts, "user:secret@files.example.com"]) {
      const response = await send("image", `https://${host}/a.png`);
      assertRefused(response, invalid, host);
      assert.equal(response.body.details.field, "components_push.header_image");
    }
  }));

Deno.test("showClose is true when absent, and takes true and false alone", () =>
  withApi(async ({ http, sql, company, key }) => {
    const { id: widget_id } = await insertWidget(sql, company.id);
    const view = (query: Record<string, string>) =>
      http.get<string>("/widgetWebView", { query: { customer_id: key.key, widget_id, ...query } });
    for (const [given, shown] of [[undefined, true], ["true", true], ["false", false]] as const) {
      const { body } = await view(given === undefined ? {} : { showClose: given });
      assert.ok(body.includes(`"showClose":${shown}`), `${given}`);
    }
    for (const showClose of ["0", "TRUE", "no"]) {
      assertRefused(await view({ showClose }) as never, invalid, showClose);
    }
  }, { env }));

Deno.test("a fault inside is a 500 of every endpoint, in the endpoint's form", () =>
  withApi(async (api) => {
    const http = createTestHttp(api.url); // of its own: elsewhere a 500 is a failure
    await api.sql`alter table outbound.api_keys rename to lost_keys`;
    await api.sql`alter table outbound.login_attempts rename to lost_attempts`;
    const query = { access_key: api.key.key, grant_type: "password", campaign_id: crypto.randomUUID() };
    const body = { email: "a@example.com", password: "secret-secret" };
    for (const [method, path] of [...OF_A_KEY, ["POST", "/auth"] as const]) {
      const response = await http.request(method, path, method === "POST" ? body : undefined, { query });
      assertRefused(response, { status: 500, error: "internal_error" }, path);
      assert.match(response.body.request_id, /^req_/);
    }
    const status = await http.get("/notify/status", { query });
    assert.deepEqual([status.status, Object.keys(status.body)], [500, ["success", "message"]]);
    const view = await http.get(`/widgetWebView/${api.key.key}/${crypto.randomUUID()}`);
    assert.equal(view.status, 500);
  }, { env }));
