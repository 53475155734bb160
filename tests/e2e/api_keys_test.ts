import assert from "node:assert/strict";
import { importJWK, type JWK, SignJWT, UnsecuredJWT } from "jose";
import { addUser as addUserToCompanies } from "../../cli/actions/add_user.ts";
import { removeUser } from "../../cli/actions/remove_user.ts";
import { rotateKey } from "../../cli/actions/rotate_key.ts";
import { setKeyActive } from "../../cli/actions/set_key_active.ts";
import { insertCompany, insertKey, insertMember } from "../setup/fixtures.ts";
import type { JsonObject } from "../setup/http.ts";
import { assertRefused } from "./assert_refused.ts";
import { withWorld, type World } from "./with_world.ts";

/** `POST /api_keys` with a token. */
async function listKeys({ http }: World, token: string) {
  return await http.post("/api_keys", undefined, { headers: { authorization: `Bearer ${token}` } });
}

/** A logged-in user and their token. */
async function addUser(world: World): Promise<{ id: string; token: string }> {
  const user = await world.createUser();
  const token = await world.logIn(user);
  world.keepSecret(token, user.password);
  return { id: user.id, token };
}

/** A company of the user's, with or without a key. */
async function addCompany(
  world: World,
  userId: string,
  fields: { name: string; key?: boolean; api_access?: boolean },
) {
  const { key: withKey = true, ...columns } = fields;
  const company = await insertCompany(world.sql, columns);
  await insertMember(world.sql, company.id, userId);
  const key = withKey ? (await insertKey(world.sql, company.id)).key : undefined;
  if (key) world.keepSecret(key);
  return { ...company, key };
}

Deno.test("POST /api_keys lists the current key of each of the user's companies, and of no other", () =>
  withWorld(async (world) => {
    const [user, stranger] = [await addUser(world), await addUser(world)];
    const second = await addCompany(world, user.id, { name: "Bolt" });
    const first = await addCompany(world, user.id, { name: "Acme" });
    await addCompany(world, user.id, { name: "Keyless", key: false });
    await addCompany(world, stranger.id, { name: "Elsewhere" });
    await world.http.get("/notify/templates", { query: { access_key: first.key!, phone_number: "1" } });
    const { status, body } = await listKeys(world, user.token);

    assert.equal(status, 200);
    assert.deepEqual(Object.keys(body), ["validApiKeys"]);
    const { last_used, ...used } = body.validApiKeys[0];
    assert.deepEqual(used, { company_id: first.id, key: first.key, is_active: true, company_name: "Acme" });
    assert.ok(Math.abs(Date.parse(last_used) - Date.now()) < 60_000 && last_used.endsWith("Z"), last_used);
    assert.deepEqual(body.validApiKeys.slice(1), [{
      ...{ company_id: second.id, key: second.key, is_active: true, last_used: null, company_name: "Bolt" },
    }]);
  }));

Deno.test("POST /api_keys answers an empty array while no key was created, or the user has no company", () =>
  withWorld(async (world) => {
    const { id, token } = await addUser(world);
    assert.deepEqual((await listKeys(world, token)).body, { validApiKeys: [] });
    await addCompany(world, id, { name: "Keyless", key: false });
    assert.deepEqual((await listKeys(world, token)).body, { validApiKeys: [] });
  }));

Deno.test("POST /api_keys shows a revoked key as not active, and a rotated one no more", () =>
  withWorld(async (world) => {
    const { id, token } = await addUser(world);
    const company = await addCompany(world, id, { name: "Acme" });
    const shown = async () => {
      const { body } = await listKeys(world, token);
      return body.validApiKeys.map(({ key, is_active }: JsonObject) => [key, is_active]);
    };

    await setKeyActive(world.services, { companyId: company.id, isActive: false });
    assert.deepEqual(await shown(), [[company.key, false]]);
    const { key } = await rotateKey(world.services, { companyId: company.id });
    assert.deepEqual(await shown(), [[key, true]]);
  }));

Deno.test("POST /api_keys shows no key that was put into another company's row", () =>
  withWorld(async (world) => {
    const { id, token } = await addUser(world);
    const own = await addCompany(world, id, { name: "Acme" });
    const other = await insertCompany(world.sql);
    const { key } = await insertKey(world.sql, other.id);
    await world.sql`
      update outbound.api_keys set key_sealed = (
        select key_sealed from outbound.api_keys where company_id = ${other.id}
      ) where company_id = ${own.id}`;

    const { status, body } = await listKeys(world, token);

    assert.deepEqual([status, body.error], [502, "service_unavailable"]);
    assert.match(body.message, /^The key of Acme cannot be read/);
    assert.ok(!JSON.stringify(body).includes(key));
  }));

