import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";
import { openChat, type TestChat } from "./open_chat.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };

interface Assisted extends Api {
  /** A chat of a widget whose machine searches. */
  open(visitor?: JsonObject): Promise<TestChat>;
  /** The conversation as the company's inbox lists it. */
  inInbox(chat: TestChat): Promise<JsonObject>;
}

/** Gives the company documents about deliveries and returns, and another one a document about secrets. */
function withAssistant(answer: (api: Assisted) => Promise<void>): Promise<void> {
  return withApi(async (api) => {
    const other = await api.addTenant();
    for (
      const [company, title, content, url] of [
        [
          api.company.id,
          "Delivery",
          "Orders arrive within three working days.",
          "https://shop.example/delivery",
        ],
        [api.company.id, "Returns", "Send shoes back within a month.\x1b[2J", null],
        [other.company.id, "Secrets", "The vault opens with the password swordfish.", null],
      ] as const
    ) {
      await api.sql`
        insert into outbound.knowledge_documents (company_id, title, content, url, language)
        values (${company}, ${title}, ${content}, ${url}, 'english')`;
    }
    await answer({
      ...api,
      open: (visitor = {}) => openChat(api, visitor, { assistant: { mode: "search" } }),
      async inInbox({ id }) {
        const query = { access_key: api.key.key };
        return (await api.http.get(`/manage/companies/mine/conversations/${id}`, { query })).body;
      },
    });
  }, { env });
}

const read = async (chat: TestChat): Promise<JsonObject[]> => (await chat.read()).body.messages;
const authors = (messages: JsonObject[]) => messages.map(({ author }) => author);

Deno.test("a machine replies at once with what the company's documents say, its name and its sources", () =>
  withAssistant(async ({ open, inInbox }) => {
    const chat = await open();
    const said = await chat.say("When will my order arrive?");
    const [question, reply] = await read(chat);

    assert.deepEqual([said.status, said.body.message.id], [200, question!.id]);
    assert.equal(reply!.author, "operator");
    assert.deepEqual(reply!.sender, { name: "Assistant", is_machine: true });
    assert.match(reply!.text, /Orders arrive within three working days\./);
    assert.deepEqual(reply!.sources, [{ title: "Delivery", url: "https://shop.example/delivery" }]);
    const { state, last_author, last_written_by, handoff_requested_at } = await inInbox(chat);
    assert.deepEqual([state, last_author, last_written_by.kind], ["answered", "company", "automatic"]);
    assert.equal(handoff_requested_at, null);
  }));

Deno.test("where no document fits, the machine says so once, and the conversation waits for a member from then on", () =>
  withAssistant(async ({ open, inInbox }) => {
    const chat = await open({ language: "es" });
    await chat.say("Which password opens the vault?");
    const [, reply] = await read(chat);

    assert.match(reply!.text, /^No he encontrado nada/);
    assert.deepEqual(reply!.sender, { name: "Asistente", is_machine: true });
    assert.equal(reply!.sources, undefined);
    assert.equal((await inInbox(chat)).state, "unanswered");
    await chat.say("And who knows it?");
    await chat.say("When do orders arrive?");
    assert.deepEqual(authors(await read(chat)), ["visitor", "operator", "visitor", "visitor", "operator"]);
    assert.equal((await inInbox(chat)).state, "unanswered");
  }));

Deno.test("a message that is repeated, at once and later, gets one reply", () =>
  withAssistant(async ({ open }) => {
    const chat = await open();
    const client_message_id = crypto.randomUUID();
    const ask = () => chat.say("When do orders arrive?", { client_message_id });
    const responses = [...await Promise.all([ask(), ask(), ask()]), await ask()];

    assert.deepEqual(responses.map(({ status }) => status), [200, 200, 200, 200]);
    assert.deepEqual(authors(await read(chat)), ["visitor", "operator"]);
  }));

Deno.test("a visitor who asks for a person gets no reply of the machine any more, and members know it once", () =>
  withAssistant(async (api) => {
    const { sql, company, open, inInbox } = api;
    await insertWebhook(sql, company.id);
    const chat = await open();
    await chat.say("When do orders arrive?");
    const responses = [
      ...await Promise.all([chat.requestPerson(), chat.requestPerson()]),
      await chat.requestPerson(),
    ];
    await chat.say("And when do shoes arrive?");
    const messages = await read(chat);

    assert.deepEqual(responses.map(({ status }) => status), [204, 204, 204]);
    assert.deepEqual(authors(messages), ["visitor", "operator", "system", "visitor"]);
    assert.deepEqual([messages[2]!.text, messages[2]!.notice], [
      "You asked for a person. We will reply here.",
      "person_requested",
    ]);
    const { state, handoff_requested_at } = await inInbox(chat);
    assert.equal(state, "unanswered");
    assert.ok(handoff_requested_at);
    const requested = (await readEvents(sql, company.id)).filter(({ type }) =>
      type === "conversation.handoff_requested"
    );
    assert.deepEqual(requested.map(({ payload }) => payload.data), [{
      company_id: company.id,
      conversation_id: chat.id,
      widget_id: chat.widget.id,
      user_id: chat.userId,
      requested_at: requested[0]!.payload.data.requested_at,
    }]);
  }));

