import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { withServicesOn } from "../setup/stack/services.ts";
import { PASSWORD, type Person, type SupabaseAuth, withSupabaseAuth } from "./with_supabase_auth.ts";

const refresh = ({ http }: SupabaseAuth, { refresh_token }: Person) =>
  http.post("/auth/refresh", { refresh_token });

async function mayRead({ as }: SupabaseAuth, person: Person): Promise<boolean> {
  const { status } = await as(person, "GET", "/manage/companies");
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

/** Waits until a used refresh token may not be used again. */
const later = () => new Promise((resolve) => setTimeout(resolve, 2500));

Deno.test("a refresh token works once; used again later, it ends the session", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();
    const first = await refresh(t, person);
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const second = await refresh(t, { ...person, ...first.body } as Person);
    assert.equal(second.status, 200);

    await later();
    assert.equal((await refresh(t, person)).status, 401);
    await later();
    assert.equal((await refresh(t, { ...person, ...second.body } as Person)).status, 401);
  }, { auth: { GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL: "1" } }));

Deno.test("two tabs that use one refresh token at the same moment go on", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();
    const responses = await Promise.all([refresh(t, person), refresh(t, person)]);
    for (const { status, body } of responses) {
      assert.equal(status, 200, JSON.stringify(body));
      assert.ok(await mayRead(t, { ...person, ...body } as Person));
    }
  }));

Deno.test("a log-out ends the session in this process at once and in another within ten seconds", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();
    const other = (await t.logIn(person.email, PASSWORD))!;
    await withServicesOn(t.databaseUrl, async ({ http }) => {
      const headers = { authorization: `Bearer ${person.access_token}` };
      const elsewhere = async () => (await http.get("/manage/companies", { headers })).status;
      assert.deepEqual([await elsewhere(), await mayRead(t, person)], [200, true]);

      assert.equal((await t.as(person, "POST", "/auth/logout")).status, 204);

      assert.equal(await mayRead(t, person), false);
      assert.equal((await refresh(t, person)).status, 401);
      assert.equal((await t.as(person, "POST", "/auth/logout")).status, 204, "no error");
      await eventually(async () => assert.equal(await elsewhere(), 401), 10_000);
      assert.ok(await mayRead(t, other), "the person's other session goes on");
    }, { env: settings(t) });
  }));

function settings({ env }: SupabaseAuth): Record<string, string> {
  const { SUPABASE_URL, SUPABASE_PUBLISHABLE_KEY } = env;
  return { SUPABASE_URL: SUPABASE_URL!, SUPABASE_PUBLISHABLE_KEY: SUPABASE_PUBLISHABLE_KEY! };
}

Deno.test("a recovery link sets a new password and ends the other sessions", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();
    const recover = (email: string) => t.http.post("/auth/recover", { email });
    assert.equal((await recover("nobody@example.com")).status, 204);
    assert.equal((await recover(person.email)).status, 204);

    const byLink = await t.followLink(person.email);
    const set = (password: string) => t.as(byLink, "POST", "/auth/password", { password });
    const field = async (password: string) => {
      const { status, body } = await set(password);
      return [status, body.details?.field];
    };
    assert.deepEqual(await field(PASSWORD), [400, "password"], "the present one");
    assert.deepEqual(await field("short"), [400, "password"]);
    assert.equal((await set("another horse battery 2")).status, 204);

    assert.equal(await t.logIn(person.email, PASSWORD), undefined);
    assert.ok(await t.logIn(person.email, "another horse battery 2"));
    assert.equal((await refresh(t, person)).status, 401);
    await eventually(async () => assert.equal(await mayRead(t, person), false), 11_000);
    assert.ok(await mayRead(t, byLink));
    assert.equal((await recover(person.email)).status, 204, "also within the auth server's pause");
  }));

Deno.test("the project may want a fresh log-in or the present password before a new one", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();
    const set = (who: Person) => t.as(who, "POST", "/auth/password", { password: "another horse battery 2" });
    const refused = await set(person);
    assert.deepEqual([refused.status, refused.body.error], [403, "forbidden"]);
    await t.http.post("/auth/recover", { email: person.email });
    assert.equal((await set(await t.followLink(person.email))).status, 204);
  }, { auth: { GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_CURRENT_PASSWORD: "true" } }));

Deno.test("a banned or deleted user has no session left", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const banned = await t.createPerson();
    const gone = await t.createPerson();
    await t.change(banned.email, { ban_duration: "24h" });
    await t.sql`delete from auth.users where email = ${gone.email}`;
    for (const person of [banned, gone]) {
      assert.equal(await mayRead(t, person), false);
      assert.equal((await refresh(t, person)).status, 401);
      assert.equal(await t.logIn(person.email, PASSWORD), undefined);
    }
  }));

Deno.test("a session has the contract's fields", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const { email } = await t.createPerson();
    const credentials = { email, password: PASSWORD };
    const { body } = await t.http.post("/auth", credentials, { query: { grant_type: "password" } });
    assert.deepEqual(Object.keys(body), [
      "access_token",
      "token_type",
      "expires_in",
      "expires_at",
      "refresh_token",
      "user",
    ]);
    const [identity] = body.user.identities as JsonObject[];
    assert.deepEqual([body.user.email, identity!.provider], [email, "email"]);
  }));
