import assert from "node:assert/strict";
import type postgres from "postgres";
import { skipped } from "../../setup/skipped.ts";
import { PASSWORD, PUBLISHABLE_KEY, SECRET_KEY, withAuthServer } from "./auth_fixture.ts";

const PASSWORD_GRANT = "/token?grant_type=password";
const REFRESH_GRANT = "/token?grant_type=refresh_token";

Deno.test("auth: POST /token responds to a log-in key by key", () =>
  withAuthServer(async ({ createUser, post }) => {
    const { id, email } = await createUser();

    const response = await post(PASSWORD_GRANT, { email, password: PASSWORD });
    const body = await response.json();

    assert.equal(response.status, 200);
    assert.deepEqual(Object.keys(body), [
      "access_token",
      "token_type",
      "expires_in",
      "expires_at",
      "refresh_token",
      "user",
      "weak_password",
    ]);
    assert.deepEqual(Object.keys(body.user), [
      "id",
      "aud",
      "role",
      "email",
      "email_confirmed_at",
      "phone",
      "confirmed_at",
      "last_sign_in_at",
      "app_metadata",
      "user_metadata",
      "identities",
      "created_at",
      "updated_at",
      "is_anonymous",
    ]);
    assert.deepEqual(Object.keys(body.user.identities[0]), [
      "identity_id",
      "id",
      "user_id",
      "identity_data",
      "provider",
      "last_sign_in_at",
      "created_at",
      "updated_at",
      "email",
    ]);
    assert.deepEqual([body.token_type, body.expires_in, body.weak_password], ["bearer", 3600, null]);
    assert.deepEqual(body.user.app_metadata, { provider: "email", providers: ["email"] });
    assert.match(body.user.last_sign_in_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.match(body.refresh_token, /^[a-z0-9]{12}$/);
    assert.equal(response.headers.get("sb-auth-user-id"), id);
  }));

const EMAIL = "someone@example.com";

for (
  const [name, path, body, status, code, message] of [
    [
      "an unknown user",
      PASSWORD_GRANT,
      { email: EMAIL, password: "x" },
      400,
      "invalid_credentials",
      /^Invalid login/,
    ],
    [
      "no password",
      PASSWORD_GRANT,
      { email: EMAIL },
      400,
      "invalid_credentials",
      /^Invalid login credentials$/,
    ],
    [
      "a NUL",
      PASSWORD_GRANT,
      { email: "a\0@b.c", password: "x" },
      400,
      "invalid_credentials",
      /^Invalid login/,
    ],
    ["no grant type", "/token", { email: EMAIL }, 400, "invalid_credentials", /^unsupported_grant_type$/],
    [
      "another grant type",
      "/token?grant_type=pkce",
      {},
      400,
      "invalid_credentials",
      /^unsupported_grant_type$/,
    ],
    ["broken JSON", PASSWORD_GRANT, "{", 400, "bad_json", /^Could not parse request body as JSON: ./],
    [
      "wrong types",
      PASSWORD_GRANT,
      { email: 1 },
      400,
      "bad_json",
      /^Could not parse request body as JSON: ./,
    ],
    ["no address", PASSWORD_GRANT, { password: "x" }, 400, "validation_failed", /^missing email or phone$/],
    [
      "two addresses",
      PASSWORD_GRANT,
      { email: EMAIL, phone: "1" },
      400,
      "validation_failed",
      /^Only an email/,
    ],
    [
      "a phone",
      PASSWORD_GRANT,
      { phone: "1" },
      422,
      "phone_provider_disabled",
      /^Phone logins are disabled$/,
    ],
    ["no refresh token", REFRESH_GRANT, {}, 400, "validation_failed", /^Refresh token is not valid$/],
    [
      "a malformed one",
      REFRESH_GRANT,
      { refresh_token: "A" },
      400,
      "validation_failed",
      /^Refresh token is not/,
    ],
    [
      "an unknown refresh token",
      REFRESH_GRANT,
      { refresh_token: "abcdef012345" },
      400,
      "refresh_token_not_found",
      /^Invalid Refresh Token: Refresh Token Not Found$/,
    ],
    [
      "too much",
      PASSWORD_GRANT,
      { email: "a".repeat(1024 * 1024) },
      413,
      "request_entity_too_large",
      /^Request body too large \(max 1048576 bytes\)$/,
    ],
  ] as const
) {
  Deno.test(`auth: POST /token with ${name} is refused, in the shape the caller's version has`, () =>
    withAuthServer(async ({ post }) => {
      const old = await post(path, body);
      const modern = await post(path, body, { "x-supabase-api-version": "2024-01-01" });

      const oldBody = await old.json();
      assert.deepEqual(Object.keys(oldBody), ["code", "error_code", "msg"]);
      assert.deepEqual([old.status, oldBody.code, oldBody.error_code], [status, status, code]);
      assert.match(oldBody.msg, message);
      assert.equal(old.headers.get("x-sb-error-code"), code);
      assert.equal(old.headers.get("x-supabase-api-version"), null);
      assert.deepEqual(await modern.json(), { code, message: oldBody.msg });
      assert.equal(modern.headers.get("x-supabase-api-version"), "2024-01-01");
    }));
}

for (
  const [state, change, password, code] of [
    ["banned", { banned_until: "2100-01-01" }, "wrong", "user_banned"],
    ["not confirmed", { email_confirmed_at: null }, PASSWORD, "email_not_confirmed"],
    ["not confirmed, with a wrong password,", { email_confirmed_at: null }, "wrong", "invalid_credentials"],
    ["without a password", { encrypted_password: null }, PASSWORD, "invalid_credentials"],
  ] as const
) {
  Deno.test(`auth: a user ${state} is refused with ${code}`, () =>
    withAuthServer(async ({ sql, createUser, post }) => {
      const { id, email } = await createUser();
      await sql`update auth.users set ${sql(change)} where id = ${id}`;

      const response = await post(PASSWORD_GRANT, { email, password });

      assert.equal((await response.json()).error_code, code);
    }));
}

/** Logs a new user in and returns how to exchange a refresh token, with status and code or the next token. */
async function refreshing(fixture: Parameters<Parameters<typeof withAuthServer>[0]>[0]) {
  const { email } = await fixture.createUser();
  const { refresh_token: first } = await (await fixture.post(PASSWORD_GRANT, { email, password: PASSWORD }))
    .json();
  const exchange = async (token: string): Promise<string> => {
    const body = await (await fixture.post(REFRESH_GRANT, { refresh_token: token })).json();
    return body.error_code ?? body.refresh_token;
  };
  return { first: first as string, exchange };
}

/** Makes every use of a token look as if it happened a minute ago. */
async function aMinuteLater(sql: postgres.Sql): Promise<void> {
  await sql`update auth.refresh_tokens set updated_at = updated_at - interval '1 minute'`;
}

Deno.test("auth: the parent of the active refresh token returns that one again, however late", () =>
  withAuthServer(async (fixture) => {
    const { first, exchange } = await refreshing(fixture);
    const second = await exchange(first);
    await aMinuteLater(fixture.sql);

    assert.equal(await exchange(first), second);
  }));

Deno.test("auth: two refreshes with one token at the same moment get the same new one", () =>
  withAuthServer(async (fixture) => {
    const { first, exchange } = await refreshing(fixture);

    const tokens = await Promise.all([exchange(first), exchange(first)]);

    assert.equal(tokens[0], tokens[1]);
    assert.match(tokens[0]!, /^[a-z0-9]{12}$/);
  }));

Deno.test("auth: an older refresh token used again ends the whole family", () =>
  withAuthServer(async (fixture) => {
    const { first, exchange } = await refreshing(fixture);
    const third = await exchange(await exchange(first));
    await aMinuteLater(fixture.sql);

    assert.equal(await exchange(first), "refresh_token_already_used");
    // Supabase Auth takes the others of the family until its interval for two tabs is over.
    await aMinuteLater(fixture.sql);
    assert.equal(await exchange(third), "refresh_token_already_used");
  }));

Deno.test("auth: a refresh returns no weak_password", () =>
  withAuthServer(async (fixture) => {
    const { first } = await refreshing(fixture);

    const body = await (await fixture.post(REFRESH_GRANT, { refresh_token: first })).json();

    assert.equal("weak_password" in body, false);
  }));

Deno.test("auth: an address that a caller with the secret key names gets 30 attempts at once, then 429", () =>
  withAuthServer(async ({ post }) => {
    const attempt = async (address: string, apikey = SECRET_KEY) => {
      const headers = { apikey, "sb-forwarded-for": address };
      const response = await post(PASSWORD_GRANT, { password: "x" }, headers);
      return [response.status, (await response.json()).error_code];
    };
    for (let count = 0; count < 30; count++) await attempt("192.0.2.1");

    assert.deepEqual(await attempt("192.0.2.1"), [429, "over_request_rate_limit"]);
    assert.deepEqual(await attempt("192.0.2.2"), [400, "validation_failed"]);
    assert.deepEqual(await attempt("192.0.2.1", PUBLISHABLE_KEY), [400, "validation_failed"]);
  }));

/** The processor time of this thread alone, in which the auth server hashes: other work does not count. */
function threadTimeNs(): number {
  return Number(Deno.readTextFileSync("/proc/thread-self/schedstat").split(" ")[0]);
}

Deno.test("auth: a wrong password costs as much for an unknown user as for a known one", () =>
  withAuthServer(async ({ createUser, post }) => {
    if (Deno.build.os !== "linux") {
      return skipped("the cost of a wrong password", "it is read from Linux' /proc");
    }
    const { email } = await createUser();
    const cost = async (address: string) => {
      const costs: number[] = [];
      for (let count = 0; count < 5; count++) {
        const start = threadTimeNs();
        await (await post(PASSWORD_GRANT, { email: address, password: "wrong" })).body?.cancel();
        costs.push(threadTimeNs() - start);
      }
      return Math.min(...costs);
    };

    const ratio = await cost("nobody@example.com") / await cost(email);

    assert.ok(ratio > 0.5 && ratio < 2, `The ratio of the costs is ${ratio}`);
  }));
