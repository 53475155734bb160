import assert from "node:assert/strict";
import { PASSWORD, withAuthServer } from "./auth_fixture.ts";

Deno.test("auth: /.well-known/jwks.json shows the public key only, and may be cached", () =>
  withAuthServer(async ({ url }) => {
    const response = await fetch(`${url}/auth/v1/.well-known/jwks.json`);
    const { keys } = await response.json();

    assert.equal(response.headers.get("cache-control"), "public, max-age=600");
    assert.equal(keys.length, 1);
    assert.deepEqual(Object.keys(keys[0]).sort(), ["alg", "crv", "key_ops", "kid", "kty", "use", "x", "y"]);
  }));

Deno.test("auth: requests need one of the project's keys", () =>
  withAuthServer(async ({ url, send }) => {
    const without = await fetch(`${url}/auth/v1/user`);
    const wrong = await send("/user", { headers: { apikey: "sb_publishable_other" } });

    assert.deepEqual([without.status, wrong.status], [401, 401]);
    assert.deepEqual(await without.json(), { message: "No API key found in request" });
    assert.deepEqual(await wrong.json(), { message: "Invalid API key" });
  }));

Deno.test("auth: GET /user without a token, and after the user is gone", () =>
  withAuthServer(async ({ sql, createUser, send, client }) => {
    const { id, email } = await createUser();
    const { data } = await client().auth.signInWithPassword({ email, password: PASSWORD });
    await sql`delete from auth.users where id = ${id}`;

    const without = await send("/user");
    const gone = await send("/user", { headers: { authorization: `bearer ${data.session!.access_token}` } });

    assert.deepEqual(await without.json(), {
      code: 401,
      error_code: "no_authorization",
      msg: "This endpoint requires a valid Bearer token",
    });
    assert.deepEqual(await gone.json(), {
      code: 403,
      error_code: "user_not_found",
      msg: "User from sub claim in JWT does not exist",
    });
  }));

Deno.test("auth: POST /logout refuses an unknown scope", () =>
  withAuthServer(async ({ createUser, send, client }) => {
    const { email } = await createUser();
    const { data } = await client().auth.signInWithPassword({ email, password: PASSWORD });

    const response = await send("/logout?scope=some", {
      method: "POST",
      headers: { authorization: `Bearer ${data.session!.access_token}` },
    });

    assert.equal(response.status, 400);
    assert.equal((await response.json()).error_code, "validation_failed");
  }));

Deno.test("auth: GET /health responds without a key", () =>
  withAuthServer(async ({ url }) => {
    const response = await fetch(`${url}/auth/v1/health`);

    assert.equal(response.status, 200);
    await response.body?.cancel();
  }));

Deno.test("auth: /.well-known/openid-configuration names the issuer, without a key", () =>
  withAuthServer(async ({ url }) => {
    const response = await fetch(`${url}/auth/v1/.well-known/openid-configuration`);

    assert.equal((await response.json()).issuer, `${url}/auth/v1`);
  }));
