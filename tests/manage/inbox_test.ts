import assert from "node:assert/strict";
import { insertCompany, insertSender } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { openChat } from "./open_chat.ts";
import { auditOf } from "./read_audit.ts";
import { type Manage, withManage } from "./with_manage.ts";

const ANA = "34600111222";

/** Stores what a person wrote, and returns the id of the conversation. */
async function receive(t: Manage, text: string, number = ANA, companyId = t.company.id): Promise<string> {
  const [known] = await t.sql`
    select id from outbound.senders where company_id = ${companyId} and channel = 'whatsapp'`;
  const senderId = known?.id ?? (await insertSender(t.sql, companyId)).id;
  await t.sql`
    insert into outbound.contact_messages (company_id, id, sender_id, direction, number, kind, text, status, at)
    values (${companyId}, gen_random_uuid(), ${senderId}, 'in', ${number}, 'text', ${text}, 'received', now())`;
  const [thread] = await t.sql`
    select id from outbound.contact_threads where company_id = ${companyId} and address = ${number}`;
  return thread!.id;
}

Deno.test("messages say who wrote them: a member by name, a person, a visitor, or the service itself", () =>
  withManage(async (t) => {
    const thread = await receive(t, "Hello");
    const chat = await openChat(t, "Hi");
    const { userId } = t.members.operator;
    await t.services.memberNames.refresh(userId);
    for (const id of [thread, chat]) await t.act(`/conversations/${id}/reply`, { text: "Good morning" });
    await t.sql`
      insert into outbound.contact_messages
        (company_id, id, sender_id, direction, number, kind, text, status, at, purpose)
      select company_id, gen_random_uuid(), sender_id, 'out', number, kind, 'Bye', 'sent', now(), 'opt_out_confirmation'
      from outbound.contact_messages limit 1`;

    const authorsIn = async (id: string) => {
      const { body } = await t.read(`/conversations/${id}/messages`);
      return body.messages.map(({ written_by: { kind, user_id } }: JsonObject) => [kind, user_id]);
    };

    assert.deepEqual(await authorsIn(thread), [["automatic", null], ["member", userId], ["contact", null]]);
    assert.deepEqual(await authorsIn(chat), [["member", userId], ["visitor", null]]);
    const { body } = await t.read(`/conversations/${chat}/messages`, { limit: "1" });
    const { body: { members } } = await t.read("/conversations/assignees");
    const assignee = members.find(({ user_id }: JsonObject) => user_id === userId);
    assert.equal(body.messages[0].written_by.name, assignee.name);
    assert.ok(assignee.name);
  }));

Deno.test("notes are for members, in the export, and are erased with the person", () =>
  withManage(async (t) => {
    const thread = await receive(t, "Hello");
    const chat = await openChat(t, "Hi");
    for (const id of [thread, chat]) {
      const first = (await t.act(`/conversations/${id}/notes`, { text: "Wants a refund" })).body;
      const second = (await t.act(`/conversations/${id}/notes`, { text: "Got it" })).body;
      const page = (await t.read(`/conversations/${id}/notes`, { limit: "1" })).body;
      assert.deepEqual(page.notes, [second]);
      const rest = (await t.read(`/conversations/${id}/notes`, { after: page.next })).body;
      assert.deepEqual(rest.notes, [first]);
      assert.equal(first.written_by.user_id, t.members.operator.userId);
      assert.equal((await t.read(`/conversations/${id}/messages`)).body.messages.length, 1);
    }
    const below = `/companies/${t.company.id}/contacts`;
    const exported = await t.members.owner.ask("GET", `${below}/export`, undefined, { number: ANA });
    assert.deepEqual(exported.body.notes.map(({ text }: JsonObject) => text), ["Wants a refund", "Got it"]);

    await t.members.owner.ask("POST", `${below}/erase`, { number: ANA });
    await t.sql`delete from outbound.conversations`;

    const [left] = await t.sql`select count(*)::int as count from outbound.conversation_notes`;
    assert.equal(left!.count, 0);
    const [leak] = await t.sql`select 1 from outbound.audit_log as a where a::text like '%refund%'`;
    assert.equal(leak, undefined);
  }));

