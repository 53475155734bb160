import assert from "node:assert/strict";
import { setTyping } from "../../supabase/functions/_shared/db/widgets/conversations.ts";
import { insertMember, insertSender } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { insertWidget } from "../setup/fixtures/widgets.ts";
import { openChat } from "./open_chat.ts";
import { type Manage, withManage } from "./with_manage.ts";

interface Received {
  number?: string | null;
  userId?: string | null;
  hoursAgo?: number;
}

/** Stores what a person wrote to a sender. */
async function receive(t: Manage, senderId: string, text: string, received: Received = {}): Promise<void> {
  const { number = "34600111222", userId = null, hoursAgo = 0 } = received;
  await t.sql`
    insert into outbound.contact_messages
      (company_id, id, sender_id, direction, number, user_id, kind, text, status, at)
    values (${t.company.id}, gen_random_uuid(), ${senderId}, 'in', ${number}, ${userId}, 'text', ${text}, 'received',
      now() - make_interval(hours => ${hoursAgo}))`;
}

const list = async (t: Manage, query: Record<string, string> = {}): Promise<JsonObject> =>
  (await t.read("/conversations", query)).body;

const textsOf = ({ conversations }: JsonObject) =>
  conversations.map(({ last_text }: JsonObject) => last_text) as string[];

async function auditOf(t: Manage, subject: string): Promise<[string, string][]> {
  const { body } = await t.read("/audit", { subject });
  return body.audit.map(({ actor, action }: JsonObject) => [actor, action]);
}

Deno.test("GET …/conversations lists chats and WhatsApp threads, the last message first, page by page", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    await receive(t, sender, "old", { number: "34600111333", hoursAgo: 30 });
    await receive(t, sender, "one", { hoursAgo: 2 });
    await receive(t, sender, "late", { hoursAgo: 5 });
    await openChat(t, "chat");
    await receive(t, sender, "two");

    const first = await list(t, { limit: "2" });
    const second = await list(t, { limit: "2", after: first.next });

    assert.deepEqual([...textsOf(first), ...textsOf(second)], ["two", "chat", "old"]);
    assert.equal(second.next, null);
    assert.deepEqual(textsOf(await list(t, { kind: "chat" })), ["chat"]);
    assert.deepEqual(textsOf(await list(t, { kind: "whatsapp", state: "unanswered" })), ["two", "old"]);
    assert.deepEqual(textsOf(await list(t, { state: "closed" })), []);
    assert.deepEqual(textsOf(await list(t, { assigned_to: "none" })), ["two", "chat", "old"]);
    const { window_closes_at, sender_id, number } = first.conversations[0];
    assert.deepEqual([sender_id, number], [sender, "34600111222"]);
    assert.ok(Date.parse(window_closes_at) > Date.now() + 23 * 3_600_000);
    for (const after of ["x", "1-1", first.next.slice(1) + "0", "99999999999999999-" + crypto.randomUUID()]) {
      assert.equal((await t.read("/conversations", { after })).status, 400, after);
    }
  }));

Deno.test("a person who wrote under a number and then with a user id has one thread", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    await receive(t, sender, "by number");
    await t.sql`
      insert into outbound.user_ids (company_id, user_id, number) values (${t.company.id}, 'ES.1', '34600111222')`;
    await receive(t, sender, "by user id", { number: null, userId: "ES.1" });

    const { conversations } = await list(t);
    const id = conversations[0].conversation_id;
    const { body } = await t.read(`/conversations/${id}/messages`);

    assert.equal(conversations.length, 1);
    assert.deepEqual(body.messages.map(({ text }: JsonObject) => text), ["by user id", "by number"]);
  }));

