import assert from "node:assert/strict";
import type { JsonObject, TestAnswer } from "../setup/http/http.ts";
import {
  newAddress,
  PASSWORD,
  type Person,
  type SupabaseAuth,
  userIdOf,
  withSupabaseAuth,
} from "./with_supabase_auth.ts";

const STRANGERS = "password of a stranger 1";

/** Returns the response to an owner who invites, without what differs between two accounts of one kind. */
function seen({ status, body }: TestAnswer<JsonObject>): unknown {
  const { user_id, ...rest } = body;
  return [status, typeof user_id, rest];
}

const INVITED = [200, "string", { added: true, invited: true }];

async function companiesOf({ as }: SupabaseAuth, person: Person): Promise<string[]> {
  const { status, body } = await as(person, "GET", "/manage/companies");
  assert.equal(status, 200);
  return body.companies.map((company: JsonObject) => company.company_id);
}

async function accept({ as, companyId }: SupabaseAuth, person: Person): Promise<number> {
  return (await as(person, "POST", `/manage/invitations/${companyId}/accept`)).status;
}

Deno.test("an invited person without an account sets a password by the mailed link and becomes a member", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const email = newAddress();
    assert.deepEqual(seen(await t.invite(email)), INVITED);
    const [user] = await t.sql`select email_confirmed_at from auth.users where email = ${email}`;
    assert.equal(user!.email_confirmed_at, null, "an account made without email_confirm is not confirmed");

    const person = await t.followLink(email);

    assert.deepEqual(await companiesOf(t, person), []);
    assert.equal((await t.as(person, "POST", "/auth/password", { password: PASSWORD })).status, 204);
    assert.equal(await accept(t, person), 200);
    const later = (await t.logIn(email, PASSWORD))!;
    assert.deepEqual(await companiesOf(t, later), [t.companyId]);
  }));

Deno.test("a stranger who registered the invited address has neither password nor session left", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const email = newAddress();
    await t.signUp(email, STRANGERS);
    const strangersLink = await t.mailbox.nextLink(email);
    assert.equal(await t.logIn(email, STRANGERS), undefined, "not confirmed yet");
    // As with a provider that does not verify addresses.
    await t.sql`update auth.users set email_confirmed_at = now() where email = ${email}`;
    const stranger = (await t.logIn(email, STRANGERS))!;
    await t.sql`update auth.users set email_confirmed_at = null where email = ${email}`;
    assert.deepEqual(await companiesOf(t, stranger), [], "their token is remembered as good");

    assert.deepEqual(seen(await t.invite(email)), INVITED);

    assert.equal(await accept(t, stranger), 401);
    assert.equal(await t.logIn(email, STRANGERS), undefined);
    const refreshed = await t.http.post("/auth/refresh", { refresh_token: stranger.refresh_token });
    assert.equal(refreshed.status, 401);
    const old = await fetch(strangersLink, { redirect: "manual" });
    await old.body?.cancel();
    assert.match(old.headers.get("location") ?? "", /error_code=otp_expired/);

    await t.mailbox.nextLink(email);
    await t.sql`update auth.users set confirmation_sent_at = null where email = ${email}`;
    await t.signUp(email, STRANGERS);
    await t.mailbox.nextLink(email);
    assert.equal(await t.logIn(email, STRANGERS), undefined, "signing up again sets no password");
    await t.invite(email);
    const person = await t.followLink(email);
    assert.equal((await t.as(person, "POST", "/auth/password", { password: PASSWORD })).status, 204);
    assert.equal(await accept(t, person), 200);
    assert.deepEqual(await companiesOf(t, (await t.logIn(email, PASSWORD))!), [t.companyId]);
  }));

Deno.test("a person with an account is a member only after they accept, and keeps their password", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const person = await t.createPerson();

    assert.deepEqual(seen(await t.invite(person.email)), INVITED);

    assert.deepEqual(await companiesOf(t, person), []);
    const { body } = await t.as(t.owner, "GET", `/manage/companies/${t.companyId}/members`);
    const member = body.members.find(({ user_id }: JsonObject) => user_id === userIdOf(person));
    assert.deepEqual([member.state, member.name, member.last_sign_in_at], ["pending", null, null]);
    assert.equal(await accept(t, person), 200);
    assert.deepEqual(await companiesOf(t, person), [t.companyId]);
    const byLink = await t.followLink(person.email);
    assert.equal(userIdOf(byLink), userIdOf(person));
    assert.ok(await t.logIn(person.email, PASSWORD));
  }));

Deno.test("the owner's response is the same for every account, also when asked twice", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const [fresh, registered] = [newAddress(), newAddress()];
    await t.signUp(registered, STRANGERS);
    const confirmed = (await t.createPerson()).email;
    const banned = (await t.createPerson()).email;
    await t.change(banned, { ban_duration: "24h" });

    for (const added of [true, false]) {
      for (const email of [fresh, registered, confirmed, banned]) {
        assert.deepEqual(seen(await t.invite(email)), [200, "string", { added, invited: true }], email);
      }
    }
    assert.equal(t.mailbox.count(confirmed), 1, "the auth server's pause for one account");
  }));

Deno.test("the owner's response is the same where the project sends no log-in links", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const confirmed = (await t.createPerson()).email;
    for (const email of [newAddress(), confirmed]) assert.deepEqual(seen(await t.invite(email)), INVITED);
    assert.equal(t.mailbox.count(confirmed), 0);
  }, { auth: { GOTRUE_EXTERNAL_EMAIL_MAGIC_LINK_ENABLED: "false" } }));

Deno.test("invitations work where sign-ups are off", (test) =>
  withSupabaseAuth(test.name, async (t) => {
    const confirmed = (await t.createPerson()).email;
    for (const email of [newAddress(), confirmed]) {
      assert.deepEqual(seen(await t.invite(email)), INVITED);
      assert.equal(await accept(t, await t.followLink(email)), 200);
    }
  }, { auth: { GOTRUE_DISABLE_SIGNUP: "true" } }));