Deno.test("a visitor may ask for a person before writing anything, and not once the conversation has ended", () =>
  withAssistant(async ({ open, inInbox }) => {
    const [chat, ended] = [await open(), await open()];
    assert.equal((await chat.requestPerson()).status, 204);
    assert.deepEqual(authors(await read(chat)), ["system"]);
    assert.equal((await inInbox(chat)).state, "unanswered");

    await ended.say("Hello");
    await ended.close();
    assertRefused(await ended.requestPerson(), { status: 409, error: "conversation_closed" });
  }));

Deno.test("a person is asked for by the visitor alone", () =>
  withAssistant(async (api) => {
    const [mine, theirs] = [await api.open(), await api.open()];
    await theirs.say("Hello");
    const path = `/widget/conversations/${theirs.id}/handoff`;
    for (const [options, status] of [[mine.asVisitor, 401], [{}, 401], [theirs.asOperator, 401]] as const) {
      assert.equal((await api.http.post(path, undefined, options)).status, status);
    }
    assert.equal((await api.inInbox(theirs)).handoff_requested_at, null);
    const statuses = [];
    for (let request = 0; request < 11; request++) statuses.push((await theirs.requestPerson()).status);
    assert.deepEqual(statuses, [...Array(10).fill(204), 429]);
  }));

Deno.test("a member's reply silences the machine, and so does taking the conversation", () =>
  withAssistant(async ({ sql, company, open, inInbox }) => {
    const [replied, taken] = [await open(), await open()];
    await replied.say("When do orders arrive?");
    await replied.reply("Tomorrow");
    await replied.say("And when do shoes arrive?");
    assert.deepEqual(authors(await read(replied)), ["visitor", "operator", "operator", "visitor"]);
    assert.equal((await inInbox(replied)).state, "unanswered");

    const { user_id } = await insertMember(sql, company.id);
    await taken.say("When do orders arrive?");
    await sql`update outbound.conversations set assigned_to = ${user_id} where id = ${taken.id}`;
    await taken.say("And when do shoes arrive?");
    assert.deepEqual(authors(await read(taken)), ["visitor", "operator", "visitor"]);
  }));

Deno.test("a widget without an assistant has no machine, and one that is switched off has none any more", () =>
  withAssistant(async (api) => {
    const [plain, chat] = [await openChat(api), await api.open()];
    await plain.say("When do orders arrive?");
    assert.deepEqual(authors(await read(plain)), ["visitor"]);

    await chat.say("When do orders arrive?");
    await api
      .sql`update outbound.widgets set config = '{"assistant": {"mode": "off"}}' where id = ${chat.widget.id}`;
    await chat.say("And when do shoes arrive?");
    assert.deepEqual(authors(await read(chat)), ["visitor", "operator", "visitor"]);
    assert.equal((await api.inInbox(chat)).state, "unanswered");
  }));

Deno.test("the machine passes on no control characters of a document, and takes any text as a question", () =>
  withAssistant(async ({ open }) => {
    const chat = await open();
    await chat.say("Can I send shoes back?");
    const [, reply] = await read(chat);
    assert.match(reply!.text, /Send shoes back within a month\.\[2J/);

    for (
      const text of [
        "' | !& (a:*",
        "💥",
        "the",
        "https://a.example/?q='); drop",
        "x ".repeat(1999),
        "<b>arrive",
      ]
    ) {
      const other = await open();
      assert.equal((await other.say(text)).status, 200, text.slice(0, 20));
      assert.deepEqual(authors(await read(other)), ["visitor", "operator"]);
    }
  }));

Deno.test("a machine's replies count toward what visitors may store, and none is made beyond it", () =>
  withAssistant(async ({ sql, open, inInbox }) => {
    const chat = await open();
    await sql`update outbound.widgets set max_stored_mb_per_day = 0 where id = ${chat.widget.id}`;
    await sql`update outbound.conversations set stored_bytes_left = 400 where id = ${chat.id}`;

    assert.equal((await chat.say("When do orders arrive?")).status, 200);
    assert.deepEqual(authors(await read(chat)), ["visitor"]);
    assert.equal((await inInbox(chat)).state, "unanswered");
  }));
