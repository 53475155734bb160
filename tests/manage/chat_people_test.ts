import assert from "node:assert/strict";
import { insertKey, insertMember } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { openChat } from "./open_chat.ts";
import { type LoggedIn, type Manage, withManage } from "./with_manage.ts";

/** A member with this name, as an operator. */
async function memberNamed(t: Manage, name: string): Promise<LoggedIn> {
  const user = await t.createUser({ name });
  await insertMember(t.sql, t.company.id, user.id, "operator");
  const headers = { authorization: `Bearer ${await t.logIn(user)}` };
  await t.services.memberNames.refresh(user.id);
  return {
    userId: user.id,
    token: headers.authorization,
    ask: (method, path, body) =>
      t.http.request(method, `/manage/companies/${t.company.id}${path}`, body, { headers }),
  };
}

/** The writers of a chat's messages, as its visitor sees them. */
async function sendersIn({ sql, company }: Manage, conversationId: string): Promise<JsonObject[]> {
  const rows = await sql`
    select outbound.describe_message(m) -> 'sender' as sender from outbound.conversation_messages as m
    where m.company_id = ${company.id} and m.conversation_id = ${conversationId} and m.author = 'operator'
    order by m.sequence`;
  return rows.map(({ sender }) => sender);
}

Deno.test("a visitor sees a member's first name, never a part of the e-mail address", () =>
  withManage(async (t) => {
    const chat = await openChat(t, "Hello?");
    for (const name of ["  Ana María Ruiz", "", "luis@acme.test"]) {
      const member = await memberNamed(t, name);
      await member.ask("POST", `/conversations/${chat}/typing`, { is_typing: true });
      const [row] = await t
        .sql`select operator_typing_name as name from outbound.conversations where id = ${chat}`;
      assert.equal(row!.name, name === "  Ana María Ruiz" ? "Ana" : null);
      await member.ask("POST", `/conversations/${chat}/reply`, { text: `From ${name}` });
    }

    assert.deepEqual(await sendersIn(t, chat), [{ name: "Ana" }, null, null]);
  }));

Deno.test("a widget may keep the names of members from visitors", () =>
  withManage(async (t) => {
    const chat = await openChat(t, "Hello?", { features: { names: false } });
    const ana = await memberNamed(t, "Ana Ruiz");

    await ana.ask("POST", `/conversations/${chat}/typing`, { is_typing: true });
    const [row] = await t
      .sql`select operator_typing_name as name from outbound.conversations where id = ${chat}`;
    await ana.ask("POST", `/conversations/${chat}/reply`, { text: "Hi" });

    assert.equal(row!.name, null);
    assert.deepEqual(await sendersIn(t, chat), [null]);
  }));

Deno.test("a key names the writer of its reply; a member writes under the own name", () =>
  withManage(async (t) => {
    const chat = await openChat(t, "Hello?");
    const { key } = await insertKey(t.sql, t.company.id, { permissions: ["conversations"] });
    const path = `/conversations/${chat}/reply`;
    const reply = { text: "Hi", sender: { name: "Robo" } };

    const refused = await t.act(path, reply);
    const sent = await t.http.post(`/manage/companies/${t.company.id}${path}`, reply, {
      headers: { authorization: `Bearer ${key}` },
    });

    assert.deepEqual([refused.status, refused.body.error], [400, "validation_failed"]);
    assert.equal(sent.status, 200);
    assert.deepEqual(await sendersIn(t, chat), [{ name: "Robo" }]);
  }));

