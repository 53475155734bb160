import assert from "node:assert/strict";
import { totpCode } from "../../../local/auth/totp.ts";
import { PASSWORD, SECRET_KEY, withAuthServer } from "./auth_fixture.ts";

Deno.test("auth: signInWithPassword() returns a session whose claims getClaims() verifies by the public key", () =>
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

Deno.test("auth: getUser() returns the user of a token, and refuses a forged one", () =>
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

Deno.test("auth: admin.createUser() refuses an address in use, in any spelling that Go lowers to it", () =>
  withAuthServer(async ({ client, createUser }) => {
    await createUser({ email: "victim@example.com" });

    for (const email of ["VICTIM@example.com", "victim@example.com"]) {
      const { error } = await client(SECRET_KEY).auth.admin.createUser({ email, password: "x" });
      assert.deepEqual({ status: error?.status, code: error?.code }, { status: 422, code: "email_exists" });
    }
    const { error } = await client().auth.signInWithPassword({
      email: "vİctim@example.com",
      password: PASSWORD,
    });
    assert.equal(error, null);
  }));

Deno.test("auth: admin.createUser() accepts a short password and none that bcrypt would cut", () =>
  withAuthServer(async ({ client }) => {
    const { admin } = client(SECRET_KEY).auth;

    const short = await admin.createUser({ email: "a@example.com", password: "abc", email_confirm: false });
    const long = await admin.createUser({ email: "b@example.com", password: "x".repeat(73) });

    const user = short.data.user!;
    assert.equal(short.error, null);
    assert.deepEqual(user.user_metadata, {});
    assert.deepEqual([typeof user.identities![0]!.last_sign_in_at, user.confirmed_at], ["string", undefined]);
    assert.equal(long.error?.status, 500);
  }));

Deno.test("auth: /admin refuses the publishable key as bad_jwt and a user's token as not_admin", () =>
  withAuthServer(async ({ client, createUser, send }) => {
    const { email } = await createUser();
    const { data } = await client().auth.signInWithPassword({ email, password: PASSWORD });

    const { error } = await client().auth.admin.listUsers();
    const asUser = await send("/admin/users", {
      headers: { authorization: `Bearer ${data.session!.access_token}` },
    });

    assert.deepEqual([error?.status, error?.code], [403, "bad_jwt"]);
    assert.deepEqual([asUser.status, (await asUser.json()).error_code], [403, "not_admin"]);
  }));

Deno.test("auth: admin.updateUserById() changes what it is given, and bans and readmits a user", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { id, email } = await createUser({ user_metadata: { name: "Ana", team: "a" } });
    const { admin } = client(SECRET_KEY).auth;
    const old = await client().auth.signInWithPassword({ email, password: PASSWORD });
    await admin.updateUserById(id, { password: "another one 2" });
    assert.equal((await client().auth.getUser(old.data.session!.access_token)).data.user, null);
    const { data: { session } } = await client().auth.signInWithPassword({
      email,
      password: "another one 2",
    });

    const changed = await admin.updateUserById(id, {
      email: "new@example.com",
      user_metadata: { team: "b" },
      ban_duration: "1h30m",
    });

    const { user } = changed.data;
    assert.deepEqual([user!.email, user!.identities![0]!.identity_data!.email], [
      "new@example.com",
      "new@example.com",
    ]);
    assert.deepEqual(user!.user_metadata, { name: "Ana", team: "b", email_verified: true });
    assert.equal((await client().auth.getUser(session!.access_token)).error?.code, "user_banned");
    assert.equal((await admin.getUserById(id)).data.user?.banned_until, user!.banned_until);
    await admin.updateUserById(id, { ban_duration: "none" });
    const again = { email: "new@example.com", password: "another one 2" };
    assert.equal((await client().auth.signInWithPassword(again)).error, null);
    assert.equal((await client().auth.getUser(session!.access_token)).error, null);
  }));

Deno.test("auth: admin.updateUserById() refuses a weak password and an unknown user", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { id } = await createUser();
    const { admin } = client(SECRET_KEY).auth;

    const weak = await admin.updateUserById(id, { password: "12345" });
    const unknown = await admin.updateUserById(crypto.randomUUID(), { password: PASSWORD });

    assert.deepEqual([weak.error?.status, weak.error?.code], [422, "weak_password"]);
    assert.deepEqual([unknown.error?.status, unknown.error?.code], [404, "user_not_found"]);
  }));

