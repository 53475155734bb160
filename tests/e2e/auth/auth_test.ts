import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import type { TestUser } from "../../setup/stack/login.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

const invalid = { status: 400, error: "validation_failed" };

/** `POST /auth?grant_type=password`. */
async function logIn(
  { http, keepSecret }: Environment,
  body: JsonObject,
  headers: Record<string, string> = {},
) {
  if (typeof body.password === "string" && body.password.length > 3) keepSecret(body.password);
  return await http.post("/auth", body, { query: { grant_type: "password" }, headers });
}

const wrong = ({ email }: Pick<TestUser, "email">) => ({ email, password: "not the password" });

/** A value's shape: types in place of values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, child]) => [name, shapeOf(child)]));
}

const [text, time, flag, number] = ["string", "string", "boolean", "number"];
const IDENTITY_DATA = { email: text, email_verified: flag, phone_verified: flag, sub: text };
const SESSION = {
  ...{ access_token: text, token_type: text, expires_in: number, expires_at: number, refresh_token: text },
  user: {
    ...{
      id: text,
      aud: text,
      role: text,
      email: text,
      email_confirmed_at: time,
      phone: text,
      confirmed_at: time,
    },
    ...{ last_sign_in_at: time, app_metadata: { provider: text, providers: [text] } },
    ...{ user_metadata: { email_verified: flag, name: text } },
    identities: [{
      ...{ identity_id: text, id: text, user_id: text, identity_data: IDENTITY_DATA, provider: text },
      ...{ last_sign_in_at: time, created_at: time, updated_at: time, email: text },
    }],
    ...{ created_at: time, updated_at: time, is_anonymous: flag },
  },
};

Deno.test("POST /auth returns a session with exactly the contract's fields", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser({ name: "Asha" });
    const { status, body } = await logIn(environment, user);
    environment.keepSecret(body.access_token, body.refresh_token);

    assert.equal(status, 200);
    assert.deepEqual(shapeOf(body), SESSION);
    assert.deepEqual([body.token_type, body.expires_in], ["bearer", 3600]);
    assert.ok(Math.abs(body.expires_at - Date.now() / 1000 - 3600) < 10);
    const { id, email, aud, role, user_metadata } = body.user;
    assert.deepEqual({ id, email, aud, role, name: user_metadata.name }, {
      ...{ id: user.id, email: user.email, aud: "authenticated", role: "authenticated", name: "Asha" },
    });
  }));

Deno.test("POST /auth takes an e-mail in any case and with blanks around it", () =>
  withEnvironment(async (environment) => {
    const { email, password } = await environment.createUser();

    assert.equal((await logIn(environment, { email: ` ${email.toUpperCase()} `, password })).status, 200);
  }));

Deno.test("POST /auth responds to a wrong password, an unknown e-mail and a banned user with the same 401", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    const banned = await environment.createUser();
    await environment
      .sql`update auth.users set banned_until = now() + interval '1 day' where id = ${banned.id}`;
    const bodies: JsonObject[] = [];
    for (
      const tried of [wrong(user), { email: "nobody@example.com", password: user.password }]
        .concat({ email: "no address", password: "x" }, wrong(banned), banned, {
          ...user,
          password: `${user.password} `,
        })
    ) {
      const response = await logIn(environment, tried);
      assertRefused(response, { status: 401, error: "unauthorized" }, tried.email);
      const { request_id: _, ...body } = response.body;
      bodies.push(body);
    }
    assert.deepEqual(bodies, bodies.map(() => bodies[0]));
  }));

Deno.test("POST /auth says that an address is not confirmed only to a user who knows the password", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    await environment.sql`update auth.users set email_confirmed_at = null where id = ${user.id}`;
    const [knowing, guessing] = [await logIn(environment, user), await logIn(environment, wrong(user))];

    assert.deepEqual([knowing.status, guessing.status], [401, 401]);
    assert.match(knowing.body.message, /confirmed/);
    assert.doesNotMatch(guessing.body.message, /confirmed/);
  }));

Deno.test("POST /auth takes grant_type=password only", () =>
  withEnvironment(async ({ http, createUser }) => {
    const user = await createUser();
    assertRefused(await http.post("/auth", user), {
      ...invalid,
      message: "Missing required field: 'grant_type'",
      details: { field: "grant_type", reason: "required" },
    });
    for (const provided of ["refresh_token", "PASSWORD", "client_credentials", "password "]) {
      const response = await http.post("/auth", user, { query: { grant_type: provided } });
      assertRefused(response, invalid, provided);
      assert.deepEqual([response.body.details.field, response.body.details.provided], [
        "grant_type",
        provided,
      ]);
    }
  }));

Deno.test("POST /auth refuses an e-mail or password that is missing, of the wrong type or too long", () =>
  withEnvironment(async (environment) => {
    const good = { email: "a@example.com", password: "secret-secret" };
    for (const field of ["email", "password"]) {
      for (const value of [undefined, null]) {
        const details = { field, reason: "required" };
        assertRefused(await logIn(environment, { ...good, [field]: value }), { ...invalid, details });
      }
      for (const value of [1, true, [], {}, ["a"], "", "x".repeat(10_000)]) {
        const response = await logIn(environment, { ...good, [field]: value });
        assertRefused(response, invalid, `${field} ${value}`);
        assert.equal(response.body.details.field, field);
      }
    }
    const attempts = await environment.sql`select 1 from outbound.login_attempts`;
    assert.equal(attempts.length, 0);
  }));

Deno.test("POST /auth responds with 502 when the auth server cannot be reached, or does not know us", async () => {
  for (
    const env of [
      { SUPABASE_URL: "http://127.0.0.1:9" },
      { SUPABASE_SECRET_KEY: "sb_secret_old" },
      { SUPABASE_SECRET_KEY: "", SUPABASE_PUBLISHABLE_KEY: "sb_publishable_old" },
    ]
  ) {
    await withEnvironment(async (environment) => {
      const response = await logIn(environment, await environment.createUser());

      const details = { service: "auth", estimated_recovery: null };
      assertRefused(response, { status: 502, error: "service_unavailable", details });
      const attempts = await environment.sql`
        select 1 from outbound.login_attempts where attempts > 0 or full_at > clock_timestamp()`;
      assert.equal(attempts.length, 0, "the auth server was not asked about the attempt");
    }, { env });
  }
});
