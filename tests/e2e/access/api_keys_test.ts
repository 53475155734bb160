import assert from "node:assert/strict";
import { importJWK, type JWK, SignJWT, UnsecuredJWT } from "jose";
import { rotateKey, setKeyActive } from "../../setup/fixtures/keys.ts";
import { addUser as addUserToCompanies, removeUser } from "../../../cli/user/actions.ts";
import { insertCompany, insertKey, insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

/** `POST /api_keys` with a token. */
async function listKeys({ http }: Environment, token: string) {
  return await http.post("/api_keys", undefined, { headers: { authorization: `Bearer ${token}` } });
}

/** A logged-in user and their token. */
async function addUser(environment: Environment): Promise<{ id: string; token: string }> {
  const user = await environment.createUser();
  const token = await environment.logIn(user);
  environment.keepSecret(token, user.password);
  return { id: user.id, token };
}

/** A company of the user's, with or without a key. */
async function addCompany(
  environment: Environment,
  userId: string,
  fields: { name: string; key?: boolean; api_access?: boolean },
) {
  const { key: withKey = true, ...columns } = fields;
  const company = await insertCompany(environment.sql, columns);
  await insertMember(environment.sql, company.id, userId);
  const key = withKey ? (await insertKey(environment.sql, company.id)).key : undefined;
  if (key) environment.keepSecret(key);
  return { ...company, key };
}

Deno.test("POST /api_keys lists the current key of each of the user's companies, and of no other", () =>
  withEnvironment(async (environment) => {
    const [user, stranger] = [await addUser(environment), await addUser(environment)];
    const second = await addCompany(environment, user.id, { name: "Bolt" });
    const first = await addCompany(environment, user.id, { name: "Acme" });
    await addCompany(environment, user.id, { name: "Keyless", key: false });
    await addCompany(environment, stranger.id, { name: "Elsewhere" });
    await environment.http.get("/notify/templates", { query: { access_key: first.key!, phone_number: "1" } });
    const { status, body } = await listKeys(environment, user.token);

    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["validApiKeys"]);
    const { last_used, ...used } = body.validApiKeys[0];
    assert.deepEqual(used, { company_id: first.id, key: first.key, is_active: true, company_name: "Acme" });
    assert.ok(Math.abs(Date.parse(last_used) - Date.now()) < 60_000 && last_used.endsWith("Z"), last_used);
    assert.deepEqual(body.validApiKeys.slice(1), [{
      ...{ company_id: second.id, key: second.key, is_active: true, last_used: null, company_name: "Bolt" },
    }]);
  }));

Deno.test("POST /api_keys leaves an audit row in each company whose key it shows, and in no other", () =>
  withEnvironment(async (environment) => {
    const { id, token } = await addUser(environment);
    const shown = await Promise.all(["Acme", "Bolt"].map((name) => addCompany(environment, id, { name })));
    await addCompany(environment, id, { name: "Keyless", key: false });

    await listKeys(environment, token);

    const rows = await environment.sql`
      select a.company_id, a.actor, a.subject = k.id::text as is_key
      from outbound.audit_log as a join outbound.api_keys as k on k.company_id = a.company_id
      where a.action = 'key.shown' order by a.company_id`;
    assert.deepEqual(
      [...rows],
      shown.map((company) => ({ company_id: company.id, actor: `user:${id}`, is_key: true }))
        .sort((one, other) => one.company_id < other.company_id ? -1 : 1),
    );
  }));

Deno.test("POST /api_keys returns an empty array while no key was created, or the user has no company", () =>
  withEnvironment(async (environment) => {
    const { id, token } = await addUser(environment);
    assert.deepEqual((await listKeys(environment, token)).body, { validApiKeys: [] });
    await addCompany(environment, id, { name: "Keyless", key: false });
    assert.deepEqual((await listKeys(environment, token)).body, { validApiKeys: [] });
  }));