Deno.test("a member replies in a chat, and closes it; the audit has no text", () =>
  withManage(async (t) => {
    const id = await openChat(t, "Where is it?");
    const key = crypto.randomUUID();
    const reply = { text: "On its way", client_message_id: key };

    const sent = await t.act(`/conversations/${id}/reply`, reply);
    const again = await t.act(`/conversations/${id}/reply`, reply);
    const closed = await t.act(`/conversations/${id}/close`);
    await t.act(`/conversations/${id}/close`);
    const late = await t.act(`/conversations/${id}/reply`, { text: "too late" });

    assert.deepEqual([sent.body.status, again.body.message_id], ["sent", sent.body.message_id]);
    assert.equal(closed.body.state, "closed");
    assert.deepEqual([late.status, late.body.error], [409, "conversation_closed"]);
    const { body } = await t.read(`/conversations/${id}/messages`, { limit: "1" });
    assert.deepEqual(
      [body.messages[0].author, body.messages[0].text, body.next],
      ["company", "On its way", sent.body.message_id],
    );
    const rest = await t.read(`/conversations/${id}/messages`, { after: body.next });
    assert.deepEqual(rest.body.messages.map(({ author }: JsonObject) => author), ["contact"]);
    const by = `user:${t.members.operator.userId}`;
    assert.deepEqual(await auditOf(t, id), [[by, "conversation.closed"], [by, "conversation.replied"]]);
    const [leak] = await t.sql`select 1 from outbound.audit_log as a where a::text like '%On its way%'`;
    assert.equal(leak, undefined);
  }));

Deno.test("a member replies on WhatsApp while the window is open; the next message opens one that was closed", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    await receive(t, sender, "Hello?");
    await receive(t, sender, "Too old", { number: "34600111333", hoursAgo: 25 });
    const [{ conversation_id: id }, { conversation_id: old }] = (await list(t)).conversations;
    const reply = { text: "Hi", client_message_id: crypto.randomUUID() };
    const stateOf = async () => (await t.read(`/conversations/${id}`)).body.state;

    const sent = await t.act(`/conversations/${id}/reply`, reply);
    const again = await t.act(`/conversations/${id}/reply`, reply);
    assert.equal(await stateOf(), "answered");
    await t.act(`/conversations/${id}/close`);
    assert.equal(await stateOf(), "closed");
    await receive(t, sender, "One more thing");
    assert.equal(await stateOf(), "unanswered");

    assert.deepEqual([sent.body.status, again.body.message_id], ["queued", sent.body.message_id]);
    const refused = await t.act(`/conversations/${old}/reply`, { text: "Hi" });
    assert.deepEqual([refused.status, refused.body.error], [422, "window_closed"]);
    const [queued] = await t
      .sql`select count(*)::int as count from outbound.contact_messages where status = 'queued'`;
    assert.equal(queued!.count, 1);
    const by = `user:${t.members.operator.userId}`;
    assert.deepEqual(await auditOf(t, id), [[by, "conversation.closed"], [by, "conversation.replied"]]);
  }));

Deno.test("a conversation of either kind is assigned to members only, and to none once the member has left", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    await openChat(t, "chat");
    await receive(t, sender, "thread");
    const { viewer, operator } = t.members;
    for (const { conversation_id: id } of (await list(t)).conversations) {
      const assign = (user_id: string | null) => t.act(`/conversations/${id}/assign`, { user_id });

      assert.equal((await assign(t.stranger.userId)).status, 400);
      assert.equal((await assign(viewer.userId)).body.assigned_to, viewer.userId);
      assert.equal((await assign(viewer.userId)).status, 200);
      const by = `user:${operator.userId}`;
      assert.deepEqual(await auditOf(t, id), [[by, "conversation.assigned"]]);
    }
    assert.deepEqual(textsOf(await list(t, { assigned_to: viewer.userId })), ["thread", "chat"]);

    await t.sql`delete from outbound.company_members where user_id = ${viewer.userId}`;

    const { body } = await operator.ask("GET", `/companies/${t.company.id}/conversations`);
    assert.deepEqual(body.conversations.map(({ assigned_to }: JsonObject) => assigned_to), [null, null]);
  }));

Deno.test("GET …/conversations/assignees names the members to every role, without their addresses", () =>
  withManage(async (t) => {
    const { viewer, operator, owner } = t.members;
    await t.sql`update auth.users set raw_user_meta_data = '{"name": "Ana"}' where id = ${operator.userId}`;
    await t.sql`update auth.users set raw_user_meta_data = '{}' where id = ${viewer.userId}`;
    const [{ email }] = await t.sql<
      [{ email: string }]
    >`select email from auth.users where id = ${viewer.userId}`;

    const { body } = await t.read("/conversations/assignees");

    const names = Object.fromEntries(body.members.map(({ user_id, name }: JsonObject) => [user_id, name]));
    assert.deepEqual(Object.keys(names).sort(), [viewer.userId, operator.userId, owner.userId].sort());
    assert.deepEqual([names[operator.userId], names[viewer.userId]], ["Ana", email.split("@")[0]]);
    assert.ok(!JSON.stringify(body).includes("@"));
    const first = await t.read("/conversations/assignees", { limit: "2" });
    const rest = await t.read("/conversations/assignees", { limit: "2", after: first.body.next });
    assert.deepEqual([first.body.members.length, rest.body.members.length, rest.body.next], [2, 1, null]);
  }));

