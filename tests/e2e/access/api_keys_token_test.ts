import assert from "node:assert/strict";
import { importJWK, SignJWT } from "jose";
import { createWindowCounter } from "../../../supabase/functions/_shared/concurrency/window_counter.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { type AuthProxy, withAuthProxy } from "../auth/auth_proxy.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

const refused = { status: 401, error: "unauthorized" };

async function listKeys({ http }: Environment, token: string, address = "192.0.2.1") {
  const headers = { authorization: `Bearer ${token}`, "x-forwarded-for": address };
  return await http.post("/api_keys", undefined, { headers });
}

/** Calls `fn` with the service behind a proxy of its own, and an auth server behind another. */
async function withProxiedAuth(
  fn: (environment: Environment, proxy: AuthProxy, token: string, userId: string) => Promise<void>,
): Promise<void> {
  await withAuthProxy((proxy) =>
    withEnvironment(async (environment) => {
      proxy.target = environment.authUrl;
      const user = await environment.createUser();
      const token = await environment.logIn(user);
      environment.keepSecret(token, user.password);
      proxy.seen.length = 0;
      await fn(environment, proxy, token, user.id);
    }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url } })
  );
}

/** As an administrator of the auth server. */
async function administer({ authUrl }: Environment, method: string, path: string, body?: JsonObject) {
  const response = await fetch(`${authUrl}/auth/v1/admin/users/${path}`, {
    method,
    headers: { apikey: "sb_secret_test", "content-type": "application/json" },
    body: JSON.stringify(body ?? {}),
  });
  assert.equal(response.status, 200, await response.text());
}

const ENDINGS: Record<string, (environment: Environment, userId: string, token: string) => Promise<void>> = {
  "deleted": (environment, userId) => administer(environment, "DELETE", userId),
  "banned": (environment, userId) => administer(environment, "PUT", userId, { ban_duration: "1h" }),
  "signed out": async ({ authUrl }, _userId, token) => {
    const response = await fetch(`${authUrl}/auth/v1/logout`, {
      method: "POST",
      headers: { apikey: "sb_publishable_test", authorization: `Bearer ${token}` },
    });
    assert.equal(response.status, 204);
  },
};

for (const [name, end] of Object.entries(ENDINGS)) {
  Deno.test(`POST /api_keys refuses the token of a user who was ${name}, with the next request`, () =>
    withProxiedAuth(async (environment, _proxy, token, userId) => {
      assert.equal((await listKeys(environment, token)).status, 200);
      await end(environment, userId, token);

      assertRefused(await listKeys(environment, token), refused);
      const template = await environment.http.post("/admin/chatapp/create/template", {}, {
        headers: { authorization: `Bearer ${token}` },
      });
      assertRefused(template, refused, "the other endpoint that takes a user's token");
    }));
}

Deno.test("POST /api_keys refuses a banned user whom an older auth server lets pass", () =>
  withProxiedAuth(async (environment, proxy, token, id) => {
    const banned_until = new Date(Date.now() + 60_000).toISOString();
    proxy.respond = (request) =>
      request.url.endsWith("/user") ? Response.json({ id, banned_until }) : undefined;

    assertRefused(await listKeys(environment, token), refused);
  }));

Deno.test("POST /api_keys responds with 502 when the gateway refuses our own key, and with 429 when it is asked too often", () =>
  withProxiedAuth(async (environment, proxy, token) => {
    const respond = (status: number, headers = {}) => {
      const response = Response.json({ message: "Invalid API key" }, { status, headers });
      proxy.respond = (request) => request.url.endsWith("/user") ? response.clone() : undefined;
    };
    for (const status of [401, 404, 500, 503]) {
      respond(status);
      const response = await listKeys(environment, token);
      assertRefused(response, { status: 502, error: "service_unavailable" }, String(status));
      assert.equal(response.body.details.service, "auth");
    }
    respond(429, { "retry-after": "9" });
    const busy = await listKeys(environment, token);
    assertRefused(busy, { status: 429, error: "rate_limit_exceeded" });
    assert.equal(busy.headers.get("retry-after"), "9");
  }));

