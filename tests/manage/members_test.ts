import assert from "node:assert/strict";
import { insertCompany, insertMember } from "../setup/fixtures.ts";
import type { JsonObject } from "../setup/http.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

/** Asks for a path of the company's members, as its owner unless somebody else is named. */
function asker(t: Manage, by = t.members.owner) {
  return (method: string, path = "", body?: unknown, query?: Record<string, string>) =>
    by.ask(method, `/companies/${t.company.id}/members${path}`, body, query);
}

Deno.test("GET …/members lists members page by page, newest first, as the login service knows them", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const gone = (await insertMember(t.sql, t.company.id, crypto.randomUUID(), "viewer")).user_id;
    await t.sql`update auth.users set banned_until = now() + interval '1 day'
      where id = ${t.members.viewer.userId}`;
    await ask("POST", "", { email: "New@Acme.example", role: "operator", name: "Neo" });
    await insertMember(t.sql, (await insertCompany(t.sql)).id);

    const first = (await ask("GET", "", undefined, { limit: "2" })).body;
    const rest = (await ask("GET", "", undefined, { limit: "100", after: first.next })).body;

    const [invited, lost] = first.members;
    assert.deepEqual([invited.email, invited.name, invited.role, invited.state], [
      "new@acme.example",
      "Neo",
      "operator",
      "invited",
    ]);
    assert.deepEqual([lost.user_id, lost.email, lost.state], [gone, null, "gone"]);
    assert.deepEqual(
      rest.members.map(({ role, state }: JsonObject) => `${role} ${state}`).sort(),
      ["operator active", "owner active", "viewer banned"],
    );
    assert.equal(rest.next, null);
    assert.equal((await ask("GET", "", undefined, { limit: "101" })).status, 400);
  }));

Deno.test("POST …/members invites once per request, makes a member once, and keeps a role", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const body = { email: "ana@acme.example", role: "operator" };

    const first = (await ask("POST", "", body)).body;
    const again = (await ask("POST", "", { ...body, role: "viewer" })).body;

    assert.deepEqual([first.added, first.invited], [true, true]);
    assert.deepEqual(again, { user_id: first.user_id, added: false, invited: true });
    const [row] = await t.sql`select role from outbound.company_members where user_id = ${first.user_id}`;
    assert.equal(row!.role, "operator");
    assert.deepEqual(await auditOf(t), [{
      actor: `user:${t.members.owner.userId}`,
      action: "member.added",
      subject: first.user_id,
      before: null,
      after: { role: "operator" },
    }]);
  }));

Deno.test("POST …/members finds an account by its e-mail, among others that contain it", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const user = await t.createUser({ email: "a_b@acme.example" });
    await t.createUser({ email: "axb@acme.example" });
    await t.createUser({ email: "aa_b@acme.example" });

    const { body } = await ask("POST", "", { email: "A_b@acme.example", role: "viewer" });

    assert.deepEqual(body, { user_id: user.id, added: true, invited: false });
    const token = await t.logIn(user);
    const headers = { authorization: `Bearer ${token}` };
    const { body: { companies } } = await t.http.get("/manage/companies", { headers });
    assert.deepEqual(companies.map((row: JsonObject) => [row.company_id, row.role]), [[
      t.company.id,
      "viewer",
    ]]);
  }));

Deno.test("POST …/members refuses what is no e-mail or role, and stores nothing", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const refusals = [
      [{ role: "viewer" }, "email"],
      [{ email: "no address", role: "viewer" }, "email"],
      [{ email: `${"x".repeat(250)}@acme.example`, role: "viewer" }, "email"],
      [{ email: "ana@acme.example", role: "admin" }, "role"],
      [{ email: "ana@acme.example", role: "viewer", name: "a\nb" }, "name"],
      [{ email: "ana@acme.example", role: "viewer", user_id: "x" }, "user_id"],
    ] as const;
    for (const [body, field] of refusals) {
      const answer = await ask("POST", "", body);
      assert.deepEqual([answer.status, answer.body.details.field], [400, field], JSON.stringify(body));
    }
    assert.deepEqual(await auditOf(t), []);
  }));

