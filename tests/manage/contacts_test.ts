import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { insertMember } from "../setup/fixtures/fixtures.ts";
import { enqueue, insertSendingCompany, type SendingCompany } from "../setup/fixtures/queue.ts";
import { type Manage, withManage } from "./with_manage.ts";

const NUMBER = "34600111222";

interface Person {
  company: SendingCompany;
  read(path: string, query?: Record<string, string>): Promise<JsonObject>;
  act(method: string, path: string, body: unknown): Promise<JsonObject>;
}

/** A company that can send, with its members, and three notifications to one person. */
async function withHistory(t: Manage): Promise<Person> {
  const company = await insertSendingCompany(t.sql);
  const { viewer, owner } = t.members;
  await insertMember(t.sql, company.id, viewer.userId, "viewer");
  await insertMember(t.sql, company.id, owner.userId, "owner");
  for (let count = 0; count < 3; count++) await enqueue(t.sql, company);
  await t.sql`update outbound.notification_facts set number = ${NUMBER} where company_id = ${company.id}`;
  const below = (path: string) => `/companies/${company.id}/contacts${path}`;
  return {
    company,
    read: async (path, query = {}) =>
      (await viewer.ask("GET", below(path), undefined, { number: NUMBER, ...query })).body,
    act: async (method, path, body) => (await owner.ask(method, below(path), body)).body,
  };
}

Deno.test("a member finds what a person was sent, page by page, under a number or a user id", () =>
  withManage(async (t) => {
    const { company, read } = await withHistory(t);
    const { viewer } = t.members;
    await t
      .sql`insert into outbound.user_ids (company_id, user_id, number) values (${company.id}, 'ES.1', ${NUMBER})`;
    await t.sql`update outbound.notification_facts set user_id = 'ES.1' where company_id = ${company.id}`;

    const first = await read("/notifications", { limit: "2" });
    const second = await read("/notifications", { limit: "2", after: first.next });
    const { body } = await viewer.ask("GET", `/companies/${company.id}/contacts/notifications`, undefined, {
      user_id: "ES.1",
    });

    const ids = [...first.notifications, ...second.notifications].map((each) => each.notification_id);
    assert.deepEqual([ids.length, new Set(ids).size, second.next], [3, 3, null]);
    assert.deepEqual(body.notifications.map((each: JsonObject) => each.notification_id), ids);
    assert.deepEqual((await read("/person")).addresses, [NUMBER, "ES.1"]);
  }));

Deno.test("a member suppresses, records consent and lifts; each is in the audit, without the person", () =>
  withManage(async (t) => {
    const { company, read, act } = await withHistory(t);
    const suppression = { suppressions: [{ number: NUMBER, detail: "Asked by phone" }] };

    assert.equal((await act("POST", "/suppressions", suppression)).added, 1);
    assert.equal((await act("POST", "/suppressions", suppression)).already, 1);
    assert.equal((await read("/suppressions")).suppressions.length, 1);
    const lift = { number: NUMBER, channel: "any", category: "marketing" };
    assert.equal((await act("DELETE", "/suppressions", lift)).lifted, 1);
    const granted = {
      ...{ number: NUMBER, channel: "whatsapp", status: "granted", method: "phone" },
      consented_at: "2026-01-01T00:00:00Z",
    };
    assert.equal((await act("POST", "/consents", { consents: [granted] })).added, 1);
    assert.equal((await read("/consents")).consents.length, 1);
    assert.equal((await read("/person")).suppressions[0].lifted_by, "api");

    const rows = await t.sql`select actor, action, subject, audit_log::text as text from outbound.audit_log
      where company_id = ${company.id} order by at, id`;
    assert.deepEqual(rows.map(({ action }) => action), [
      "contact.suppressed",
      "suppression.lifted",
      "consent.recorded",
    ]);
    assert.ok(rows.every(({ actor }) => actor === `user:${t.members.owner.userId}`));
    assert.ok(rows.every(({ text, subject }) => subject === null && !text.includes(NUMBER)));
  }));

Deno.test("a member exports and erases a person", () =>
  withManage(async (t) => {
    const { company, read, act } = await withHistory(t);

    const exported = await act("GET", `/export?number=${NUMBER}`, undefined);
    const { erased } = await act("POST", "/erase", { number: NUMBER });

    assert.equal(exported.notifications.length, 3);
    assert.deepEqual([erased.notifications, erased.skipped], [3, 3]);
    assert.deepEqual((await read("/notifications")).notifications, []);
    const rows = await t
      .sql`select action from outbound.audit_log where company_id = ${company.id} order by at`;
    assert.deepEqual(rows.map(({ action }) => action), ["contact.exported", "contact.erased"]);
  }));

Deno.test("a request without a person, or with a bad one, is refused", () =>
  withManage(async (t) => {
    for (const path of ["/person", "/notifications"]) {
      for (const query of [{}, { number: "+34 600" }, { user_id: "x" }, { number: "1'--" }]) {
        assert.equal((await t.read(`/contacts${path}`, query as Record<string, string>)).status, 400, path);
      }
    }
    for (const body of [{}, { suppressions: [] }, { suppressions: [{ number: "34600111222" }], more: 1 }]) {
      assert.equal((await t.act("/contacts/suppressions", body)).status, 400);
    }
  }));
