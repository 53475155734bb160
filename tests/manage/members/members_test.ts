import assert from "node:assert/strict";
import { withAuthProxy } from "../../e2e/auth/auth_proxy.ts";
import { insertCompany, insertMember } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { withServicesOn } from "../../setup/stack/services.ts";
import { auditOf } from "../read_audit.ts";
import { type Manage, withManage } from "../with_manage.ts";

/** Asks for a path of the company's members, as its owner unless another user is named. */
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
    await insertMember(t.sql, (await insertCompany(t.sql)).id);

    const first = (await ask("GET", "", undefined, { limit: "2" })).body;
    const rest = (await ask("GET", "", undefined, { limit: "100", after: first.next })).body;

    const [lost, pending] = first.members;
    assert.deepEqual([lost.user_id, lost.email, lost.state], [gone, null, "gone"]);
    assert.deepEqual([pending.user_id, pending.state], [t.invited.userId, "pending"]);
    assert.deepEqual(
      rest.members.map(({ role, state }: JsonObject) => `${role} ${state}`).sort(),
      ["operator active", "owner active", "viewer banned"],
    );
    assert.equal(rest.next, null);
    assert.equal((await ask("GET", "", undefined, { limit: "101" })).status, 400);
  }));

Deno.test("POST …/members shows a company the same of a person with an account as of one without, until they accept", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const known = await t.createUser({ email: "known@acme.example", name: "Secret Name" });
    await t.logIn(known);
    await t.sql`update auth.users set banned_until = now() + interval '1 day' where id = ${known.id}`;
    const emails = ["Known@Acme.example", "new@acme.example"];

    const responses = await Promise.all(emails.map((email) => ask("POST", "", { email, role: "operator" })));
    const { body: { members } } = await ask("GET");

    assert.deepEqual(responses.map(({ status, body: { user_id: _, ...rest } }) => [status, rest]), [
      [200, { added: true, invited: true }],
      [200, { added: true, invited: true }],
    ]);
    const shown = members.filter(({ role, state }: JsonObject) => role === "operator" && state === "pending");
    assert.deepEqual(
      shown.map(({ user_id: _, added_at: __, ...rest }: JsonObject) => rest).sort((
        a: JsonObject,
        b: JsonObject,
      ) => a.email < b.email ? -1 : 1),
      emails.map((email) => ({
        email,
        name: null,
        role: "operator",
        state: "pending",
        picture_url: null,
        last_sign_in_at: null,
      })),
    );
  }));

Deno.test("POST …/members invites once per request, adds once, and keeps a role", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const body = { email: "ana@acme.example", role: "operator" };

    const first = (await ask("POST", "", body)).body;
    const again = (await ask("POST", "", { ...body, role: "viewer" })).body;

    assert.deepEqual([first.added, first.invited], [true, true]);
    assert.deepEqual(again, { user_id: first.user_id, added: false, invited: true });
    const [row] = await t.sql`select role from outbound.memberships where user_id = ${first.user_id}`;
    assert.equal(row!.role, "operator");
    assert.deepEqual(await auditOf(t), [{
      actor: `user:${t.members.owner.userId}`,
      action: "member.invited",
      subject: first.user_id,
      before: null,
      after: { role: "operator" },
    }]);
  }));

Deno.test("POST …/members sends a member nothing, and keeps their role", () =>
  withManage(async (t) => {
    const [user] = await t.sql`select email from auth.users where id = ${t.members.viewer.userId}`;

    const { body } = await asker(t)("POST", "", { email: user!.email, role: "owner" });

    assert.deepEqual(body, { user_id: t.members.viewer.userId, added: false, invited: false });
    assert.equal((await t.members.viewer.ask("GET", "/companies")).body.companies[0].role, "viewer");
  }));

Deno.test("POST …/members finds an account by its e-mail, among others that contain it", () =>
  withManage(async (t) => {
    const user = await t.createUser({ email: "a_b@acme.example" });
    await t.createUser({ email: "axb@acme.example" });
    await t.createUser({ email: "aa_b@acme.example" });

    const { body } = await asker(t)("POST", "", { email: "A_b@acme.example", role: "viewer" });

    assert.equal(body.user_id, user.id);
  }));