Deno.test("POST /api_keys shows a revoked key as not active, and a rotated one no more", () =>
  withEnvironment(async (environment) => {
    const { id, token } = await addUser(environment);
    const company = await addCompany(environment, id, { name: "Acme" });
    const shown = async () => {
      const { body } = await listKeys(environment, token);
      return body.validApiKeys.map(({ key, is_active }: JsonObject) => [key, is_active]);
    };

    await setKeyActive(environment.services, { companyId: company.id, isActive: false });
    assert.deepEqual(await shown(), [[company.key, false]]);
    const { key } = await rotateKey(environment.services, { companyId: company.id });
    assert.deepEqual(await shown(), [[key, true]]);
  }));

Deno.test("POST /api_keys leaves out a key that is another company's or sealed with an unknown secret, and logs it", () =>
  withEnvironment(async (environment) => {
    const { id, token } = await addUser(environment);
    const good = await addCompany(environment, id, { name: "Acme" });
    const moved = await addCompany(environment, id, { name: "Bolt" });
    const unknown = await addCompany(environment, id, { name: "Coil" });
    await environment.sql`
      update outbound.api_keys set key_sealed = (
        select key_sealed from outbound.api_keys where company_id = ${good.id}
      ) where company_id = ${moved.id}`;
    await environment.sql`
      update outbound.api_keys set key_sealed = 'unknown.' || split_part(key_sealed, '.', 2)
      where company_id = ${unknown.id}`;

    const { status, body } = await listKeys(environment, token);

    assert.equal(status, 200);
    assert.deepEqual(body.validApiKeys.map(({ key, company_id }: JsonObject) => [key, company_id]), [
      [good.key, good.id],
    ]);
    const logged = environment.logs.filter((line) => line.includes("an access key cannot be opened"));
    assert.deepEqual([moved, unknown].map(({ id }) => logged.filter((line) => line.includes(id)).length), [
      1,
      1,
    ]);
  }));

Deno.test("POST /api_keys responds with 403 naming every company without API access", () =>
  withEnvironment(async (environment) => {
    const { id, token } = await addUser(environment);
    await addCompany(environment, id, { name: "Open" });
    const first = await addCompany(environment, id, { name: "Closed A", api_access: false });
    const second = await addCompany(environment, id, { name: "Closed B", api_access: false, key: false });
    const { status, body } = await listKeys(environment, token);

    const { message, ...rest } = body;
    assert.equal(status, 403);
    assert.match(message, /Closed A.*Closed B/);
    assert.deepEqual(rest, {
      success: false,
      deniedCompanies: [first, second].map(({ id, name }) => ({
        ...{ company_id: id, company_name: name, access: false },
      })),
    });
  }));

Deno.test("POST /api_keys shows a company to a user from the moment they are added until they are removed", () =>
  withEnvironment(async (environment) => {
    const { id, token } = await addUser(environment);
    const company = await insertCompany(environment.sql, { name: "Acme" });
    const { key } = await insertKey(environment.sql, company.id);
    environment.keepSecret(key);
    const shown = async () =>
      (await listKeys(environment, token)).body.validApiKeys.map((entry: JsonObject) => entry.key);
    const settings = { supabaseUrl: environment.authUrl, supabaseSecretKey: "sb_secret_test" };
    const change = { user: id, companyIds: [company.id] };

    assert.deepEqual(await shown(), []);
    await addUserToCompanies({ sql: environment.sql, ...settings }, change);
    assert.deepEqual(await shown(), [key]);
    await removeUser({ sql: environment.sql, authServer: () => settings }, change);
    assert.deepEqual(await shown(), []);
  }));

/** Signs a token as the auth server would, changed as the test says. */
async function sign(
  { signingKey, authUrl }: Environment,
  changes: JsonObject,
  key: JWK = signingKey,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: `${authUrl}/auth/v1`,
    aud: "authenticated",
    role: "authenticated",
    iat: now,
    exp: now + 60,
  };
  const header = { alg: "ES256", kid: key.kid!, typ: "JWT" };
  return await new SignJWT({ ...claims, ...changes }).setProtectedHeader(header).sign(
    await importJWK(key, "ES256"),
  );
}

