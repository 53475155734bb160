import assert from "node:assert/strict";
import { suppress } from "../../setup/fixtures/contacts.ts";
import { insertCompany } from "../../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { contactOf, insertAttributes, insertContacts } from "../../setup/fixtures/people.ts";
import { auditOf } from "../read_audit.ts";
import { type Manage, withManage } from "../with_manage.ts";

const MADRID = { field: "attribute.city", op: "is", value: "madrid" };

async function withPeople(fn: (t: Manage & { ids: string[]; ask: Ask }) => Promise<void>): Promise<void> {
  await withManage(async (t) => {
    await insertAttributes(t.sql, t.company.id, { city: "text", visits: "number" });
    const contacts = [
      contactOf({
        number: "34600000001",
        name: "Ana",
        attributes: { city: "Madrid", visits: 3 },
        tags: ["vip"],
      }),
      contactOf({ number: "34600000002", name: "Bo", attributes: { city: "Bilbao" } }),
      contactOf({
        name: "Cid",
        attributes: { city: "Madrid" },
        addresses: [{ kind: "user_id", address: "ES.77" }, { kind: "email", address: "cid@example.com" }],
      }),
      contactOf({ name: "Dora", addresses: [{ kind: "email", address: "dora@example.com" }] }),
    ];
    await insertContacts(t.sql, t.company.id, contacts);
    const ask: Ask = async (method, path, body, query) => {
      const answer = await t.members.operator.ask(method, `/companies/${t.company.id}${path}`, body, query);
      return { status: answer.status, ...answer.body };
    };
    await fn({ ...t, ids: contacts.map(({ id }) => id), ask });
  });
}

type Ask = (
  method: string,
  path: string,
  body?: unknown,
  query?: Record<string, string>,
) => Promise<JsonObject>;

Deno.test("a list with a condition has those who meet it now", () =>
  withPeople(async ({ sql, company, ask, ids }) => {
    const list = await ask("POST", "/lists", { name: "Madrid", condition: MADRID });

    assert.deepEqual([list.status, list.name, list.condition, list.count], [200, "Madrid", MADRID, 2]);
    const members = await ask("GET", `/lists/${list.list_id}/members`);
    assert.deepEqual(members.members.map(({ name }: JsonObject) => name), ["Cid", "Ana"]);
    assert.deepEqual(members.members[0].addresses, [
      { kind: "email", address: "cid@example.com" },
      { kind: "user_id", address: "ES.77" },
    ]);
    const page = await ask("GET", `/lists/${list.list_id}/members`, undefined, { limit: "1" });
    const next = await ask("GET", `/lists/${list.list_id}/members`, undefined, {
      limit: "1",
      after: page.next,
    });
    assert.deepEqual(next.members.map(({ contact_id }: JsonObject) => contact_id), [ids[0]]);
    await sql`update outbound.contacts set attributes = '{}' where company_id = ${company.id} and id = ${ids[
      0
    ]!}`;
    assert.equal((await ask("GET", `/lists/${list.list_id}`)).count, 1);
  }));

Deno.test("pages of a list have its contacts in the order in which they were added, whatever their ids", () =>
  withPeople(async ({ sql, company, ask, ids }) => {
    const { list_id } = await ask("POST", "/lists", { name: "Madrid", condition: MADRID });
    await sql`
      update outbound.contacts set first_seen_at = now() + interval '1 day'
      where company_id = ${company.id} and id = ${ids[0]!}`;
    const names: string[] = [];
    let after: string | null | undefined;
    while (after !== null) {
      const page = await ask("GET", `/lists/${list_id}/members`, undefined, {
        limit: "1",
        ...after && { after },
      });
      names.push(...page.members.map(({ name }: JsonObject) => name));
      after = page.next;
    }
    assert.deepEqual(names, ["Ana", "Cid"]);
  }));

