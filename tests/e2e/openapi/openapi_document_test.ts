import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { withServices } from "../../setup/stack/services.ts";

/** The statuses that the contract and the design give each endpoint. */
const STATUSES: Record<string, number[]> = {
  "post /auth": [200, 400, 401, 413, 429, 500, 502, 503],
  "post /auth/refresh": [200, 400, 401, 413, 429, 500, 502, 503],
  "post /auth/logout": [204, 401, 429, 500, 502, 503],
  "post /auth/recover": [204, 400, 413, 429, 500, 503],
  "post /auth/password": [204, 400, 401, 403, 413, 429, 500, 502, 503],
  "get /auth/factors": [200, 401, 429, 500, 502, 503],
  "post /auth/factors": [200, 400, 401, 403, 413, 429, 500, 502, 503],
  "post /auth/factors/{factor_id}/verify": [200, 400, 401, 403, 404, 413, 429, 500, 502, 503],
  "get /auth/authorizations/{authorization_id}": [200, 401, 403, 404, 429, 500, 502, 503],
  "post /auth/authorizations/{authorization_id}": [200, 400, 401, 403, 404, 413, 429, 500, 502, 503],
  "delete /auth/factors/{factor_id}": [204, 401, 403, 404, 429, 500, 502, 503],
  "post /api_keys": [200, 400, 401, 403, 500, 502, 503],
  "post /notify": [200, 400, 401, 403, 404, 413, 422, 429, 500, 503],
  "post /notify/voice": [200, 400, 401, 403, 404, 413, 422, 429, 500, 503],
  "get /notify/status": [200, 400, 404, 500, 503],
  "get /notify/templates": [200, 400, 401, 403, 429, 500, 503],
  "get /notify/template/components": [200, 400, 401, 403, 404, 429, 500, 503],
  "post /admin/chatapp/create/template": [200, 400, 401, 403, 409, 413, 422, 429, 500, 502, 503],
  "get /widget": [200, 400, 401, 403, 404, 500, 503],
  "post /widget/conversations": [200, 400, 401, 403, 404, 413, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/messages": [200, 400, 401, 403, 404, 409, 413, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/files": [
    ...[200, 400, 401, 403, 408, 409, 413, 429, 500, 502, 503],
  ],
  "get /widget/conversations/{conversation_id}/messages/{sequence}/file": [
    ...[200, 400, 401, 403, 404, 429, 500, 503],
  ],
  "get /widget/conversations/{conversation_id}/messages": [200, 400, 401, 403, 404, 429, 500, 503],
  "get /widget/conversations/{conversation_id}/events": [200, 400, 401, 403, 404, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/handoff": [204, 401, 403, 409, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/typing": [204, 400, 401, 403, 404, 413, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/read": [204, 400, 401, 403, 404, 413, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/email": [204, 400, 401, 403, 404, 413, 429, 500, 503],
  "post /widget/conversations/{conversation_id}/rating": [204, 400, 401, 403, 404, 409, 413, 429, 500, 503],
  "get /widget/pictures/{company_id}/{token}/{picture_id}": [200, 404, 429, 500, 502, 503],
  "get /widget/look": [200, 400, 401, 403, 404, 429, 500, 503],
  "get /widgetWebView": [200, 400, 403, 404, 500, 503],
  "get /widgetWebView/{customer_id}/{widget_id}": [200, 400, 403, 404, 500, 503],
  "get /voice-widget": [200, 400, 401, 403, 404, 500, 503],
  "get /voice-widget/signed-url": [200, 400, 401, 403, 404, 429, 500, 502, 503],
  "post /voice-widget/search": [200, 400, 401, 403, 413, 429, 500, 503],
  "post /voice-widget/feedback": [200, 400, 401, 403, 413, 429, 500, 503],
  "post /voice-widget/handoff": [200, 400, 401, 403, 413, 429, 500, 502, 503],
  "post /voice-widget/handoff/end": [200, 400, 401, 403, 404, 413, 429, 500, 503],
  "post /voice-widget/handoff/join": [200, 400, 401, 403, 404, 413, 429, 500, 503],
  "get /voice-widget/chat-by-conversation": [200, 400, 401, 403, 404, 429, 500, 502, 503],
  "post /mcp": [200, 202, 400, 401, 403, 413, 429, 500, 502, 503],
  "get /mcp/.well-known/oauth-protected-resource": [200, 502],
  "get /health": [200, 503],
  "get /openapi": [200],
  "get /openapi.json": [200],
  "get /webhooks/whatsapp": [200, 403],
  "post /webhooks/whatsapp": [200, 400, 401, 413],
  "post /webhooks/voice": [200, 400, 401, 413],
  "post /dispatch": [202, 401],
};

Deno.test("GET /openapi.json describes every endpoint with every status it may return", () =>
  withServices(async ({ http }) => {
    const { body } = await http.get("/openapi.json");

    assert.match(body.openapi, /^3\.1\./);
    assert.deepEqual(body.servers, [{ url: "/functions/v1" }]);
    const operations = Object.entries<JsonObject>(body.paths)
      // tests/manage/members/roles_test.ts is about those of companies.
      .filter(([path]) => !path.startsWith("/manage/"))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    assert.deepEqual(operations.sort(), Object.keys(STATUSES).sort());
    for (const [operation, statuses] of Object.entries(STATUSES)) {
      const [method, path] = operation.split(" ") as [string, string];
      const { responses, summary } = body.paths[path][method];
      const missing = statuses.filter((status) => responses[status] === undefined);
      assert.deepEqual(missing, [], operation);
      assert.ok(summary, operation);
    }
  }));

Deno.test("GET /openapi, the form that Supabase can serve, returns the same document", () =>
  withServices(async ({ http }) => {
    const [short, long] = [await http.get("/openapi"), await http.get("/openapi.json")];

    assert.equal(short.status, 200);
    assert.deepEqual(short.body, long.body);
  }));

Deno.test("GET /openapi.json resolves: every reference leads somewhere, and every schema is used", () =>
  withServices(async ({ http }) => {
    const { body } = await http.get("/openapi.json");
    const references = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
    // Clients read an event of any type as this union; the section `webhooks` names its members.
    const used = new Set(["WebhookEvent", ...references.map(([, name]) => name)]);

    assert.deepEqual([...used].sort(), Object.keys(body.components.schemas).sort());
  }));

Deno.test("GET /openapi.json says what a template may hold", () =>
  withServices(async ({ http }) => {
    const { body } = await http.get("/openapi.json");
    const { TemplateRequest, TemplateComponentsRequest } = body.components.schemas;

    assert.deepEqual(TemplateRequest.required, [
      "company_id",
      "waba_id",
      "name_template",
      "language_template",
      "category_template",
      "components_template",
    ]);
    assert.deepEqual(TemplateRequest.properties.category_template.enum, [
      "MARKETING",
      "UTILITY",
      "AUTHENTICATION",
    ]);
    const { BODY, BUTTONS } = TemplateComponentsRequest.properties;
    assert.equal(BODY.properties.text.maxLength, 1024);
    assert.equal(JSON.stringify(BUTTONS).includes('"maxItems":10'), true);
  }));
