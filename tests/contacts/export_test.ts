import assert from "node:assert/strict";
import type { JsonObject } from "../setup/http/http.ts";
import { callEventOf, enqueueCalls, insertCallingCompany } from "../setup/fixtures/calling_company.ts";
import { claim, enqueue, finish, report } from "../setup/fixtures/queue.ts";
import {
  ALIAS,
  insertKnownPerson,
  insertMessage,
  insertVisitor,
  NUMBER,
  OTHER,
  USER_ID,
} from "./known_person.ts";
import { withContacts } from "./with_contacts.ts";

Deno.test("GET …/contacts/export returns everything under every address of the person, and nothing of others", () =>
  withContacts(async (t) => {
    const [id] = await insertKnownPerson(t);

    const { status, body } = await t.ask("GET", "export", undefined, { user_id: USER_ID });

    assert.equal(status, 200);
    assert.deepEqual(body.addresses, [NUMBER, ALIAS, USER_ID]);
    const { contact, ...lists } = body;
    assert.deepEqual([contact.name, contact.tags, contact.attributes], ["Ana Ruiz", ["vip"], {
      city: "Madrid",
    }]);
    const sizes = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.length]));
    assert.deepEqual(sizes, {
      addresses: 3,
      user_ids: 1,
      suppressions: 2,
      consents: 3,
      marketing_cooldowns: 1,
      marketing_sends: 1,
      handoffs: 1,
      notifications: 1,
      messages: 2,
      chats: 1,
      chat_messages: 1,
      notes: 1,
      unreadable_archive_files: 0,
    });
    const [notification] = body.notifications;
    assert.deepEqual(
      [notification.notification_id, notification.campaign_name, notification.status, notification.number],
      [id, "A campaign", "delivered", NUMBER],
    );
    assert.equal(notification.content[0].parameters[0].text, "Ana");
    assert.match(notification.delivered_at, /^\d{4}-.*Z$/);
    assert.deepEqual(body.messages.map(({ text }: JsonObject) => text), ["Thank you", "And thank you"]);
    assert.ok(!JSON.stringify(body).includes(OTHER));
  }));

Deno.test("GET …/contacts/export takes a contact_id, and returns the chats of a person without number and user id", () =>
  withContacts(async (t) => {
    const { contactId, chatId } = await insertVisitor(t);
    await insertKnownPerson(t);
    await t.sql`
      insert into outbound.conversation_messages (company_id, conversation_id, sequence, author, text)
      select ${t.company.id}, ${chatId}, n, 'operator', 'Line ' || n from generate_series(2, 1001) as n`;

    const { status, body } = await t.ask("GET", "export", undefined, { contact_id: contactId });

    assert.equal(status, 200);
    const { contact, addresses, handoffs, notifications, messages, chats, chat_messages, notes } = body;
    assert.deepEqual([contact.contact_id, contact.name], [contactId, "Eva Gil"]);
    assert.deepEqual([addresses, notifications, messages], [[], [], []]);
    assert.deepEqual(handoffs.map(({ reason }: JsonObject) => reason), ["Eva Gil asks"]);
    assert.deepEqual(chats.map(({ conversation_id }: JsonObject) => conversation_id), [chatId]);
    assert.deepEqual(
      chat_messages.map(({ sequence }: JsonObject) => sequence),
      Array.from({ length: 1001 }, (_, index) => index + 1),
    );
    const [{ conversation_id, author, text }] = chat_messages;
    assert.deepEqual([conversation_id, author, text], [chatId, "visitor", "Eva Gil writes"]);
    assert.deepEqual(notes.map(({ text }: JsonObject) => text), ["Eva Gil is kind"]);
    const unknown = await t.ask("GET", "export", undefined, { contact_id: crypto.randomUUID() });
    assert.deepEqual([unknown.status, unknown.body.error], [404, "not_found"]);
  }));

Deno.test("an export is in the company's audit, without the person", () =>
  withContacts(async (t) => {
    await insertKnownPerson(t);

    const { headers } = await t.ask("GET", "export", undefined, { number: NUMBER });
    await t.ask("GET", "export", undefined, { number: "x" });

    const entries = await t.sql`
      select actor, action, subject, before, after, request_id from outbound.audit_log
      where action = 'contact.exported'`;
    assert.deepEqual([...entries], [{
      actor: `key:${t.company.key.id}`,
      action: "contact.exported",
      subject: null,
      before: null,
      after: null,
      request_id: headers.get("x-request-id"),
    }]);
  }));

Deno.test("GET …/contacts/export returns empty lists for an unknown person", () =>
  withContacts(async ({ ask }) => {
    const { status, body } = await ask("GET", "export", undefined, { number: "34699999999" });

    const { addresses, contact, ...lists } = body;
    assert.deepEqual([status, addresses, contact], [200, ["34699999999"], null]);
    assert.deepEqual([...new Set(Object.values(lists).map((list) => list.length))], [0]);
  }));

Deno.test("GET …/contacts/export needs a number or a user id", () =>
  withContacts(async ({ ask }) => {
    for (
      const [query, field] of [[{}, "number"], [{ number: "x" }, "number"], [
        { user_id: "x" },
        "user_id",
      ]] as const
    ) {
      const { status, body } = await ask("GET", "export", undefined, query as Record<string, string>);
      assert.deepEqual([status, body.error, body.details.field], [400, "validation_failed", field]);
    }
  }));

Deno.test("GET …/contacts/export reads long histories page by page, each thing once and in order", () =>
  withContacts(async (t) => {
    const { sql, company } = t;
    const { ids: [first] } = await enqueue(sql, company);
    await sql`update outbound.notification_facts set user_id = ${USER_ID} where id = ${first!}`;
    await sql`select outbound.link_user_id(${company.id}, ${USER_ID}, ${NUMBER}, null, now())`;
    await sql`
      insert into outbound.notification_facts (company_id, id, campaign_id, sender_id, number, message, status)
      select company_id, gen_random_uuid(), campaign_id, sender_id, number, message, 'cancelled'
      from outbound.notifications, generate_series(1, 1200) where id = ${first!}`;
    for (let index = 0; index < 3; index++) await insertMessage(t, { at: new Date(1_700_000_000_000) });
    await sql`
      insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, status, at)
      select company_id, gen_random_uuid(), sender_id, direction, number, kind, status, at
      from outbound.contact_messages, generate_series(1, 400)`;

    const { body } = await t.ask("GET", "export", undefined, { number: NUMBER });

    const ids = body.notifications.map((row: JsonObject) => row.notification_id);
    assert.deepEqual([ids.length, new Set(ids).size], [1201, 1201]);
    assert.deepEqual(ids, [...ids].sort());
    const messages = body.messages.map((row: JsonObject) => row.message_id);
    assert.deepEqual([messages.length, new Set(messages).size], [1203, 1203]);
  }));

Deno.test("GET …/contacts/export shows what was said in calls", () =>
  withContacts(async ({ sql, http }) => {
    const company = await insertCallingCompany(sql);
    const { ids } = await enqueueCalls(sql, company, { numbers: [NUMBER] });
    await finish(sql, await claim(sql), { outcome: "sent" });
    await report(sql, [callEventOf(company.id, ids[0]!, "answered")]);

    const query = { access_key: company.key.key, number: NUMBER };
    const { body } = await http.get("/manage/companies/mine/contacts/export", { query });

    const [{ channel, call }] = body.notifications;
    assert.deepEqual([channel, call.outcome, call.summary], ["voice", "answered", "It went well."]);
    assert.equal(call.transcript[0].message, "Hello");
  }));