Deno.test("POST /api_keys takes a token of the auth server's key, for the audience alone or among others", () =>
  withEnvironment(async (environment) => {
    const { id } = await addUser(environment);
    for (const aud of ["authenticated", ["other", "authenticated"]]) {
      assert.equal((await listKeys(environment, await sign(environment, { sub: id, aud }))).status, 200);
    }
  }));

Deno.test("POST /api_keys refuses a token that is expired, forged or meant for something else", () =>
  withEnvironment(async (environment) => {
    const { id: sub, token } = await addUser(environment);
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    const foreign = await crypto.subtle.exportKey("jwk", pair.privateKey) as JWK;
    const [head, claims, signature] = token.split(".") as [string, string, string];
    const tokens: Record<string, string> = {
      "expired": await sign(environment, { sub, exp: Math.floor(Date.now() / 1000) - 1 }),
      "not valid yet": await sign(environment, { sub, nbf: Math.floor(Date.now() / 1000) + 600 }),
      "another issuer": await sign(environment, { sub, iss: "https://elsewhere.test/auth/v1" }),
      "no issuer": await sign(environment, { sub, iss: undefined }),
      "without expiry": await sign(environment, { sub, exp: undefined }),
      "another audience": await sign(environment, { sub, aud: "anon" }),
      "no audience": await sign(environment, { sub, aud: undefined }),
      "another role": await sign(environment, { sub, role: "service_role" }),
      "no user": await sign(environment, {}),
      "no user id": await sign(environment, { sub: "1" }),
      "another key of the same name": await sign(environment, { sub }, {
        ...foreign,
        kid: environment.signingKey.kid!,
      }),
      "an unknown key": await sign(environment, { sub }, { ...foreign, kid: crypto.randomUUID() }),
      "unsigned": new UnsecuredJWT({ sub, aud: "authenticated", role: "authenticated" }).setExpirationTime(
        "1m",
      ).encode(),
      "HMAC": await new SignJWT({ sub, aud: "authenticated", role: "authenticated" }).setProtectedHeader({
        alg: "HS256",
      })
        .setExpirationTime("1m").sign(new TextEncoder().encode("sb_publishable_test-0123456789abcdef")),
      "cut": token.slice(0, -4),
      "other claims under the signature": [head, btoa('{"sub":"x"}').replaceAll("=", ""), signature].join(
        ".",
      ),
      "without signature": `${head}.${claims}.`,
      "garbage": "a.b.c",
      "not even dots": "garbage",
      "nothing": "",
    };
    for (const [name, forged] of Object.entries(tokens)) {
      assertRefused(await listKeys(environment, forged), { status: 401, error: "unauthorized" }, name);
    }
  }));

Deno.test("POST /api_keys refuses a request without a Bearer token", () =>
  withEnvironment(async (environment) => {
    const { token } = await addUser(environment);
    for (
      const authorization of [
        undefined,
        "",
        "Bearer",
        token,
        `Basic ${token}`,
        `Bearer ${token} x`,
        "x".repeat(9999),
      ]
    ) {
      const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
      const response = await environment.http.post("/api_keys", undefined, { headers });
      assertRefused(response, { status: 401, error: "unauthorized" }, authorization?.slice(0, 20));
    }
    const query = await environment.http.post("/api_keys", undefined, { query: { access_token: token } });
    assert.equal(query.status, 401);
  }));

Deno.test("POST /api_keys responds with 502 when the auth server's keys cannot be fetched", () =>
  withEnvironment(async (environment) => {
    const response = await listKeys(environment, await sign(environment, { sub: crypto.randomUUID() }));

    const details = { service: "auth", estimated_recovery: null };
    assertRefused(response, { status: 502, error: "service_unavailable", details });
  }, { env: { SUPABASE_URL: "http://127.0.0.1:9" } }));