Deno.test("labels are set, found and audited, in both kinds of conversation", () =>
  withManage(async (t) => {
    const thread = await receive(t, "Hello");
    const chat = await openChat(t, "Hi");
    const label = (id: string, labels: string[]) =>
      t.members.operator.ask("PUT", `/companies/${t.company.id}/conversations/${id}/labels`, { labels });
    const found = async (text: string) => {
      const { body } = await t.read("/conversations", { label: text });
      return body.conversations.map(({ conversation_id }: JsonObject) => conversation_id);
    };

    assert.deepEqual((await label(thread, [" urgent ", "order", "order"])).body.labels, ["order", "urgent"]);
    await label(chat, ["order"]);
    await label(chat, ["order"]);

    assert.deepEqual(await found("order"), [chat, thread]);
    assert.deepEqual(await found("urgent"), [thread]);
    assert.deepEqual(await found("urgen"), []);
    assert.deepEqual((await t.read(`/conversations/${thread}`)).body.labels, ["order", "urgent"]);
    assert.equal((await label(chat, ["x".repeat(51)])).status, 400);
    await label(chat, []);
    assert.deepEqual(await found("order"), [thread]);
    assert.deepEqual((await auditOf(t)).map(({ action, before, after }) => [action, before, after]), [
      ["conversation.labelled", { labels: ["order"] }, { labels: [] }],
      ["conversation.labelled", { labels: [] }, { labels: ["order"] }],
      ["conversation.labelled", { labels: [] }, { labels: ["order", "urgent"] }],
    ]);
  }));

Deno.test("canned replies are added, changed and removed, each with a shortcut of its own", () =>
  withManage(async (t) => {
    const root = `/companies/${t.company.id}/canned_replies`;
    const { ask } = t.members.operator;
    const hours = (await ask("POST", root, { shortcut: "hours", text: "Hello {{name}}" })).body;
    const bye = (await ask("POST", root, { shortcut: "bye", text: "Bye" })).body;
    const path = `${root}/${bye.canned_reply_id}`;

    const taken = await ask("POST", root, { shortcut: "hours", text: "x" });
    const takenToo = await ask("PUT", path, { shortcut: "hours", text: "x" });
    const changed = await ask("PUT", path, { shortcut: "bye", text: "Goodbye" });
    await ask("PUT", path, { shortcut: "bye", text: "Goodbye" });

    for (const { status, body } of [taken, takenToo]) {
      assert.deepEqual([status, body.details.field], [400, "shortcut"]);
    }
    assert.equal(changed.body.text, "Goodbye");
    const list = (await t.read("/canned_replies", { limit: "1" })).body;
    assert.deepEqual(list.canned_replies.map(({ text }: JsonObject) => text), ["Goodbye"]);
    assert.deepEqual((await t.read("/canned_replies", { after: list.next })).body.canned_replies, [hours]);
    assert.deepEqual([(await ask("DELETE", path)).status, (await ask("DELETE", path)).status], [200, 404]);
    assert.equal((await ask("PUT", path, { shortcut: "bye", text: "x" })).status, 404);
    assert.deepEqual((await auditOf(t)).map(({ action, after }) => [action, after]), [
      ["canned_reply.removed", null],
      ["canned_reply.updated", { text: "Goodbye" }],
      ["canned_reply.added", { shortcut: "bye", text: "Bye" }],
      ["canned_reply.added", { shortcut: "hours", text: "Hello {{name}}" }],
    ]);
  }));

Deno.test("GET …/conversations/search finds messages of both kinds by a part, and none of another company", () =>
  withManage(async (t) => {
    const thread = await receive(t, "¿Dónde está mi reembolso?");
    const chat = await openChat(t, "El  REEMBOLSO 100% por favor");
    await receive(t, "Gracias", "34600111333");
    const other = await insertCompany(t.sql);
    await receive(t, "Mi reembolso", ANA, other.id);
    const search = async (q: string) => (await t.read("/conversations/search", { q })).body;

    const { messages, is_complete } = await search("Reémbolso");

    assert.deepEqual(messages.map(({ conversation_id, kind }: JsonObject) => [conversation_id, kind]), [
      [chat, "chat"],
      [thread, "whatsapp"],
    ]);
    assert.equal(is_complete, true);
    assert.deepEqual((await search("reembolso 100%")).messages.length, 1);
    assert.deepEqual((await search("reembolso _00")).messages, []);
    assert.equal((await t.read("/conversations/search", { q: "re" })).status, 400);
  }));

Deno.test("what members do to a conversation of another company is not found", () =>
  withManage(async (t) => {
    const other = await insertCompany(t.sql);
    const foreign = await receive(t, "Hello", ANA, other.id);
    const root = `/companies/${t.company.id}/conversations/${foreign}`;
    const { ask } = t.members.operator;

    assert.equal((await ask("POST", `${root}/notes`, { text: "x" })).status, 404);
    assert.equal((await ask("GET", `${root}/notes`)).status, 404);
    assert.equal((await ask("PUT", `${root}/labels`, { labels: ["x"] })).status, 404);
  }));