Deno.test("GET …/conversations/assignees lists members without names where the server may not read them", () =>
  withManage(async (t) => {
    const { viewer, operator, owner } = t.members;

    const { status, body } = await t.read("/conversations/assignees");

    assert.equal(status, 200);
    const roles = Object.fromEntries(
      body.members.map(({ user_id, name, role }: JsonObject) => [user_id, [name, role]]),
    );
    assert.deepEqual(roles, {
      [viewer.userId]: [null, "viewer"],
      [operator.userId]: [null, "operator"],
      [owner.userId]: [null, "owner"],
    });
    const id = await openChat(t, "Hello?");
    const assigned = await t.act(`/conversations/${id}/assign`, { user_id: owner.userId });
    assert.deepEqual([assigned.status, assigned.body.assigned_to], [200, owner.userId]);
  }, { env: { SUPABASE_SECRET_KEY: "" } }));

Deno.test("GET …/conversations/assignees has no name of a member whose account is gone", () =>
  withManage(async (t) => {
    const { user_id } = await insertMember(t.sql, t.company.id);

    const { body } = await t.read("/conversations/assignees");

    assert.equal(body.members.find((member: JsonObject) => member.user_id === user_id).name, null);
  }));

Deno.test("a member who types shows it to the visitor, and a visitor who types to members by an event", () =>
  withManage(async (t) => {
    const id = await openChat(t, "Hello?");
    const typingOf = async () => {
      const [row] = await t.sql`
        select operator_typing_until > now() as operator, visitor_typing_until > now() as visitor
        from outbound.conversations where id = ${id}`;
      return row;
    };

    const typing = await t.act(`/conversations/${id}/typing`, { is_typing: true });
    assert.deepEqual([typing.body, await typingOf()], [{ is_typing: true }, {
      operator: true,
      visitor: null,
    }]);
    await t.act(`/conversations/${id}/typing`, { is_typing: false });
    assert.deepEqual(await typingOf(), { operator: null, visitor: null });
    assert.equal((await t.act(`/conversations/${id}/typing`, { is_typing: "yes" })).status, 400);

    const { next } = (await t.read("/events")).body;
    await setTyping(t.sql, { companyId: t.company.id, conversationId: id }, {
      author: "visitor",
      isTyping: true,
    });
    const { events } = (await t.read("/events", { after: next })).body;

    const { data } = events.find(({ type }: JsonObject) => type === "conversation");
    assert.ok(Date.parse(data.contact_typing_until) > Date.now(), JSON.stringify(data));
    const by = `user:${t.members.operator.userId}`;
    assert.deepEqual((await auditOf(t, id)).filter(([actor]) => actor === by), []);
  }));

Deno.test("a thread goes with its messages when the person is erased", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    await receive(t, sender, "Forget me");

    const { body } = await t.members.owner.ask("POST", `/companies/${t.company.id}/contacts/erase`, {
      number: "34600111222",
    });

    assert.equal(body.erased.messages, 1);
    assert.equal((await t.sql`select from outbound.contact_threads`).length, 0);
  }));

Deno.test("GET …/conversations/handoffs lists those that are open", () =>
  withManage(async (t) => {
    const widget = await insertWidget(t.sql, t.company.id, { kind: "voice" });
    const insert = (status: string) =>
      t.sql`
      insert into outbound.handoffs (company_id, id, widget_id, session_id, conversation_id, room, status, ended_at)
      values (${t.company.id}, gen_random_uuid(), ${widget.id}, gen_random_uuid(), 'conv', 'room', ${status},
        case ${status}::text when 'ended' then now() end)`;
    await insert("waiting");
    await insert("ended");

    const open = await t.read("/conversations/handoffs");
    const all = await t.read("/conversations/handoffs", { open: "false", limit: "1" });

    assert.deepEqual(open.body.handoffs.map(({ status }: JsonObject) => status), ["waiting"]);
    const rest = await t.read("/conversations/handoffs", { open: "false", after: all.body.next });
    assert.deepEqual([all.body.handoffs.length, rest.body.handoffs.length], [1, 1]);
  }));