Deno.test("POST /api_keys responds 502 when the auth server's configuration cannot be read, and asks again", () =>
  withProxiedAuth(async (environment, proxy, token) => {
    for (const respond of [() => new Response("<html>"), () => new Response(null, { status: 401 })]) {
      proxy.respond = respond;
      assertRefused(await listKeys(environment, token), { status: 502, error: "service_unavailable" });
    }
    proxy.respond = undefined;
    assert.equal((await listKeys(environment, token)).status, 200);
  }));

Deno.test("POST /api_keys takes SUPABASE_URL for the issuer of an auth server that publishes none", () =>
  withProxiedAuth(async (environment, proxy, token, sub) => {
    proxy.respond = (request) =>
      request.url.includes("/.well-known/") ? new Response("no route", { status: 404 }) : undefined;
    const exp = Math.floor(Date.now() / 1000) + 60;
    const claims = { iss: `${proxy.url}/auth/v1`, sub, aud: "authenticated", role: "authenticated", exp };
    const header = { alg: "ES256", kid: environment.signingKey.kid! };
    const key = await importJWK(environment.signingKey, "ES256");
    const ours = await new SignJWT(claims).setProtectedHeader(header).sign(key);

    assert.equal((await listKeys(environment, ours)).status, 200);
    assertRefused(await listKeys(environment, token), refused, "issued for the URL behind the proxy");
  }));

/** An unsigned token, with what the test changes. */
function unsigned(claims: JsonObject, header: JsonObject = { alg: "HS256" }): string {
  const encode = (value: unknown) =>
    btoa(JSON.stringify(value)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${encode(header)}.${encode(claims)}.AAAA`;
}

Deno.test("POST /api_keys asks the auth server only about tokens whose claims are in order", () =>
  withProxiedAuth(async (environment, proxy, token) => {
    await listKeys(environment, token);
    proxy.seen.length = 0;
    const good = {
      ...{ iss: `${environment.authUrl}/auth/v1`, sub: crypto.randomUUID(), aud: "authenticated" },
      ...{ role: "authenticated", exp: Math.floor(Date.now() / 1000) + 60 },
    };
    const wrong: JsonObject[] = [
      { iss: "https://elsewhere.test" },
      { iss: undefined },
      { sub: "1" },
      { aud: "anon" },
      { role: "service_role" },
      { exp: 1 },
      { exp: "9999999999" },
      { nbf: good.exp },
      { nbf: "soon" },
    ];
    for (const changes of wrong) {
      assertRefused(
        await listKeys(environment, unsigned({ ...good, ...changes })),
        refused,
        JSON.stringify(changes),
      );
    }
    assertRefused(await listKeys(environment, unsigned(good, { alg: "none" })), refused);
    assertRefused(await listKeys(environment, "bm8.bm8.bm8"), refused);
    assert.deepEqual(proxy.seen.map(({ path }) => path), []);

    assertRefused(await listKeys(environment, unsigned(good)), refused);
    assert.deepEqual(proxy.seen.map(({ path }) => path), ["/auth/v1/user"]);
  }));

Deno.test("POST /api_keys asks the auth server up to 120 times per minute for one address", () => {
  let clock = 0;
  const services = {
    perMinute: createWindowCounter({ windowMs: 60_000, maxSubjects: 10, now: () => clock }),
  };
  return withAuthProxy((proxy) =>
    withEnvironment(async (environment) => {
      proxy.target = environment.authUrl;
      proxy.respond = (request) =>
        request.url.endsWith("/user")
          ? Response.json({ error_code: "bad_jwt", msg: "invalid JWT" }, { status: 403 })
          : undefined;
      const token = unsigned({
        ...{ iss: `${environment.authUrl}/auth/v1`, sub: crypto.randomUUID(), aud: "authenticated" },
        ...{ role: "authenticated", exp: Math.floor(Date.now() / 1000) + 3600 },
      });
      for (let count = 0; count < 120; count++) {
        assert.equal((await listKeys(environment, token)).status, 401);
      }

      const response = await listKeys(environment, token);
      assertRefused(response, { status: 429, error: "rate_limit_exceeded" });
      const { limit, window } = response.body.details;
      assert.deepEqual({ limit, window, wait: response.body.retry_after }, {
        limit: 120,
        window: "60s",
        wait: 60,
      });
      assert.equal((await listKeys(environment, token, "192.0.2.2")).status, 401);
      clock += 60_000;
      assert.equal((await listKeys(environment, token)).status, 401);
    }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url }, services })
  );
});
