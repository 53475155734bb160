import assert from "node:assert/strict";
import { withServices } from "../setup/stack/services.ts";

const CONSOLE = "https://console.acme.test";

async function allowedOrigin(
  t: { app: { fetch(request: Request): Response | Promise<Response> } },
  path: string,
  origin: string,
): Promise<string | null> {
  const headers = { origin, "access-control-request-method": "POST" };
  const response = await t.app.fetch(
    new Request(`http://localhost/functions/v1${path}`, { method: "OPTIONS", headers }),
  );
  return response.headers.get("access-control-allow-origin");
}

Deno.test("pages of the console may call auth, api_keys, manage and mcp, and nothing else; those of other origins neither", () =>
  withServices(async (t) => {
    for (
      const path of [
        "/auth",
        "/api_keys",
        "/mcp",
        "/manage/companies",
        `/manage/companies/${crypto.randomUUID()}/audit`,
      ]
    ) {
      assert.equal(await allowedOrigin(t, path, CONSOLE), CONSOLE, path);
      assert.notEqual(await allowedOrigin(t, path, "https://evil.test"), "https://evil.test", path);
    }
    assert.equal(await allowedOrigin(t, "/notify", CONSOLE), null);
  }, { env: { OUTBOUND_CONSOLE_URL: `${CONSOLE}/app/` } }));

Deno.test("without OUTBOUND_CONSOLE_URL no page may call them", () =>
  withServices(async (t) => {
    assert.equal(await allowedOrigin(t, "/manage/companies", CONSOLE), null);
  }));
