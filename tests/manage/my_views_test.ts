import assert from "node:assert/strict";
import { withManage } from "./with_manage.ts";

const VIEW = { screen: "campaigns", name: "Open ones", query: "open=true&name=spring+sale" };

Deno.test("a member saves, finds, renames and removes views, which are that member's alone", () =>
  withManage(async (t) => {
    const path = `/companies/${t.company.id}/my/views`;
    const { viewer, owner } = t.members;
    const saved = (await viewer.ask("POST", path, VIEW)).body;
    assert.deepEqual([saved.screen, saved.name, saved.query], Object.values(VIEW));
    await viewer.ask("POST", path, { ...VIEW, screen: "contacts", name: "Ann" });
    assert.equal((await viewer.ask("POST", path, VIEW)).body.details.field, "name");

    const namesOf = async (query = "") =>
      (await viewer.ask("GET", `${path}${query}`)).body.views.map(({ name }: { name: string }) => name);
    assert.deepEqual(await namesOf(), ["Ann", "Open ones"]);
    assert.deepEqual(await namesOf("?screen=campaigns"), ["Open ones"]);
    assert.deepEqual((await owner.ask("GET", path)).body.views, []);

    const one = `${path}/${saved.view_id}`;
    const renamed = await viewer.ask("PUT", one, { name: "Running", query: "open=true" });
    assert.deepEqual(renamed.body, { ...saved, name: "Running", query: "open=true" });
    await viewer.ask("POST", path, VIEW);
    assert.equal(
      (await viewer.ask("PUT", one, { name: VIEW.name, query: "a=b" })).body.details.field,
      "name",
    );
    for (const [method, body] of [["PUT", { name: "x", query: "a=b" }], ["DELETE", undefined]] as const) {
      assert.equal((await owner.ask(method, one, body)).status, 404);
    }
    assert.deepEqual((await viewer.ask("DELETE", one)).body, { view_id: saved.view_id, removed: true });
    assert.deepEqual(await namesOf("?screen=campaigns"), ["Open ones"]);
    const audit = await t.sql`select action from outbound.audit_log where company_id = ${t.company.id}`;
    assert.deepEqual([...audit], []);
  }));

Deno.test("a view is checked, a member has a hundred at most, and they end with the membership", () =>
  withManage(async (t) => {
    const path = `/companies/${t.company.id}/my/views`;
    const { operator } = t.members;
    for (
      const [field, value] of [
        ["screen", "keys"],
        ["name", " "],
        ["query", ""],
        ["query", "a=b#/other"],
        ["query", "x".repeat(2001)],
      ]
    ) {
      const { status, body } = await operator.ask("POST", path, { ...VIEW, [field!]: value });
      assert.deepEqual([status, body.details.field], [400, field], value);
    }
    await t.sql`insert into outbound.member_views (company_id, user_id, id, screen, name, query)
      select ${t.company.id}, ${operator.userId}, gen_random_uuid(), 'campaigns', 'v' || n, 'a=b'
      from generate_series(1, 100) as n`;

    const full = await operator.ask("POST", path, VIEW);

    assert.deepEqual([full.status, full.body.details.field], [400, "screen"]);
    await t.sql`delete from outbound.memberships where user_id = ${operator.userId}`;
    assert.equal((await t.sql`select from outbound.member_views`).length, 0);
  }));
