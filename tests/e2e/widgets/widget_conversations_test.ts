import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { insertPublishableKey } from "../../setup/fixtures/widgets.ts";
import { assertRefused } from "../assert_refused.ts";
import { openChat } from "./open_chat.ts";
import { withApi } from "../with_api.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };
const texts = (messages: JsonObject[]) => messages.map(({ author, text }) => `${author}: ${text}`);

Deno.test("a visitor and an operator write to each other, and both read it all", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const first = await chat.say("Where is my order?");
    const reply = await chat.reply("On its way");

    assert.deepEqual([first.status, reply.status], [200, 200]);
    const { id, created_at, ...rest } = first.body.message;
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.ok(Math.abs(Date.now() - Date.parse(created_at)) < 60_000);
    assert.deepEqual(rest, {
      sequence: 1,
      author: "visitor",
      text: "Where is my order?",
      client_message_id: first.sent.client_message_id,
    });
    const expected = ["visitor: Where is my order?", "operator: On its way"];
    for (const response of [await chat.read(), await chat.readAsOperator()]) {
      assert.equal(response.body.status, "open");
      assert.deepEqual(texts(response.body.messages), expected);
    }
    assert.deepEqual(texts((await chat.read({ after: "1" })).body.messages), ["operator: On its way"]);
  }, { env }));

Deno.test("POST …/messages takes lines and tabs, and refuses other control characters, of visitors and operators", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const lines = await chat.say("one\r\ntwo\tthree");

    assert.equal(lines.body.message.text, "one\ntwo\tthree");
    for (const control of ["\x07", "\x1b[2J", "\x7f", "\x9b31m"]) {
      for (const response of [await chat.say(`hi ${control}`), await chat.reply(`hi ${control}`)]) {
        assertRefused(response, { status: 400, error: "validation_failed" });
        assert.equal(response.body.details.expected_format, "text without control characters");
      }
    }
    assert.equal((await chat.read()).body.messages.length, 1);
  }, { env }));

Deno.test("the page a visitor is on is kept as an address, without what steers a terminal or opens an account", () =>
  withApi(async (api) => {
    const chat = await openChat(api, { page_url: "https://shop.example/a\x1b[2J\u202e\x9b?token=1#secret" });

    const [row] = await api.sql`select page_url from outbound.conversations where id = ${chat.id}`;
    assert.equal(row!.page_url, "https://shop.example/a%1B[2J%E2%80%AE%C2%9B");
  }, { env }));

Deno.test("the same client_message_id again gives the first message and adds none, at once and later", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const client_message_id = crypto.randomUUID();
    const responses = await Promise.all(["a", "b", "c"].map((text) => chat.say(text, { client_message_id })));
    await chat.close();
    const late = await chat.say("d", { client_message_id });

    assert.deepEqual([...responses, late].map(({ status }) => status), [200, 200, 200, 200]);
    assert.equal(new Set([...responses, late].map(({ body }) => JSON.stringify(body))).size, 1);
    assert.equal((await chat.read()).body.messages.length, 1);
  }, { env }));

Deno.test("POST /widget/conversations finds the visitor's open conversation again, and no other's", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await chat.say("Hello");
    const again = await chat.open({ token: chat.token });
    const stranger = await chat.open({ token: chat.token, user_id: crypto.randomUUID() });
    const forgetful = await chat.open({});

    assert.equal(again.body.conversation_id, chat.id);
    assert.equal(again.body.visitor_token, chat.token);
    assert.deepEqual(texts(again.body.messages), ["visitor: Hello"]);
    for (const { status, body } of [stranger, forgetful]) {
      assert.equal(status, 200);
      assert.notEqual(body.conversation_id, chat.id);
      assert.deepEqual(body.messages, []);
    }
    await chat.close();
    assert.notEqual((await chat.open({ token: chat.token })).body.conversation_id, chat.id);
  }, { env }));

Deno.test("a visitor's page address is kept without what may be secret in it, the token only as a hash", () =>
  withApi(async (api) => {
    const page_url = "https://user:pass@shop.example/cart?token=abc#secret";
    const chat = await openChat(api, { language: "es", page_url, page_title: " Your\n \x1bcart " });
    const [row] = await api
      .sql`select to_jsonb(c) as row from outbound.conversations as c where id = ${chat.id}`;

    const { language, page_url: url, page_title: title } = row!.row;
    assert.deepEqual([language, url, title], ["es", "https://shop.example/cart", "Your cart"]);
    assert.ok(!JSON.stringify(row).includes(chat.token));
    assert.deepEqual(api.logs.filter((line) => line.includes(chat.token)), []);
  }, { env }));

Deno.test("no visitor reads or writes another's conversation", () =>
  withApi(async (api) => {
    const mine = await openChat(api);
    const theirs = await openChat(api);
    const other = await api.addTenant();
    await theirs.say("My card number is …");
    const publishable = await insertPublishableKey(api.sql, api.company.id);
    const path = `/widget/conversations/${theirs.id}`;
    const body = { client_message_id: crypto.randomUUID(), text: "x", is_typing: true };

    const attempts: [options: JsonObject, status: number][] = [
      [{}, 401],
      [{ headers: { authorization: `Bearer ${mine.token}` } }, 401],
      [{ headers: { authorization: "Bearer " } }, 401],
      [{ headers: { authorization: `Basic ${theirs.token}` } }, 401],
      [{ headers: { authorization: `Bearer ${mine.token}` }, query: { access_key: api.key.key } }, 401],
      [{ query: { access_key: publishable } }, 401],
      [{ query: { access_key: theirs.token } }, 401],
      [{ query: { access_key: other.key.key } }, 404],
    ];
    for (const [options, status] of attempts) {
      const responses = [
        await api.http.get(`${path}/messages`, options),
        await api.http.get(`${path}/events`, options),
        await api.http.post(`${path}/messages`, body, options),
        await api.http.post(`${path}/typing`, body, options),
      ];
      assert.deepEqual(responses.map((response) => response.status), [status, status, status, status]);
    }
    for (const id of [crypto.randomUUID(), "nonsense"]) {
      const headers = { authorization: `Bearer ${mine.token}` };
      assert.equal((await api.http.get(`/widget/conversations/${id}/messages`, { headers })).status, 401, id);
    }
    assert.deepEqual(texts((await theirs.read()).body.messages), ["visitor: My card number is …"]);
  }, { env }));

