import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import type { TestUser } from "../../setup/stack/login.ts";
import { assertRefused } from "../assert_refused.ts";
import { withAuthProxy } from "./auth_proxy.ts";
import { type Environment, withEnvironment } from "../with_environment.ts";

const BEHIND_PROXY = { env: { OUTBOUND_TRUSTED_PROXIES: "1" } };
const ended = { status: 401, error: "unauthorized" };

/** Logs in; the tokens must be in no log. */
async function logIn({ http, keepSecret }: Environment, { email, password }: TestUser): Promise<JsonObject> {
  const { status, body } = await http.post("/auth", { email, password }, {
    query: { grant_type: "password" },
  });
  assert.equal(status, 200, JSON.stringify(body));
  keepSecret(password, body.access_token, body.refresh_token);
  return body;
}

const bearer = ({ access_token }: JsonObject) => ({ headers: { authorization: `Bearer ${access_token}` } });

async function refresh({ http, keepSecret }: Environment, refresh_token: unknown) {
  const response = await http.post("/auth/refresh", { refresh_token });
  if (response.status === 200) keepSecret(response.body.access_token, response.body.refresh_token);
  else if (refresh_token) assert.ok(!JSON.stringify(response.body).includes(`"${refresh_token}`));
  return response;
}

const logOut = ({ http }: Environment, session: JsonObject) =>
  http.post("/auth/logout", undefined, bearer(session));

async function mayRead({ http }: Environment, session: JsonObject): Promise<boolean> {
  const { status } = await http.get("/manage/companies", bearer(session));
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

/** Makes tokens that are used again look as if they were used long ago. */
const passGrace = ({ sql }: Environment) =>
  sql`update auth.refresh_tokens set updated_at = updated_at - interval '1 minute'`;

Deno.test("POST /auth/refresh goes on with a session, with the fields of a log-in", () =>
  withEnvironment(async (environment) => {
    const first = await logIn(environment, await environment.createUser({ name: "Asha" }));

    const { status, body } = await refresh(environment, first.refresh_token);

    assert.equal(status, 200);
    assert.deepEqual([Object.keys(body), Object.keys(body.user)], [
      Object.keys(first),
      Object.keys(first.user),
    ]);
    assert.notEqual(body.refresh_token, first.refresh_token);
    assert.ok(await mayRead(environment, body));
  }));

Deno.test("POST /auth/refresh ends the session when a token that was used is used again later", () =>
  withEnvironment(async (environment) => {
    const { refresh_token: first } = await logIn(environment, await environment.createUser());
    const { refresh_token: second } = (await refresh(environment, first)).body;
    const { refresh_token: third } = (await refresh(environment, second)).body;
    await passGrace(environment);

    assertRefused(await refresh(environment, first), ended);
    await passGrace(environment);
    assertRefused(await refresh(environment, third), ended);
  }));

Deno.test("POST /auth/refresh refuses what is no refresh token, and a banned user", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    const { refresh_token } = await logIn(environment, user);
    for (const value of [undefined, null, "", 1, {}, "x".repeat(1001)]) {
      const response = await refresh(environment, value);
      assertRefused(response, { status: 400, error: "validation_failed" }, String(value));
      assert.equal(response.body.details.field, "refresh_token");
    }
    assertRefused(await refresh(environment, "abcdefghijkl"), ended);
    assertRefused(await refresh(environment, "../../x"), ended);
    await environment
      .sql`update auth.users set banned_until = now() + interval '1 day' where id = ${user.id}`;
    assertRefused(await refresh(environment, refresh_token), ended);
  }));

Deno.test("POST /auth/refresh is limited for an address, and says when the auth server is not there or busy", () =>
  withAuthProxy((proxy) =>
    withEnvironment(async (environment) => {
      const { refresh_token } = await logIn(environment, await withTarget(proxy, environment));
      for (
        const [status, error, respond] of [
          [502, "service_unavailable", () => new Response("down", { status: 503 })],
          [502, "service_unavailable", () => new Response("no JSON")],
          [502, "service_unavailable", () => Response.json({ code: "conflict" }, { status: 409 })],
          [429, "rate_limit_exceeded", () =>
            Response.json({ code: "over_request_rate_limit" }, { status: 429 })],
        ] as const
      ) {
        proxy.respond = respond;
        assertRefused(await refresh(environment, refresh_token), { status, error });
      }
      proxy.respond = () =>
        Response.json({ code: "refresh_token_not_found" }, { status: 400 });
      const statuses = new Set<number>();
      for (let count = 0; count < 120; count++) {
        statuses.add((await refresh(environment, "abcdefghijkl")).status);
      }
      assert.deepEqual([...statuses], [401, 429]);
    }, { env: { OUTBOUND_TRUSTED_PROXIES: "1", SUPABASE_URL: proxy.url } })
  ));

async function withTarget(proxy: { target: string }, environment: Environment): Promise<TestUser> {
  proxy.target = environment.authUrl;
  return await environment.createUser();
}

