import assert from "node:assert/strict";
import { addUser, createUser, listUsers, removeUser, setUserRole } from "../../../cli/user/actions.ts";
import { insertCompany, insertMember } from "../../setup/fixtures/fixtures.ts";
import { type AuthServerFixture, withAuthServer } from "../with_auth_server.ts";

const UNREACHABLE = "http://127.0.0.1:9";

/** Inserts two companies and a user of the first, and returns them with what the actions work with. */
async function membership({ sql, supabaseUrl, supabaseSecretKey }: AuthServerFixture) {
  const context = { sql, supabaseUrl, supabaseSecretKey };
  const [first, second] = [(await insertCompany(sql, { name: "A" })).id, (await insertCompany(sql)).id];
  const email = "ana@example.test";
  const user = { email, password: "correct horse 1", name: "Ana" };
  const { userId } = await createUser(context, { ...user, companyIds: [first] });
  return { context, first, second, userId, email };
}

Deno.test("addUser() finds a user by id or by any spelling of the e-mail, and names the new companies only", () =>
  withAuthServer(async (fixture) => {
    const { context, first, second, userId, email } = await membership(fixture);

    const byEmail = await addUser(context, { user: email.toUpperCase(), companyIds: [first, second] });
    const byId = await addUser(context, { user: userId, companyIds: [first, second] });

    assert.deepEqual([byEmail, byId], [{ userId, added: [second] }, { userId, added: [] }]);
  }));

Deno.test("addUser() refuses a user or company that is not there", () =>
  withAuthServer(async (fixture) => {
    const { context, first, userId } = await membership(fixture);
    const notFound = { code: "not_found" };
    for (const user of [crypto.randomUUID(), "nobody@example.test"]) {
      await assert.rejects(addUser(context, { user, companyIds: [first] }), notFound);
    }
    await assert.rejects(addUser(context, { user: userId, companyIds: [crypto.randomUUID()] }), notFound);
    await assert.rejects(
      addUser({ ...context, supabaseUrl: UNREACHABLE }, { user: userId, companyIds: [first] }),
      { code: "platform_error", message: "The auth server cannot be reached" },
    );
  }));

Deno.test("removeUser() takes a user out of all companies named or of none", () =>
  withAuthServer(async (fixture) => {
    const { context, first, second, userId, email } = await membership(fixture);
    const remove = (user: string, companyIds: string[]) =>
      removeUser({ sql: fixture.sql, authServer: () => context }, { user, companyIds });

    await assert.rejects(remove(email, [first, second]), {
      code: "not_found",
      message: `User ${email} does not belong to company ${second}`,
    });
    await assert.rejects(remove("nobody@example.test", [first]), { code: "not_found" });
    assert.deepEqual(await remove(email, [first]), { userId, removed: [first] });
    assert.deepEqual(await listUsers(context), []);
  }));

Deno.test("removeUser() needs no auth server for an id", () =>
  withAuthServer(async ({ sql }) => {
    const [company, userId] = [(await insertCompany(sql)).id, crypto.randomUUID()];
    await insertMember(sql, company, userId);
    const authServer = () => assert.fail("asked for the auth server");

    const result = await removeUser({ sql, authServer }, { user: userId, companyIds: [company] });

    assert.deepEqual(result, { userId, removed: [company] });
  }));

Deno.test("listUsers() says who is banned, and who is gone from the auth server", () =>
  withAuthServer(async (fixture) => {
    const { context, first, second, userId, email } = await membership(fixture);
    const goneId = crypto.randomUUID();
    await insertMember(fixture.sql, second, goneId);
    await fixture.sql`update auth.users set banned_until = now() + interval '1 day' where id = ${userId}`;

    const all = await listUsers(context);
    const one = await listUsers(context, { companyId: first });

    assert.deepEqual(one.map(({ user_id: userId, email, state }) => [userId, email, state]), [[
      userId,
      email,
      "banned",
    ]]);
    assert.deepEqual(all.find((row) => row.user_id === goneId), {
      ...{ user_id: goneId, role: "owner", email: null, name: null, state: "gone", lastSignInAt: null },
      ...{ company_id: second, company_name: all.find((row) => row.user_id === goneId)!.company_name },
    });
    await assert.rejects(listUsers(context, { companyId: crypto.randomUUID() }), { code: "not_found" });
    await assert.rejects(listUsers({ ...context, supabaseSecretKey: "wrong" }), { code: "platform_error" });
  }));

Deno.test("setUserRole() changes the role in all companies named or in none, also of the last owner", () =>
  withAuthServer(async (fixture) => {
    const { context, first, second, userId, email } = await membership(fixture);
    const setRole = (companyIds: string[]) =>
      setUserRole({ sql: fixture.sql, authServer: () => context }, {
        user: email,
        companyIds,
        role: "viewer",
      });

    await assert.rejects(setRole([first, second]), {
      code: "not_found",
      message: `User ${email} does not belong to company ${second}`,
    });
    assert.equal((await listUsers(context))[0]!.role, "owner");
    assert.deepEqual(await setRole([first]), { userId, role: "viewer" });
    assert.equal((await listUsers(context))[0]!.role, "viewer");
  }));

Deno.test("commands that change members are in the audit", () =>
  withAuthServer(async (fixture) => {
    const { context, first, second, userId } = await membership(fixture);
    const shared = { sql: fixture.sql, authServer: () => context };

    await addUser(context, { user: userId, companyIds: [first, second], role: "viewer" });
    await setUserRole(shared, { user: userId, companyIds: [second], role: "operator" });
    await removeUser(shared, { user: userId, companyIds: [first, second] });

    const rows = await fixture.sql`
      select company_id, actor, action, subject, before ->> 'role' as before, after ->> 'role' as after
      from outbound.audit_log order by at`;
    const entry = (company_id: string, action: string, before: string | null, after: string | null) => ({
      company_id,
      actor: "cli",
      action: `member.${action}`,
      subject: userId,
      before,
      after,
    });
    assert.deepEqual(rows.slice(0, 3).map((row) => ({ ...row })), [
      entry(first, "added", null, "owner"),
      entry(second, "added", null, "viewer"),
      entry(second, "updated", "viewer", "operator"),
    ]);
    assert.deepEqual(
      rows.slice(3).map((row) => `${row.company_id} ${row.action} ${row.before}`).sort(),
      [`${first} member.removed owner`, `${second} member.removed operator`].sort(),
    );
  }));