Deno.test("POST messages refuses what is no message, and stores nothing of it", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const refused: [changes: JsonObject, field: string][] = [
      [{ text: undefined }, "text"],
      [{ text: "" }, "text"],
      [{ text: "   \n" }, "text"],
      [{ text: "x".repeat(4001) }, "text"],
      [{ text: 5 }, "text"],
      [{ client_message_id: undefined }, "client_message_id"],
      [{ client_message_id: "1" }, "client_message_id"],
    ];
    for (const [changes, field] of refused) {
      const response = await chat.say("x", changes);
      assertRefused(
        response,
        { status: 400, error: "validation_failed" },
        JSON.stringify(changes).slice(0, 60),
      );
      assert.equal(response.body.details.field, field);
    }
    assertRefused(await chat.say("a\0b"), { status: 400, error: "validation_failed" });
    assertRefused(await chat.say("x".repeat(1024 * 1024)), { status: 413, error: "payload_too_large" });
    assert.deepEqual((await chat.read()).body.messages, []);
    assert.equal((await chat.say("😀".repeat(4000))).status, 200);
  }, { env }));

Deno.test("a conversation that has ended can be read, and not written in", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await chat.say("Hello");
    await chat.close();

    assertRefused(await chat.say("One more"), { status: 409, error: "conversation_closed" });
    assertRefused(await chat.reply("One more"), { status: 409, error: "conversation_closed" });
    const { body } = await chat.read();
    assert.deepEqual([body.status, texts(body.messages)], ["closed", ["visitor: Hello"]]);
  }, { env }));

Deno.test("a widget that is switched off, or of a company without access, is closed to its visitors too", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await api.sql`update outbound.widgets set is_active = false where id = ${chat.widget.id}`;
    assertRefused(await chat.say("Hello"), { status: 403, error: "forbidden" });
    await api.sql`update outbound.widgets set is_active = true where id = ${chat.widget.id}`;
    await api.sql`update outbound.companies set api_access = false where id = ${api.company.id}`;
    assertRefused(await chat.read(), { status: 403, error: "forbidden" });
  }, { env }));

Deno.test("a visitor who writes too much, and an address that opens too much, have to wait", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const statuses = [];
    for (let n = 0; n < 31; n++) statuses.push((await chat.say(`Message ${n}`)).status);
    const refused = await chat.say("And another");

    assert.deepEqual(statuses, [...Array(30).fill(200), 429]);
    assertRefused(refused, { status: 429, error: "rate_limit_exceeded" });
    const { limit, window, reset_time } = refused.body.details;
    assert.deepEqual([limit, window], [30, "60s"]);
    assert.ok(Date.parse(reset_time) > Date.now());
    assert.ok(refused.body.retry_after >= 1 && refused.body.retry_after <= 60);
    assert.equal((await chat.reply("Slowly, please")).status, 200, "the operator may still reply");
    const openings = [];
    for (let n = 0; n < 60; n++) openings.push((await chat.open({})).status);
    assert.deepEqual([openings.indexOf(429), openings.slice(-1)], [59, [429]]);
  }, { env }));

Deno.test("the company's webhook receives a conversation with its first message, and every message", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const page = { page_url: "https://shop.example/cart", page_title: "Your cart" };
    const chat = await openChat(api, { language: "es", ...page });
    assert.equal((await readEvents(api.sql, api.company.id)).length, 0);
    const first = await chat.say("Hola");
    await chat.say("x", { client_message_id: first.sent.client_message_id });
    await chat.reply("Buenas");
    const events = await readEvents(api.sql, api.company.id);

    const base = {
      company_id: api.company.id,
      conversation_id: chat.id,
      widget_id: chat.widget.id,
      user_id: chat.userId,
    };
    const received = events.map(({ type, payload }) => [type, payload.data.author, payload.data.text]);
    assert.deepEqual(received.sort(), [
      ["conversation.message", "operator", "Buenas"],
      ["conversation.message", "visitor", "Hola"],
      ["conversation.started", undefined, undefined],
    ]);
    const data = (type: string) => events.find((event) => event.type === type)!.payload.data;
    const { created_at: _, ...started } = data("conversation.started");
    assert.deepEqual(started, { ...base, language: "es", ...page });
    const { id: message_id, sequence, created_at } = first.body.message;
    assert.deepEqual(data("conversation.message"), {
      ...base,
      ...{ message_id, sequence, created_at, author: "visitor", text: "Hola" },
    });
  }, { env }));

Deno.test("clean_up() takes away conversations in which nothing was ever written", () =>
  withApi(async (api) => {
    const [empty, used] = [await openChat(api), await openChat(api)];
    await used.say("Hello");
    await api.sql`update outbound.conversations set created_at = now() - interval '25 hours'`;
    const fresh = await openChat(api);
    await api.sql`select outbound.clean_up()`;
    const left = await api.sql`select id from outbound.conversations`;

    assert.deepEqual(left.map(({ id }) => id).sort(), [used.id, fresh.id].sort());
    assert.equal((await empty.read()).status, 401);
  }, { env }));