Deno.test("members are added to a list and taken off by ids and by any of their addresses", () =>
  withPeople(async (t) => {
    const { ask, ids } = t;
    const { list_id: id } = await ask("POST", "/lists", { name: "Picked" });
    const path = `/lists/${id}/members`;

    const added = await ask("POST", path, {
      contact_ids: [ids[0], crypto.randomUUID()],
      addresses: ["34600000002", "ES.77", "Cid@Example.com", "34699999999"],
    });

    assert.deepEqual([added.changed, added.unknown], [3, 2]);
    assert.equal((await ask("GET", `/lists/${id}`)).count, 3);
    assert.deepEqual((await ask("POST", path, { contact_ids: [ids[0]] })).changed, 0, "repeated");
    assert.deepEqual((await ask("DELETE", path, { addresses: ["34600000001"] })).changed, 1);
    const names = (await ask("GET", path)).members.map(({ name }: JsonObject) => name);
    assert.deepEqual(names, ["Cid", "Bo"]);
    assert.deepEqual((await auditOf(t)).map(({ action, after }) => [action, after]), [
      ["list_members.removed", { members: 1 }],
      ["list_members.added", { members: 3 }],
      ["list.created", { name: "Picked" }],
    ]);
  }));

Deno.test("a list is renamed, changed, listed and deleted; its contacts stay", () =>
  withPeople(async ({ sql, company, ask }) => {
    const first = await ask("POST", "/lists", { name: "First", condition: MADRID });
    const second = await ask("POST", "/lists", { name: "Second" });

    const changed = await ask("PUT", `/lists/${first.list_id}`, {
      name: "Vips",
      condition: { field: "tag", op: "is", value: "vip" },
    });

    assert.deepEqual([changed.name, changed.count], ["Vips", 1]);
    const { lists } = await ask("GET", "/lists");
    assert.deepEqual(lists.map(({ name, count }: JsonObject) => [name, count]), [["Second", null], [
      "Vips",
      null,
    ]]);
    assert.equal((await ask("DELETE", `/lists/${second.list_id}`)).removed, true);
    assert.equal((await ask("GET", `/lists/${second.list_id}`)).status, 404);
    const [row] = await sql`select count(*)::int from outbound.contacts where company_id = ${company.id}`;
    assert.equal(row!.count, 4);
  }));

Deno.test("a count says who of an audience can be reached", () =>
  withPeople(async ({ sql, company, ask }) => {
    await suppress(sql, company.id, { number: "34600000002", channel: "whatsapp" });
    const everyone = { field: "first_seen_at", op: "is_set" };
    const madrid = await ask("POST", "/lists", { name: "Madrid", condition: MADRID });

    const all = await ask("POST", "/lists/count", { condition: everyone });
    const calls = await ask("POST", "/lists/count", { condition: everyone, channel: "voice" });
    const others = await ask("POST", "/lists/count", {
      condition: everyone,
      category: "all",
      except: [{ list_id: madrid.list_id }],
    });

    const figures = (
      { count, reachable, opted_out, without_address }: JsonObject,
    ) => [count, reachable, opted_out, without_address];
    assert.deepEqual(figures(all), [4, 2, 1, 1]);
    assert.deepEqual(figures(calls), [4, 2, 0, 2]);
    assert.deepEqual(figures(others), [2, 1, 0, 1]);
  }));

Deno.test("a list cannot lead to itself", () =>
  withPeople(async ({ sql, ask }) => {
    const one = await ask("POST", "/lists", { name: "One", condition: MADRID });
    const within = (id: string) => ({ not: { field: "list", op: "is", value: id } });
    const two = await ask("POST", "/lists", { name: "Two", condition: within(one.list_id) });
    assert.equal(two.count, 2);

    const cycle = await ask("PUT", `/lists/${one.list_id}`, { condition: within(two.list_id) });

    assert.deepEqual([cycle.status, cycle.details.field], [400, "condition.not"]);
    // As two changes at once could leave it.
    await sql`update outbound.contact_lists set condition = ${
      sql.json(within(two.list_id))
    } where id = ${one.list_id}`;
    assert.equal((await ask("GET", `/lists/${one.list_id}`)).count, null);
    assert.equal((await ask("POST", "/lists/count", { list_id: one.list_id })).status, 400);
  }));

