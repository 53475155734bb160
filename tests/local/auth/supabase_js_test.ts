import assert from "node:assert/strict";
import { PASSWORD, SECRET_KEY, withAuthServer } from "./auth_fixture.ts";

Deno.test("auth: signInWithPassword() answers a session whose claims getClaims() verifies by the public key", () =>
  withAuthServer(async ({ client, createUser, url }) => {
    const { id, email } = await createUser({ user_metadata: { name: "Ana" } });
    const { auth } = client();

    const { data } = await auth.signInWithPassword({ email: email.toUpperCase(), password: PASSWORD });
    const { data: verified, error } = await client().auth.getClaims(data.session!.access_token);

    assert.equal(error, null);
    assert.equal(verified!.header.alg, "ES256");
    const { iss, sub, aud, role, user_metadata, session_id, amr } = verified!.claims;
    assert.deepEqual({ iss, sub, aud, role }, {
      iss: `${url}/auth/v1`,
      sub: id,
      aud: "authenticated",
      role: "authenticated",
    });
    assert.deepEqual(user_metadata, { name: "Ana", email_verified: true });
    assert.match(session_id, /^[0-9a-f-]{36}$/);
    assert.equal((amr as { method: string }[])[0]!.method, "password");
  }));

Deno.test("auth: getUser() answers the user of a token, and refuses a forged one", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { id, email } = await createUser();
    const { auth } = client();
    const { data } = await auth.signInWithPassword({ email, password: PASSWORD });
    const [header, payload] = data.session!.access_token.split(".");

    const known = await auth.getUser(data.session!.access_token);
    const forged = await auth.getUser(`${header}.${payload}.${"A".repeat(86)}`);

    assert.equal(known.data.user?.id, id);
    assert.equal(forged.error?.code, "bad_jwt");
    assert.equal(forged.error?.status, 403);
  }));

Deno.test("auth: refreshSession() hands out new tokens for the same session", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { email } = await createUser();
    const { auth } = client();
    const { data: { session: first } } = await auth.signInWithPassword({ email, password: PASSWORD });

    const { data: { session: second }, error } = await auth.refreshSession(first!);

    assert.equal(error, null);
    assert.notEqual(second!.refresh_token, first!.refresh_token);
    const claims = await Promise.all(
      [first!, second!].map((session) => auth.getClaims(session.access_token)),
    );
    assert.equal(claims[0]!.data!.claims.session_id, claims[1]!.data!.claims.session_id);
  }));

for (
  const [scope, surviving] of [["global", []], ["local", ["other"]], ["others", ["own"]]] as const
) {
  Deno.test(`auth: signOut() with scope ${scope} ends the sessions it names`, () =>
    withAuthServer(async ({ client, createUser }) => {
      const { email } = await createUser();
      const own = client();
      const other = client();
      const ownToken = (await own.auth.signInWithPassword({ email, password: PASSWORD })).data.session!;
      const otherToken = (await other.auth.signInWithPassword({ email, password: PASSWORD })).data.session!;

      const { error } = await own.auth.signOut({ scope });

      assert.equal(error, null);
      const alive = async (token: string) => (await client().auth.getUser(token)).error === null;
      assert.deepEqual({
        own: await alive(ownToken.access_token),
        other: await alive(otherToken.access_token),
      }, {
        own: (surviving as readonly string[]).includes("own"),
        other: (surviving as readonly string[]).includes("other"),
      });
    }));
}

Deno.test("auth: admin.createUser() refuses an address that is taken", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { email } = await createUser();

    const { error } = await client(SECRET_KEY).auth.admin.createUser({
      email: email.toUpperCase(),
      password: PASSWORD,
    });

    assert.deepEqual({ status: error?.status, code: error?.code }, { status: 422, code: "email_exists" });
  }));

Deno.test("auth: admin.createUser() refuses a password that is too short, and the publishable key", () =>
  withAuthServer(async ({ client }) => {
    const user = { email: "a@example.com", password: "12345" };

    const weak = await client(SECRET_KEY).auth.admin.createUser(user);
    const notAdmin = await client().auth.admin.createUser({ ...user, password: PASSWORD });

    assert.equal(weak.error?.code, "weak_password");
    assert.equal(notAdmin.error?.code, "not_admin");
    assert.equal(notAdmin.error?.status, 403);
  }));

Deno.test("auth: admin.listUsers() pages through all users, newest first", () =>
  withAuthServer(async ({ client, createUser }) => {
    const made = [await createUser(), await createUser(), await createUser()].map((user) => user.id);
    const { admin } = client(SECRET_KEY).auth;

    const first = await admin.listUsers({ page: 1, perPage: 2 });
    const second = await admin.listUsers({ page: 2, perPage: 2 });

    const page = first.data as { users: { id: string }[]; total: number; nextPage: number; lastPage: number };
    assert.deepEqual({ total: page.total, next: page.nextPage, last: page.lastPage }, {
      total: 3,
      next: 2,
      last: 2,
    });
    assert.deepEqual([...page.users, ...second.data.users].map((user) => user.id), made.reverse());
  }));
