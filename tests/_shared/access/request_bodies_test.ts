import assert from "node:assert/strict";
import { keepsBodies, keptBody } from "../../../supabase/functions/_shared/access/request_bodies.ts";

Deno.test("keptBody() keeps a body without its secrets, wherever they stand", () => {
  const body = {
    name: "Ana",
    key_id: "0192",
    access_key: "outbound_secret",
    nested: [{ Password: "p", apiToken: "t", note: "use outbound_q3V1c2sGmXbY0a7d please" }],
    text: "Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc and whsec_MfKQ9r8GKYqrTwjU",
  };

  assert.deepEqual(JSON.parse(keptBody(JSON.stringify(body))!), {
    name: "Ana",
    key_id: "0192",
    access_key: "…",
    nested: [{ Password: "…", apiToken: "…", note: "use … please" }],
    text: "Bearer … and …",
  });
});

Deno.test("keptBody() keeps no code of an authentication message", () => {
  const body = { notification_type: "authentication", components_push: { body_text_0: "123456" } };

  assert.ok(!keptBody(JSON.stringify(body))!.includes("123456"));
  assert.ok(keptBody(JSON.stringify({ ...body, notification_type: "utility" }))!.includes("123456"));
});

Deno.test("keptBody() keeps 2000 characters and no half of one, and nothing of what is no JSON or too long", () => {
  const kept = keptBody(JSON.stringify({ a: "😀".repeat(5000) }))!;
  assert.equal(kept.isWellFormed(), true);
  assert.ok(kept.length <= 2001);

  for (const text of ["", "number\n34600111222", JSON.stringify({ a: "x".repeat(300_000) })]) {
    assert.equal(keptBody(text), null);
  }
});

Deno.test("keepsBodies() leaves out what names the erased, opens files, or is no API of a company's programs", () => {
  const company = "/manage/companies/{company_id}";
  for (const route of ["/notify", "/notify/voice", `${company}/templates`, `${company}/contacts/consents`]) {
    assert.equal(keepsBodies(route), true, route);
  }
  for (
    const route of [
      ...["/auth", "/auth/refresh", "/api_keys", "/mcp", "/widget", "/voice-widget", "/webhooks/whatsapp"],
      ...[`${company}/contacts/erase`, `${company}/media`, `${company}/media/{media_id}/link`, "/notifyx"],
    ]
  ) assert.equal(keepsBodies(route), false, route);
});
