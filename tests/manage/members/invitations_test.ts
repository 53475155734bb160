import assert from "node:assert/strict";
import { addUser } from "../../../cli/user/actions.ts";
import { insertInvitation, insertKey } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { auditOf } from "../read_audit.ts";
import { type Manage, withManage } from "../with_manage.ts";

/** Returns the companies and the invitations of the invited person. */
async function standing({ invited }: Manage): Promise<JsonObject[][]> {
  const { companies } = (await invited.ask("GET", "/companies")).body;
  const { invitations } = (await invited.ask("GET", "/invitations")).body;
  return [companies, invitations];
}

Deno.test("POST /manage/invitations/{company_id}/accept makes one a member at once, and only once", () =>
  withManage(async (t) => {
    const company = { company_id: t.company.id, name: "Acme", role: "owner" };
    const [companies, [invitation, ...others]] = await standing(t) as [JsonObject[], JsonObject[]];
    const { invited_at, ...offered } = invitation!;
    const path = `/invitations/${t.company.id.toUpperCase()}/accept`;
    const readAudit = () => t.invited.ask("GET", `/companies/${t.company.id}/audit`);
    assert.equal((await readAudit()).status, 404);

    const accepted = await t.invited.ask("POST", path);

    assert.deepEqual([companies, offered, others], [[], company, []]);
    assert.ok(Date.parse(invited_at) > 0);
    assert.deepEqual([accepted.status, accepted.body], [200, { ...company, test: false }]);
    assert.equal((await readAudit()).status, 200);
    assert.deepEqual(await standing(t), [[{ ...company, test: false }], []]);
    assert.equal((await t.invited.ask("POST", path)).status, 404);
    const [entry] = await auditOf(t, { subject: t.invited.userId });
    assert.deepEqual([entry!.actor, entry!.action, entry!.after], [
      `user:${t.invited.userId}`,
      "member.accepted",
      { role: "owner" },
    ]);
  }));

Deno.test("POST /manage/invitations/{company_id}/decline ends an invitation, and no membership", () =>
  withManage(async (t) => {
    const path = `/invitations/${t.company.id}/decline`;

    const declined = await t.invited.ask("POST", path);

    assert.deepEqual([declined.status, declined.body], [200, { company_id: t.company.id, declined: true }]);
    assert.deepEqual(await standing(t), [[], []]);
    const [entry] = await auditOf(t, { subject: t.invited.userId });
    assert.deepEqual([entry!.action, entry!.before], ["member.declined", { role: "owner" }]);
    for (const other of [t.invited, t.stranger, t.members.owner]) {
      assert.equal((await other.ask("POST", path)).status, 404);
      assert.equal((await other.ask("POST", `/invitations/${t.company.id}/accept`)).status, 404);
    }
    assert.equal((await t.members.owner.ask("POST", "/invitations/nothing/accept")).status, 404);
    assert.equal((await t.http.post(`/manage${path}`)).status, 401);
  }));

Deno.test("a session that has just ended accepts nothing, although its token was good a moment ago", () =>
  withManage(async (t) => {
    assert.equal((await t.invited.ask("GET", "/invitations")).body.invitations.length, 1);
    await t.sql`delete from auth.sessions where user_id = ${t.invited.userId}`;

    for (const step of ["accept", "decline"]) {
      assert.equal((await t.invited.ask("POST", `/invitations/${t.company.id}/${step}`)).status, 401);
    }
  }));

Deno.test("an invitation changes nothing for POST /api_keys, not even from a company without API access", () =>
  withManage(async (t) => {
    const { key } = await insertKey(t.sql, t.company.id);
    const { operator } = t.members;
    const [suspended] = await t.sql`
      insert into outbound.companies (name, api_access) values ('AAA Suspended', false) returning id`;
    await insertInvitation(t.sql, suspended!.id, operator.userId);
    const list = async ({ token }: { token: string }) =>
      await t.http.post("/api_keys", undefined, { headers: { authorization: `Bearer ${token}` } });

    assert.deepEqual((await list(operator)).body.validApiKeys.map((entry: JsonObject) => entry.key), [key]);
    assert.deepEqual((await list(t.invited)).body, { validApiKeys: [] });
    await operator.ask("POST", `/invitations/${suspended!.id}/accept`);
    const denied = await list(operator);
    assert.deepEqual([denied.status, denied.body.deniedCompanies.length], [403, 1]);
  }));

Deno.test("an invitation opens nothing to agents", () =>
  withManage(async (t) => {
    const call = async (args: JsonObject) => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
      const params = { name: "list_campaigns", arguments: args };
      const headers = { authorization: `Bearer ${t.invited.token}` };
      const { body } = await t.http.post("/mcp", { ...message, params }, { headers });
      return JSON.stringify(body);
    };
    assert.match(await call({ company_id: t.company.id }), /Company not found/);
    const unnamed = await call({});
    assert.match(unnamed, /company_id/);
    assert.ok(!unnamed.includes(t.company.id));
  }));

Deno.test("an invited person is offered no conversation, and the names of members stay among members", () =>
  withManage(async (t) => {
    const { body } = await t.read("/conversations/assignees");
    assert.deepEqual(
      body.members.map(({ user_id }: JsonObject) => user_id).sort(),
      Object.values(t.members).map(({ userId }) => userId).sort(),
    );
    const [row] = await t.sql`
      select outbound.assign_conversation(${t.company.id}, 'chat', gen_random_uuid(), ${t.invited.userId}, 'cli', null)
        as outcome`;
    assert.equal(row!.outcome, "not_a_member");
  }));

Deno.test("the command line makes an invited person a member", () =>
  withManage(async (t) => {
    const { SUPABASE_URL, SUPABASE_SECRET_KEY } = t.env;
    const session = { sql: t.sql, supabaseUrl: SUPABASE_URL!, supabaseSecretKey: SUPABASE_SECRET_KEY! };
    const companyIds = [t.company.id];

    const { added } = await addUser(session, { user: t.invited.userId, companyIds, role: "viewer" });

    assert.deepEqual(added, companyIds);
    assert.deepEqual(await standing(t), [[{
      company_id: t.company.id,
      name: "Acme",
      role: "viewer",
      test: false,
    }], []]);
  }));