Deno.test("POST …/members ends passwords and sessions of an account whose e-mail is not confirmed", () =>
  withManage(async (t) => {
    const password = "a stranger's own password";
    const admin = (method: string, path: string, body: unknown) =>
      fetch(`${t.authUrl}/auth/v1/admin/users${path}`, {
        method,
        headers: { apikey: t.env.SUPABASE_SECRET_KEY!, "content-type": "application/json" },
        body: JSON.stringify(body),
      }).then((response) => response.json());
    const { id } = await admin("POST", "", { email: "victim@acme.example", password });
    await t.sql`
      insert into auth.sessions (id, user_id, created_at, updated_at, aal)
      values (gen_random_uuid(), ${id}, now(), now(), 'aal1')`;

    // A stranger who is logged in when the invitation is stored could accept it.
    await t.sql.unsafe(`
      create function public.refuse_logged_in() returns trigger language plpgsql as $$
      begin
        if exists (select from auth.sessions where user_id = new.user_id) then
          raise exception 'a user is logged in';
        end if;
        return new;
      end $$;
      create trigger refuse_logged_in before insert on outbound.memberships
        for each row when (new.user_id = '${id}') execute function public.refuse_logged_in();`);

    const { body } = await asker(t)("POST", "", { email: "victim@acme.example", role: "owner" });

    await t.sql.unsafe("drop function public.refuse_logged_in cascade");
    assert.deepEqual([body.user_id, body.invited], [id, true]);
    assert.deepEqual([...await t.sql`select 1 from auth.sessions where user_id = ${id}`], []);
    // As the person does who follows the link.
    await admin("PUT", `/${id}`, { email_confirm: true });
    const logIn = { email: "victim@acme.example", password };
    const { status } = await t.http.post("/auth", logIn, { query: { grant_type: "password" } });
    assert.equal(status, 401);
  }));

Deno.test("POST …/members responds the same where the login service sends an account no link", () =>
  withAuthProxy((proxy) =>
    withManage(async (t) => {
      proxy.target = t.authUrl;
      const { email } = await t.createUser();
      const headers = { authorization: `Bearer ${t.members.owner.token}` };
      const { SUPABASE_PUBLISHABLE_KEY, SUPABASE_SECRET_KEY } = t.env;
      const env = {
        SUPABASE_URL: proxy.url,
        SUPABASE_PUBLISHABLE_KEY: SUPABASE_PUBLISHABLE_KEY!,
        SUPABASE_SECRET_KEY: SUPABASE_SECRET_KEY!,
      };
      await withServicesOn(t.databaseUrl, async ({ http }) => {
        const invite = async (status: number, error_code: string, msg: string) => {
          proxy.respond = ({ url }) =>
            new URL(url).pathname === "/auth/v1/otp"
              ? Response.json({ code: status, error_code, msg }, { status })
              : undefined;
          const path = `/manage/companies/${t.company.id}/members`;
          const { status: responded, body } = await http.post(path, { email, role: "viewer" }, { headers });
          return [responded, body.invited];
        };
        const sent = [200, true];
        const pause = "For security purposes, you can only request this after 30 seconds.";
        assert.deepEqual(await invite(422, "email_provider_disabled", "Log-in by link is disabled"), sent);
        assert.deepEqual(await invite(422, "otp_disabled", "Signups not allowed for otp"), sent);
        assert.deepEqual(await invite(429, "over_request_rate_limit", "Request rate limit reached"), sent);
        assert.deepEqual(await invite(429, "over_email_send_rate_limit", pause), sent);
        const limited = await invite(429, "over_email_send_rate_limit", "Email rate limit exceeded");
        assert.equal(limited[0], 429, "the limit for all accounts");
      }, { env });
    })
  ));

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

Deno.test("an invitation that was not accepted can be changed and withdrawn", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const { userId } = t.invited;

    await ask("PUT", `/${userId}`, { role: "viewer" });
    const { body: { invitations } } = await t.invited.ask("GET", "/invitations");
    const statuses = [(await ask("DELETE", `/${userId}`)).status, (await ask("DELETE", `/${userId}`)).status];

    assert.deepEqual(invitations.map(({ role }: JsonObject) => role), ["viewer"]);
    assert.deepEqual(statuses, [200, 404]);
    assert.deepEqual((await t.invited.ask("GET", "/invitations")).body.invitations, []);
  }));

Deno.test("POST …/leave ends one's own membership", () =>
  withManage(async (t) => {
    const { viewer } = t.members;

    const { status, body } = await viewer.ask("POST", `/companies/${t.company.id}/leave`);

    assert.deepEqual([status, body], [200, { company_id: t.company.id, left: true }]);
    assert.deepEqual((await viewer.ask("GET", "/companies")).body.companies, []);
    const [entry] = await auditOf(t, { subject: viewer.userId });
    assert.deepEqual([entry!.actor, entry!.action], [`user:${viewer.userId}`, "member.left"]);
  }));

Deno.test("the last owner can neither leave nor become less, also beside one who was invited", () =>
  withManage(async (t) => {
    const ask = asker(t);
    const { userId } = t.members.owner;

    const refusals = [
      await ask("PUT", `/${userId}`, { role: "operator" }),
      await ask("DELETE", `/${userId}`),
      await t.members.owner.ask("POST", `/companies/${t.company.id}/leave`),
    ];

    for (const { status, body } of refusals) assert.deepEqual([status, body.error], [409, "last_owner"]);
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