Deno.test("POST /api_keys answers 403 naming every company without API access", () =>
  withWorld(async (world) => {
    const { id, token } = await addUser(world);
    await addCompany(world, id, { name: "Open" });
    const first = await addCompany(world, id, { name: "Closed A", api_access: false });
    const second = await addCompany(world, id, { name: "Closed B", api_access: false, key: false });
    const { status, body } = await listKeys(world, token);

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
  withWorld(async (world) => {
    const { id, token } = await addUser(world);
    const company = await insertCompany(world.sql, { name: "Acme" });
    const { key } = await insertKey(world.sql, company.id);
    world.keepSecret(key);
    const shown = async () =>
      (await listKeys(world, token)).body.validApiKeys.map((entry: JsonObject) => entry.key);
    const settings = { supabaseUrl: world.authUrl, supabaseSecretKey: "sb_secret_test" };
    const change = { user: id, companyIds: [company.id] };

    assert.deepEqual(await shown(), []);
    await addUserToCompanies({ sql: world.sql, ...settings }, change);
    assert.deepEqual(await shown(), [key]);
    await removeUser({ sql: world.sql, authServer: () => settings }, change);
    assert.deepEqual(await shown(), []);
  }));

/** Signs a token as the auth server would, changed as the test says. */
async function sign(
  { signingKey, authUrl }: World,
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
  withWorld(async (world) => {
    const { id } = await addUser(world);
    for (const aud of ["authenticated", ["other", "authenticated"]]) {
      assert.equal((await listKeys(world, await sign(world, { sub: id, aud }))).status, 200);
    }
  }));

Deno.test("POST /api_keys refuses a token that is expired, forged or meant for something else", () =>
  withWorld(async (world) => {
    const { id: sub, token } = await addUser(world);
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
      "sign",
      "verify",
    ]);
    const foreign = await crypto.subtle.exportKey("jwk", pair.privateKey) as JWK;
    const [head, claims, signature] = token.split(".") as [string, string, string];
    const tokens: Record<string, string> = {
      "expired": await sign(world, { sub, exp: Math.floor(Date.now() / 1000) - 1 }),
      "not valid yet": await sign(world, { sub, nbf: Math.floor(Date.now() / 1000) + 600 }),
      "another issuer": await sign(world, { sub, iss: "https://elsewhere.test/auth/v1" }),
      "no issuer": await sign(world, { sub, iss: undefined }),
      "without expiry": await sign(world, { sub, exp: undefined }),
      "another audience": await sign(world, { sub, aud: "anon" }),
      "no audience": await sign(world, { sub, aud: undefined }),
      "another role": await sign(world, { sub, role: "service_role" }),
      "no user": await sign(world, {}),
      "no user id": await sign(world, { sub: "1" }),
      "another key of the same name": await sign(world, { sub }, { ...foreign, kid: world.signingKey.kid! }),
      "a key nobody knows": await sign(world, { sub }, { ...foreign, kid: crypto.randomUUID() }),
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
      assertRefused(await listKeys(world, forged), { status: 401, error: "unauthorized" }, name);
    }
  }));

Deno.test("POST /api_keys refuses a request without a Bearer token", () =>
  withWorld(async (world) => {
    const { token } = await addUser(world);
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
      const answer = await world.http.post("/api_keys", undefined, { headers });
      assertRefused(answer, { status: 401, error: "unauthorized" }, authorization?.slice(0, 20));
    }
    const query = await world.http.post("/api_keys", undefined, { query: { access_token: token } });
    assert.equal(query.status, 401);
  }));

Deno.test("POST /api_keys answers 502 when the auth server's keys cannot be had", () =>
  withWorld(async (world) => {
    const answer = await listKeys(world, await sign(world, { sub: crypto.randomUUID() }));

    const details = { service: "auth", estimated_recovery: null };
    assertRefused(answer, { status: 502, error: "service_unavailable", details });
  }, { env: { SUPABASE_URL: "http://127.0.0.1:9" } }));