Deno.test("a member reports what was read, and sees whether the visitor has seen a reply", () =>
  withManage(async (t) => {
    const chat = await openChat(t, "One");
    await t.sql`select outbound.add_message(${t.company.id}, ${chat}, 'visitor', 'Two', null, '{}')`;
    const messages = async () => (await t.read(`/conversations/${chat}/messages`)).body.messages;
    const [, first] = await messages();
    const readTo = async () =>
      (await t.sql`select operator_read from outbound.conversations where id = ${chat}`)[0]!.operator_read;

    const one = await t.act(`/conversations/${chat}/read`, { message_id: first.message_id });
    assert.deepEqual([one.body, await readTo()], [{ conversation_id: chat, changed: true }, 1]);
    assert.equal((await t.act(`/conversations/${chat}/read`)).body.changed, true);
    assert.equal((await t.act(`/conversations/${chat}/read`)).body.changed, false);
    assert.equal(await readTo(), 2);
    const stranger = await openChat(t, "Another");
    const [other] = (await t.read(`/conversations/${stranger}/messages`)).body.messages;
    assert.equal(
      (await t.act(`/conversations/${chat}/read`, { message_id: other.message_id })).body.changed,
      false,
    );
    const viewer = await t.members.viewer.ask(
      "POST",
      `/companies/${t.company.id}/conversations/${chat}/read`,
      {},
    );
    assert.equal(viewer.status, 403);

    await t.act(`/conversations/${chat}/reply`, { text: "Here" });
    const statuses = async () => (await messages()).map(({ status }: JsonObject) => status);
    assert.deepEqual(await statuses(), ["sent", null, null]);
    await t.sql`select outbound.read_conversation(${t.company.id}, ${chat}, 'visitor', 3)`;
    assert.deepEqual(await statuses(), ["read", null, null]);
  }));

Deno.test("the inbox shows a visitor's e-mail address, consent and rating", () =>
  withManage(async (t) => {
    const chat = await openChat(t, "Hello", { follow_up: {} });
    const consent = { text: "We store this.", link: null };
    await t.sql`
      update outbound.conversations set consent = ${
      t.sql.json({ ...consent, accepted_at: "2026-12-01T09:00:00Z" })
    } where id = ${chat}`;
    await t.sql`select outbound.set_visitor_email(${t.company.id}, ${chat}, 'ana@example.com')`;
    await t.sql`select outbound.rate_conversation(${t.company.id}, ${chat}, 4, 'Quick')`;

    const { body } = await t.read(`/conversations/${chat}`);
    const { body: { conversations } } = await t.read("/conversations");

    const { email, rating: { rated_at: _, ...rating } } = body;
    assert.deepEqual([email, rating], ["ana@example.com", { rating: 4, comment: "Quick" }]);
    assert.deepEqual(body.consent, { ...consent, accepted_at: "2026-12-01T09:00:00Z" });
    assert.deepEqual(conversations, [body]);
  }));

Deno.test("erasing a person takes the chats of their address with it, and the address from other people's chats", () =>
  withManage(async (t) => {
    const made = await t.act("/contacts", {
      addresses: [{ kind: "email", address: "ana@example.com" }, { kind: "number", address: "34600111222" }],
    });
    const luis = await t.act("/contacts", { addresses: [{ kind: "email", address: "luis@example.com" }] });
    const [unknown, other, signed] = [
      await openChat(t, "I am Ana", { follow_up: {} }),
      await openChat(t, "I am another person", { follow_up: {} }),
      await openChat(t, "I am Luis", { follow_up: {} }),
    ];
    await t.sql`update outbound.conversations set contact_id = ${luis.body.contact_id} where id = ${signed}`;
    for (const [chat, email] of [[unknown, "ana"], [other, "eva"], [signed, "ana"]]) {
      await t.sql`select outbound.set_visitor_email(${t.company.id}, ${chat!}, ${`${email}@example.com`})`;
    }
    await t.act(`/conversations/${signed}/reply`, { text: "Hello Luis" });
    await t.sql`update outbound.conversations set follow_up_at = now() where id = ${signed}`;

    const erased = await t.members.owner.ask("POST", `/companies/${t.company.id}/contacts/erase`, {
      contact_id: made.body.contact_id,
    });

    assert.equal(erased.status, 200);
    const rows = await t.sql`
      select id, visitor_email from outbound.conversations where company_id = ${t.company.id} order by created_at`;
    assert.deepEqual(rows.map(({ id, visitor_email }) => [id, visitor_email]), [[other, "eva@example.com"], [
      signed,
      null,
    ]]);
  }));
