import assert from "node:assert/strict";
import { withManage } from "./with_manage.ts";

const PATH = "/my/drafts/widget/0192f8b1-1111-4222-8333-444455556666";

Deno.test("what a member typed is kept for that member alone, in place of what was kept, until it is removed", () =>
  withManage(async (t) => {
    const path = `/companies/${t.company.id}${PATH}`;
    const { operator, owner, viewer } = t.members;
    assert.deepEqual((await operator.ask("GET", path)).body.draft, null);

    for (const name of ["Web", "Website"]) await operator.ask("PUT", path, { body: { name } });

    const { draft } = (await operator.ask("GET", path)).body;
    assert.deepEqual(draft.body, { name: "Website" });
    assert.ok(Math.abs(Date.now() - Date.parse(draft.updated_at)) < 60_000);
    assert.equal((await owner.ask("GET", path)).body.draft, null);
    assert.equal((await viewer.ask("GET", path)).status, 403);
    assert.equal((await operator.ask("DELETE", path)).body.draft, null);
    assert.equal((await operator.ask("GET", path)).body.draft, null);
    const audit = await t.sql`select action from outbound.audit_log where company_id = ${t.company.id}`;
    assert.deepEqual([...audit], []);
  }));

Deno.test("a draft is bounded in size, a member in drafts, and both end with the membership", () =>
  withManage(async (t) => {
    const { operator } = t.members;
    const put = (key: string, text: string) =>
      operator.ask("PUT", `/companies/${t.company.id}/my/drafts/template/${key}`, { body: { text } });
    assert.equal((await put("large", "x".repeat(70_000))).status, 413);
    assert.equal((await put("a%20key", "x")).status, 404);
    await t.sql`insert into outbound.member_drafts (company_id, user_id, kind, key, body, updated_at)
      select ${t.company.id}, ${operator.userId}, 'template', 'k' || n, '{}', now() - make_interval(mins => n)
      from generate_series(1, 50) as n`;

    await put("new", "x");

    const kept = await t.sql`select key from outbound.member_drafts where user_id = ${operator.userId}`;
    assert.equal(kept.length, 50);
    assert.ok(!kept.some(({ key }) => key === "k50"));
    await t.sql`update outbound.member_drafts set updated_at = now() - interval '31 days' where key = 'k1'`;
    const [{ cleaned }] = await t.sql`select outbound.clean_up() as cleaned` as [
      { cleaned: { member_drafts: number } },
    ];
    assert.equal(cleaned.member_drafts, 1);
    await t.sql`delete from outbound.memberships where user_id = ${operator.userId}`;
    assert.equal(
      (await t.sql`select from outbound.member_drafts where user_id = ${operator.userId}`).length,
      0,
    );
  }));