Deno.test("POST /auth/logout ends the session of its token at once, and no other", () =>
  withEnvironment(async (environment) => {
    const user = await environment.createUser();
    const [here, elsewhere] = [await logIn(environment, user), await logIn(environment, user)];
    assert.ok(await mayRead(environment, here), "the token is in memory now");

    const { status, body } = await logOut(environment, here);

    assert.deepEqual([status, body], [204, null]);
    assert.equal(await mayRead(environment, here), false);
    assertRefused(await environment.http.post("/api_keys", undefined, bearer(here)), ended);
    assertRefused(await refresh(environment, here.refresh_token), ended);
    assert.ok(await mayRead(environment, elsewhere));
  }));

Deno.test("POST /auth/logout takes a token that has expired or whose session has ended, and no other text", () =>
  withEnvironment(async (environment) => {
    const session = await logIn(environment, await environment.createUser());
    await logOut(environment, session);
    const [head, , signature] = session.access_token.split(".");
    const claims = JSON.parse(
      atob(session.access_token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/")),
    );
    const late = btoa(JSON.stringify({ ...claims, exp: 1_700_000_000 })).replaceAll("=", "");

    assert.equal((await logOut(environment, session)).status, 204);
    assert.equal((await logOut(environment, { access_token: `${head}.${late}.${signature}` })).status, 204);
    assertRefused(await logOut(environment, { access_token: "x" }), ended);
    assertRefused(await environment.http.post("/auth/logout"), ended);
  }));

/** Waits for the link that the auth server makes for an account, as its e-mail would have it. */
async function linkOf({ sql, authUrl }: Environment, { id }: TestUser): Promise<string> {
  return await eventually(async () => {
    const [user] = await sql`select recovery_token as token from auth.users where id = ${id}`;
    assert.ok(user!.token);
    return `${authUrl}/auth/v1/verify?type=recovery&token=${user!.token}`;
  });
}

/** Follows a link and returns the session that it leads on with. */
async function follow(link: string): Promise<JsonObject> {
  const response = await fetch(link, { redirect: "manual" });
  await response.body?.cancel();
  return Object.fromEntries(new URLSearchParams(new URL(response.headers.get("location")!).hash.slice(1)));
}

Deno.test("POST /auth/recover responds the same whether there is an account or not, and makes a link", () =>
  withEnvironment(async (environment) => {
    const { http } = environment;
    const user = await environment.createUser();
    const responses = [];
    for (const email of [user.email, user.email.toUpperCase(), "nobody@example.com", "nobody@example.com"]) {
      const { status, body } = await http.post("/auth/recover", { email });
      responses.push([status, body]);
    }

    assert.deepEqual(responses, Array(4).fill([204, null]));
    assert.equal((await follow(await linkOf(environment, user))).type, "recovery");
  }));

Deno.test("POST /auth/recover sends few e-mails to one account, and few from one address", () =>
  withEnvironment(async ({ http }) => {
    const ask = async (email: string, address: string) =>
      (await http.post("/auth/recover", { email }, { headers: { "x-forwarded-for": address } })).status;
    const statuses = [];
    for (let n = 0; n < 6; n++) statuses.push(await ask("Victim@example.com", `198.51.100.${n}`));
    assert.deepEqual(statuses, [204, 204, 204, 204, 204, 429]);
    assert.equal(await ask("vİctİm@example.com", "198.51.100.99"), 429, "the same account");

    for (let n = 0; n < 30; n++) assert.equal(await ask(`user${n}@example.com`, "192.0.2.1"), 204);
    assert.equal(await ask("another@example.com", "192.0.2.1"), 429);
    for (const email of [undefined, null, "", 1, "no address", `${"x".repeat(310)}@example.com`]) {
      assertRefused(await http.post("/auth/recover", { email }), { status: 400, error: "validation_failed" });
    }
  }, BEHIND_PROXY));

Deno.test("POST /auth/password sets the password of who came by a link, and ends the other sessions", () =>
  withEnvironment(async (environment) => {
    const { http } = environment;
    const user = await environment.createUser();
    const before = await logIn(environment, user);
    await http.post("/auth/recover", { email: user.email });
    const link = await linkOf(environment, user);
    const session = await follow(link);
    environment.keepSecret(session.access_token!, session.refresh_token!, "another horse");

    const { status, body } = await http.post(
      "/auth/password",
      { password: "another horse" },
      bearer(session),
    );

    assert.deepEqual([status, body], [204, null]);
    assert.equal(await mayRead(environment, before), false);
    assert.ok(await mayRead(environment, session));
    await logIn(environment, { ...user, password: "another horse" });
    assert.equal((await follow(link)).error_code, "otp_expired", "a link works once");
  }));

Deno.test("POST /auth/password refuses a password that is weak, the same or too long, and a stranger", () =>
  withEnvironment(async (environment) => {
    const { http } = environment;
    const user = await environment.createUser();
    const session = await logIn(environment, user);
    for (const password of [undefined, "", 1, "short", user.password, "é".repeat(37)]) {
      const response = await http.post("/auth/password", { password }, bearer(session));
      assertRefused(response, { status: 400, error: "validation_failed" }, String(password));
      assert.equal(response.body.details.field, "password");
      if (password) assert.ok(!JSON.stringify(response.body).includes(String(`"${password}"`)));
    }
    assertRefused(await http.post("/auth/password", { password: "long enough" }), ended);
    await logOut(environment, session);
    assertRefused(await http.post("/auth/password", { password: "long enough" }, bearer(session)), ended);
    await logIn(environment, user);
  }));