Deno.test("conversations name their contact and who wrote last, and are listed by contact", () =>
  withManage(async (t) => {
    const { operator } = t.members;
    await t.sql`update auth.users set raw_user_meta_data = '{"name": "Omar"}' where id = ${operator.userId}`;
    const sender = (await insertSender(t.sql, t.company.id)).id;
    const chat = await openChat(t, "on the website");
    await receive(t, sender, "on WhatsApp");
    await receive(t, sender, "of a stranger", { number: "34600111333", hoursAgo: 1 });
    const { body: ana } = await t.act("/contacts", {
      name: "Ana Ruiz",
      addresses: [{ kind: "number", address: "34600111222" }],
    });
    await t.sql`update outbound.conversations set contact_id = ${ana.contact_id} where id = ${chat}`;

    const { conversations } = await list(t);
    const contact = { contact_id: ana.contact_id, name: "Ana Ruiz" };
    assert.deepEqual(
      conversations.map((each: JsonObject) => [each.last_text, each.contact, each.last_written_by.kind]),
      [["on WhatsApp", contact, "contact"], ["on the website", contact, "visitor"], [
        "of a stranger",
        null,
        "contact",
      ]],
    );
    assert.deepEqual(textsOf(await list(t, { contact_id: ana.contact_id })), [
      "on WhatsApp",
      "on the website",
    ]);
    assert.deepEqual(textsOf(await list(t, { contact_id: crypto.randomUUID() })), []);
    assert.equal((await t.read("/conversations", { contact_id: "x" })).status, 400);

    for (const { conversation_id: id } of conversations.slice(0, 2)) {
      await t.act(`/conversations/${id}/reply`, { text: "Hello" });
      const { body } = await t.read(`/conversations/${id}`);
      assert.deepEqual(body.last_written_by, { kind: "member", user_id: operator.userId, name: "Omar" });
      assert.deepEqual(body.contact, contact);
    }
    const { body: found } = await t.read("/conversations/search", { q: "website" });
    assert.deepEqual(
      found.conversations.map((each: JsonObject) => [each.conversation_id, each.contact]),
      [[chat, contact]],
    );
  }));

Deno.test("a member opens a closed thread again, and no chat", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    const chat = await openChat(t, "chat");
    await receive(t, sender, "thread");
    const [{ conversation_id: id }] = (await list(t, { kind: "whatsapp" })).conversations;
    for (const each of [id, chat]) await t.act(`/conversations/${each}/close`);

    const opened = await t.act(`/conversations/${id}/reopen`);
    await t.act(`/conversations/${id}/reopen`);
    const refused = await t.act(`/conversations/${chat}/reopen`);

    assert.deepEqual(opened.body, { conversation_id: id, reopened: true });
    assert.equal((await t.read(`/conversations/${id}`)).body.state, "unanswered");
    assert.deepEqual([refused.status, refused.body.error], [409, "conversation_closed"]);
    const by = `user:${t.members.operator.userId}`;
    assert.deepEqual(await auditOf(t, id), [[by, "conversation.reopened"], [by, "conversation.closed"]]);
  }));

Deno.test("conversations of another company are not found", () =>
  withManage(async (t) => {
    const sender = (await insertSender(t.sql, t.company.id)).id;
    await receive(t, sender, "Hello");
    const id = (await list(t)).conversations[0].conversation_id;
    const [other] = await t.sql<{ id: string }[]>`
      insert into outbound.companies (name) values ('Bolt') returning id`;
    await t.sql`
      insert into outbound.company_members (company_id, user_id) values (${other!.id}, ${t.stranger.userId})`;
    const below = `/companies/${other!.id}/conversations`;

    assert.deepEqual((await t.stranger.ask("GET", below)).body.conversations, []);
    for (
      const [method, path, body] of [
        ["GET", `${below}/${id}`],
        ["GET", `${below}/${id}/messages`],
        ["POST", `${below}/${id}/reply`, { text: "Hi" }],
        ["POST", `${below}/${id}/assign`, { user_id: null }],
        ["POST", `${below}/${id}/close`],
        ["POST", `${below}/${id}/reopen`],
        ["POST", `${below}/${id}/typing`, { is_typing: true }],
      ] as const
    ) assert.equal((await t.stranger.ask(method, path, body)).status, 404, path);
  }));
