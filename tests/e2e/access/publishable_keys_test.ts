import assert from "node:assert/strict";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";
import { openChat } from "../widgets/open_chat.ts";
import { withApi } from "../with_api.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };

/** The routes a publishable key opens, with the status of a good request; voice is not set up in this test. */
const OPEN: Record<string, number> = {
  "get /widget": 200,
  "get /widget/look": 200,
  "post /widget/conversations": 200,
  "get /widgetWebView": 200,
  "get /widgetWebView/{customer_id}/{widget_id}": 200,
  "get /voice-widget": 200,
  "get /voice-widget/signed-url": 502,
};

/** Routes that ask for no key, or for something else than a key. */
const OTHERS: Record<string, number> = {
  "post /auth": 400,
  "post /auth/refresh": 400,
  "post /auth/recover": 400,
  "get /health": 200,
  "get /mcp/.well-known/oauth-protected-resource": 200,
  "get /openapi": 200,
  "get /openapi.json": 200,
  "get /webhooks/whatsapp": 403,
  // The token in the path is all that it asks for.
  "get /manage/linked_media/{token}": 404,
  "get /widget/pictures/{company_id}/{token}/{picture_id}": 404,
  // The contract's form of an invalid key.
  "get /notify/status": 404,
};

Deno.test("a publishable key opens the widgets' endpoints, and is refused by every other one", () =>
  withApi(async (api) => {
    const { http, sql, company } = api;
    const chat = await openChat(api);
    const voice = await insertWidget(sql, company.id, { kind: "voice" });
    const key = await insertPublishableKey(sql, company.id);
    await insertMember(sql, company.id);
    const { body: document } = await http.get("/openapi.json");

    for (const [template, methods] of Object.entries<JsonObject>(document.paths)) {
      for (const method of Object.keys(methods)) {
        const operation = `${method} ${template}`;
        const path = template.replace("{customer_id}", key).replace("{widget_id}", chat.widget.id)
          .replace("{conversation_id}", chat.id);
        const query = {
          ...{ access_key: key, customer_id: key, widget_id: chat.widget.id, campaign_id: chat.id },
          ...{ id_widget: template.startsWith("/voice") ? voice.id : chat.widget.id },
        };
        const body = method === "post" ? { user_id: crypto.randomUUID(), handoff_id: chat.id } : undefined;
        const { status } = await http.request(method.toUpperCase(), path, body, { query });

        assert.equal(status, OPEN[operation] ?? OTHERS[operation] ?? 401, operation);
      }
    }
    assert.equal((await api.notify({}, { query: { access_key: key } })).status, 401);
  }, { env }));

Deno.test("a publishable key ends when it is revoked, and the others of the company stay", () =>
  withApi(async ({ http, sql, company }) => {
    const { id } = await insertWidget(sql, company.id);
    const [first, second] = [
      await insertPublishableKey(sql, company.id),
      await insertPublishableKey(sql, company.id),
    ];
    await sql`update outbound.publishable_keys set is_active = false where key = ${first}`;
    const status = async (access_key: string) =>
      (await http.get("/widget", { query: { access_key, widget_id: id } })).status;

    assert.deepEqual([await status(first), await status(second)], [401, 200]);
  }, { env }));