Deno.test("a condition that makes no sense is refused, with the part that is wrong", async (test) => {
  const deep = (levels: number): JsonObject => levels === 1 ? MADRID : { not: deep(levels - 1) };
  const refused: Record<string, [JsonObject, string]> = {
    "no field": [{ op: "is", value: "x" }, "condition.field"],
    "an unknown field": [{ field: "age", op: "is", value: 3 }, "condition.field"],
    "an unknown attribute": [{ field: "attribute.age", op: "is", value: 3 }, "condition"],
    "an operator of another type": [{ field: "attribute.visits", op: "contains", value: 3 }, "condition.op"],
    "a value of another type": [
      { any: [MADRID, { field: "attribute.visits", op: "less", value: "3" }] },
      "condition.any[1].value",
    ],
    "no value": [{ field: "name", op: "is" }, "condition.value"],
    "two joints": [{ all: [MADRID], any: [MADRID] }, "condition"],
    "nothing joined": [{ all: [] }, "condition.all"],
    "six levels": [deep(6), "condition.not.not.not.not.not"],
    "51 tests": [{ all: new Array(51).fill(MADRID) }, "condition.all[50]"],
    "a long value": [{ field: "name", op: "is", value: "x".repeat(201) }, "condition.value"],
    "a NUL": [{ field: "name", op: "is", value: "a\0" }, ""],
    "an unknown list": [{ field: "list", op: "is", value: crypto.randomUUID() }, "condition"],
    "a day that is none": [{ field: "last_seen_at", op: "before", value: "2026-02-30" }, "condition.value"],
  };
  await withPeople(async ({ ask }) => {
    for (const [name, [condition, field]] of Object.entries(refused)) {
      await test.step(name, async () => {
        const answer = await ask("POST", "/lists", { name: "Refused", condition });

        assert.equal(answer.status, 400, JSON.stringify(answer));
        if (field !== "") assert.equal(answer.details.field, field);
      });
    }
    assert.equal((await ask("POST", "/lists", { name: "Five", condition: deep(5) })).status, 200);
    assert.equal((await ask("POST", "/lists", { name: "Five" })).details.field, "name", "taken");
    const { list_id: id } = await ask("POST", "/lists", { name: "Condition", condition: MADRID });
    assert.equal((await ask("POST", `/lists/${id}/members`, { addresses: ["34600000001"] })).status, 400);
    assert.equal((await ask("POST", "/contacts/tags", { list_id: id, add: ["x"] })).details.field, "list_id");
    assert.equal((await ask("POST", "/lists/count", {})).details.field, "audience");
    const many = Array.from({ length: 1001 }, (_, index) => String(34_600_000_000 + index));
    assert.equal((await ask("POST", `/lists/${id}/members`, { addresses: many })).status, 400);
  });
});

Deno.test("nothing of another company's lists and contacts is shown, counted or changed", () =>
  withPeople(async ({ sql, ask, ids }) => {
    const other = await insertCompany(sql);
    const stranger = contactOf({ number: "34600000001", name: "Ana" });
    await insertContacts(sql, other.id, [stranger]);
    const theirs = crypto.randomUUID();
    await sql`
      insert into outbound.contact_lists (company_id, id, name, created_by) values (${other.id}, ${theirs}, 'Theirs', 'cli')`;
    const { list_id: id } = await ask("POST", "/lists", { name: "Ours" });

    const added = await ask("POST", `/lists/${id}/members`, {
      contact_ids: [stranger.id],
      addresses: ["34600000001"],
    });

    assert.deepEqual([added.changed, added.unknown], [1, 1]);
    assert.deepEqual((await ask("GET", `/lists/${id}/members`)).members[0].contact_id, ids[0]);
    for (const [method, path] of [["GET", ""], ["PUT", ""], ["DELETE", ""], ["GET", "/members"]]) {
      const answer = await ask(
        method!,
        `/lists/${theirs}${path}`,
        method === "PUT" ? { name: "Mine" } : undefined,
      );
      assert.equal(answer.status, 404, `${method} ${path}`);
    }
    assert.equal((await ask("POST", "/lists/count", { list_id: theirs })).status, 400);
  }));