for (const shouldSoftDelete of [false, true]) {
  Deno.test(`auth: DELETE /admin/users/{id} with should_soft_delete ${shouldSoftDelete} ends the user's sessions`, () =>
    withAuthServer(async ({ client, createUser, send }) => {
      const { id, email } = await createUser();
      const { admin } = client(SECRET_KEY).auth;
      const { data: { session } } = await client().auth.signInWithPassword({ email, password: PASSWORD });

      // supabase-js leaves the body of this response unread.
      const deleted = await send(`/admin/users/${id}`, {
        method: "DELETE",
        headers: { apikey: SECRET_KEY, "content-type": "application/json" },
        body: JSON.stringify({ should_soft_delete: shouldSoftDelete }),
      });

      assert.deepEqual([deleted.status, await deleted.json()], [200, {}]);
      assert.notEqual((await client().auth.getUser(session!.access_token)).error, null);
      assert.equal((await admin.getUserById(id)).error?.code, "user_not_found");
      const refused = await client().auth.signInWithPassword({ email, password: PASSWORD });
      assert.equal(refused.error?.code, "invalid_credentials");
    }));
}

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

Deno.test("auth: GET /admin/users reads page 0 as page 1", () =>
  withAuthServer(async ({ createUser, send }) => {
    const { id } = await createUser();
    const response = await send("/admin/users?page=0&per_page=10", { headers: { apikey: SECRET_KEY } });

    assert.equal(response.status, 200);
    assert.deepEqual((await response.json()).users.map((user: { id: string }) => user.id), [id]);
  }));

Deno.test("auth: inviteUserByEmail() makes a user who cannot log in, invites again, and refuses a confirmed address", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { auth } = client(SECRET_KEY);
    const invite = () => auth.admin.inviteUserByEmail("New@Example.com", { data: { name: "Neo" } });

    const first = await invite();
    const again = await invite();
    const logIn = await client().auth.signInWithPassword({ email: "new@example.com", password: "" });
    const confirmed = await auth.admin.inviteUserByEmail((await createUser()).email);
    const stranger = await client().auth.admin.inviteUserByEmail("other@example.com");
    const invalid = await auth.admin.inviteUserByEmail("no address");

    const { id, email, email_confirmed_at, user_metadata } = first.data.user!;
    assert.deepEqual([email, email_confirmed_at, user_metadata.name], ["new@example.com", undefined, "Neo"]);
    assert.equal(again.data.user?.id, id);
    assert.ok(again.data.user!.invited_at! >= first.data.user!.invited_at!);
    assert.equal(logIn.error?.code, "invalid_credentials");
    assert.deepEqual([confirmed.error?.status, confirmed.error?.code], [422, "email_exists"]);
    assert.equal(stranger.error?.status, 403);
    assert.deepEqual([invalid.error?.status, invalid.error?.code], [400, "validation_failed"]);
  }));

Deno.test("auth: GET /admin/users?filter lists the users whose e-mail contains it", () =>
  withAuthServer(async ({ createUser, send }) => {
    const { email } = await createUser({ email: "ana@example.com" });
    await createUser({ email: "bo@example.com" });

    const response = await send("/admin/users?filter=ana@", { headers: { apikey: SECRET_KEY } });

    const { users } = await response.json();
    assert.deepEqual(users.map((user: { email: string }) => user.email), [email]);
    assert.equal(response.headers.get("x-total-count"), "1");
  }));

Deno.test("auth: mfa.challengeAndVerify() lifts a session to aal2 and ends those of the password alone", () =>
  withAuthServer(async ({ client, createUser }) => {
    const { email } = await createUser();
    const logIn = async () => {
      const { auth } = client();
      await auth.signInWithPassword({ email, password: PASSWORD });
      return auth;
    };
    const [auth, elsewhere] = [await logIn(), await logIn()];
    const levels = async () => (await auth.mfa.getAuthenticatorAssuranceLevel()).data;

    const { data: factor } = await auth.mfa.enroll({ factorType: "totp", friendlyName: "Phone" });
    assert.equal((await levels())?.nextLevel, "aal1");
    const challenge = { factorId: factor!.id, code: "abcdef" };
    assert.equal((await auth.mfa.challengeAndVerify(challenge)).error?.code, "mfa_verification_failed");
    const code = totpCode(factor!.totp.secret, Date.now());
    assert.equal((await auth.mfa.challengeAndVerify({ factorId: factor!.id, code })).error, null);

    const { currentLevel, nextLevel, currentAuthenticationMethods } = (await levels())!;
    assert.deepEqual([currentLevel, nextLevel], ["aal2", "aal2"]);
    assert.deepEqual(
      currentAuthenticationMethods.map((each) => typeof each === "string" ? each : each.method),
      [
        "totp",
        "password",
      ],
    );
    assert.ok((await elsewhere.refreshSession()).error);
    assert.equal(
      (await (await logIn()).mfa.unenroll({ factorId: factor!.id })).error?.code,
      "insufficient_aal",
    );
    assert.equal((await auth.mfa.unenroll({ factorId: factor!.id })).error, null);
    assert.deepEqual((await auth.mfa.listFactors()).data?.totp, []);
  }));

Deno.test("totpCode() returns the codes of RFC 6238", () => {
  // Its secret is the text 12345678901234567890, and its codes have two digits more.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const times = [59, 1_111_111_109, 1_234_567_890, 20_000_000_000];

  assert.deepEqual(times.map((s) => totpCode(secret, s * 1000)), ["287082", "081804", "005924", "353130"]);
});