Deno.test("POST …/members is limited per company", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const statuses: number[] = [];
    for (let count = 0; count < 21; count++) {
      statuses.push((await ask("POST", "", { email: `person${count}@acme.example`, role: "viewer" })).status);
    }
    assert.deepEqual(statuses, [...Array(20).fill(200), 429]);
  }));

Deno.test("names of members are read 60 times per minute by owners, and 300 times by those who read the inbox", () =>
  withManage(async (t) => {
    const { owner, viewer } = t.members;
    const read = async (path: string) =>
      (await viewer.ask("GET", `/companies/${t.company.id}${path}`)).status;
    const list = async () => (await owner.ask("GET", `/companies/${t.company.id}/members`)).status;
    const use = (what: string, count: number) => {
      for (let used = 0; used < count; used++) {
        t.services.perMinute.count(`${what}:company:${t.company.id}`, count);
      }
    };

    use("assignees", 300);
    assert.deepEqual([await read("/conversations/assignees"), await list()], [429, 200]);
    use("members", 60);
    assert.equal(await list(), 429);
  }));

Deno.test("members' routes respond 502 while the login service cannot be reached or is not set up", () =>
  withManage(async (t) => {
    const owner = asker(t);
    assert.equal((await owner("GET", "", undefined)).status, 502);
    assert.equal((await owner("POST", "", { email: "ana@acme.example", role: "viewer" })).status, 502);
    assert.deepEqual(await auditOf(t), []);
  }, { env: { SUPABASE_SECRET_KEY: "wrong" } }));

Deno.test("PUT …/members/{user_id} changes a role, with one audit row however often it is repeated", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const { userId } = t.members.viewer;

    for (let repeat = 0; repeat < 2; repeat++) {
      const { body } = await ask("PUT", `/${userId}`, { role: "operator" });
      assert.deepEqual(body, { user_id: userId, role: "operator" });
    }

    assert.deepEqual(await auditOf(t, { subject: userId }), [{
      actor: `user:${t.members.owner.userId}`,
      action: "member.updated",
      subject: userId,
      before: { role: "viewer" },
      after: { role: "operator" },
    }]);
    assert.equal((await ask("PUT", `/${t.stranger.userId}`, { role: "owner" })).status, 404);
  }));

Deno.test("DELETE …/members/{user_id} removes a member once", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const { userId } = t.members.operator;

    const statuses = [(await ask("DELETE", `/${userId}`)).status, (await ask("DELETE", `/${userId}`)).status];

    assert.deepEqual(statuses, [200, 404]);
    const [entry, ...others] = await auditOf(t, { subject: userId });
    assert.deepEqual([entry!.action, entry!.before, others], ["member.removed", { role: "operator" }, []]);
  }));

Deno.test("the last owner can neither leave nor become less", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const { userId } = t.members.owner;

    const refusals = [
      await ask("PUT", `/${userId}`, { role: "operator" }),
      await ask("DELETE", `/${userId}`),
    ];

    assert.deepEqual(refusals.map(({ status, body }) => [status, body.error]), [
      [409, "last_owner"],
      [409, "last_owner"],
    ]);
    assert.deepEqual(await auditOf(t), []);
    await ask("PUT", `/${t.members.viewer.userId}`, { role: "owner" });
    assert.equal((await ask("DELETE", `/${userId}`)).status, 200);
  }));

Deno.test("owners who remove each other at the same moment leave one", () =>
  withManage(async (t) => {
    const owners = [t.members.owner, t.members.operator, t.members.viewer];
    await t.sql`update outbound.company_members set role = 'owner' where company_id = ${t.company.id}`;
    const askers = owners.map((owner) => asker(t, owner));
    // Their roles are remembered for a second, so that all are owners in every request below.
    await Promise.all(askers.map((ask) => ask("GET")));

    const responses = await Promise.all(owners.flatMap(({ userId }, index) => {
      const ask = askers[(index + 1) % owners.length]!;
      return [ask("DELETE", `/${userId}`), ask("PUT", `/${userId}`, { role: "viewer" })];
    }));

    const [row] = await t.sql<{ owners: number }[]>`
      select count(*)::int as owners from outbound.company_members
      where company_id = ${t.company.id} and role = 'owner'`;
    assert.equal(row!.owners, 1, JSON.stringify(responses.map(({ status }) => status)));
    assert.ok(responses.every(({ status }) => [200, 404, 409].includes(status)));
  }));
