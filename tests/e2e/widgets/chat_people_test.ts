import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertPublishableKey, insertWidget } from "../../setup/fixtures/widgets.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { type Api, withApi } from "../with_api.ts";
import { followChat } from "./follow_chat.ts";
import { openChat, type TestChat } from "./open_chat.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };

const FOLLOW_UP = { follow_up: { send_after_minutes: 10 } };

/** Lets the time pass after which an unread reply is reported, and does what is due. */
async function passWait({ sql, company }: Api): Promise<void> {
  await sql`
    update outbound.conversations set follow_up_at = follow_up_at - interval '10 minutes'
    where company_id = ${company.id} and follow_up_at is not null`;
  await sql`select outbound.follow_up_conversations(100)`;
}

/** The data of a company's events of one type, in their order. */
async function eventsOf({ sql, company }: Api, type: string): Promise<JsonObject[]> {
  const events = await readEvents(sql, company.id);
  return events.filter((event) => event.type === type).map(({ payload }) => payload.data);
}

const stateOf = async (chat: TestChat) => {
  const { body: { status: _, messages: __, ...state } } = await chat.read();
  return state;
};

Deno.test("a company's own key says who writes; a visitor cannot", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const ana = { name: "Ana", avatar_url: "https://shop.example/ana.png" };

    const reply = await chat.reply("Hello", { sender: ana });
    const plain = await chat.reply("Hello again");

    assert.deepEqual(reply.body.message.sender, ana);
    assert.equal(plain.body.message.sender, undefined);
    const { body } = await chat.read();
    assert.deepEqual(body.messages.map(({ sender }: JsonObject) => sender), [ana, undefined]);
    assertRefused(await chat.say("Hi", { sender: ana }), { status: 400, error: "validation_failed" });
    const bad = [
      { name: "" },
      { name: "x".repeat(101) },
      { name: "A\nB" },
      { name: "A", avatar_url: "http://shop.example/a.png" },
      { name: "A", avatar_url: "javascript:alert(1)" },
      { name: "A", email: "ana@shop.example" },
      "Ana",
    ];
    for (const sender of bad) {
      assertRefused(await chat.reply("Bad", { sender }), { status: 400, error: "validation_failed" });
    }
    assert.equal((await chat.read()).body.messages.length, 2);
  }, { env }));

Deno.test("a visitor receives the name of the one who types, and an operator none of the visitor", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const page = await followChat(api.url, chat.id, chat.asVisitor);
    const typing = () => page.events.filter(({ event }) => event === "typing").map(({ data }) => data);
    try {
      await chat.act("typing", { is_typing: true, name: "Ana" }, chat.asOperator);
      await eventually(() =>
        assert.deepEqual(typing(), [{ author: "operator", is_typing: true, name: "Ana" }])
      );
      await chat.act("typing", { is_typing: false }, chat.asOperator);
      await eventually(() => assert.deepEqual(typing().at(-1), { author: "operator", is_typing: false }));
      assertRefused(await chat.act("typing", { is_typing: true, name: "Ana" }), {
        status: 400,
        error: "validation_failed",
      });
    } finally {
      await page.leave();
    }
  }, { env }));

Deno.test("each side sees how far the other has read; that only moves forward, up to the last message", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const visitor = await followChat(api.url, chat.id, chat.asVisitor);
    const operator = await followChat(api.url, chat.id, chat.asOperator);
    const read = (page: typeof visitor) =>
      page.events.filter(({ event }) => event === "read").map(({ data }) => data);
    try {
      await chat.say("One");
      await chat.say("Two");
      assert.equal((await chat.act("read", { sequence: 1 }, chat.asOperator)).status, 204);
      await eventually(() => assert.deepEqual(read(visitor), [{ author: "operator", sequence: 1 }]));
      await chat.act("read", { sequence: 999 }, chat.asOperator);
      await eventually(() => assert.deepEqual(read(visitor).at(-1), { author: "operator", sequence: 2 }));
      await chat.act("read", { sequence: 1 }, chat.asOperator);
      await chat.reply("Three");
      await chat.act("read", { sequence: 3 });

      await eventually(() => assert.deepEqual(read(operator).at(-1), { author: "visitor", sequence: 3 }));
      const { visitor_read, operator_read } = await stateOf(chat);
      assert.deepEqual([visitor_read, operator_read], [3, 3]);
      for (const sequence of [0, -1, 1.5, "1", null, 1e12]) {
        assertRefused(await chat.act("read", { sequence }), { status: 400, error: "validation_failed" });
      }
    } finally {
      await Promise.all([visitor.leave(), operator.leave()]);
    }
  }, { env }));

Deno.test("a report of what was read before writes nothing", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await chat.reply("Hello");
    await chat.act("read", { sequence: 1 });
    const version = async () =>
      (await api.sql`
      select xmin::text from outbound.conversations where id = ${chat.id}`)[0]!.xmin;
    const before = await version();

    for (let n = 0; n < 3; n++) await chat.act("read", { sequence: 1 });

    assert.equal(await version(), before);
  }, { env }));

Deno.test("a machine's message is not a member who has read", () =>
  withApi(async (api) => {
    const chat = await openChat(api, {}, FOLLOW_UP);
    await chat.say("Hello?");
    const sender = { name: "Robo", is_machine: true };
    await api.sql`
      select outbound.add_message(${api.company.id}, ${chat.id}, 'operator', 'Hi', null, ${
      api.sql.json({ sender })
    })`;

    assert.equal((await stateOf(chat)).operator_read, 0);
    assert.deepEqual((await chat.read()).body.messages[1].sender, sender);
  }, { env }));

Deno.test("an unread reply is reported once, with the visitor's e-mail address and what was written", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const chat = await openChat(api, { language: "es" }, FOLLOW_UP);
    await chat.say("Where is my order?");
    assert.equal((await stateOf(chat)).has_email, false);
    assert.equal((await chat.act("email", { email: "Ana@Example.com" })).status, 204);
    assert.equal((await stateOf(chat)).has_email, true);
    await api.sql`select outbound.follow_up_conversations(100)`;
    await chat.reply("It left this morning", { sender: { name: "Luis" } });
    await api.sql`select outbound.follow_up_conversations(100)`;
    assert.deepEqual(await eventsOf(api, "conversation.follow_up"), []);

    await passWait(api);
    await passWait(api);

    const [event, ...others] = await eventsOf(api, "conversation.follow_up");
    assert.deepEqual(others, []);
    const { messages, ...data } = event!;
    assert.deepEqual(data, {
      company_id: api.company.id,
      conversation_id: chat.id,
      widget_id: chat.widget.id,
      user_id: chat.userId,
      email: "ana@example.com",
      is_signed: false,
      language: "es",
      has_more: false,
    });
    assert.deepEqual(
      messages.map(({ created_at: _, ...message }: JsonObject) => message),
      [
        { sequence: 1, author: "visitor", text: "Where is my order?", is_read: true },
        { sequence: 2, author: "operator", sender: "Luis", text: "It left this morning", is_read: false },
      ],
    );
  }, { env }));

Deno.test("a reply that was read, and one without an address, are not followed up; an address that comes later is used", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const [read, silent, late, off] = [
      await openChat(api, {}, FOLLOW_UP),
      await openChat(api, {}, FOLLOW_UP),
      await openChat(api, {}, FOLLOW_UP),
      await openChat(api),
    ];
    for (const chat of [read, silent, late, off]) await chat.say("Hello?");
    await read.act("email", { email: "read@example.com" });
    for (const chat of [read, silent, late, off]) await chat.reply("Hi");
    await read.act("read", { sequence: 2 });
    await passWait(api);
    await late.act("email", { email: "late@example.com" });
    await passWait(api);

    const events = await eventsOf(api, "conversation.follow_up");
    assert.deepEqual(events.map(({ email }) => email), ["late@example.com"]);
    assertRefused(await off.act("email", { email: "off@example.com" }), { status: 403, error: "forbidden" });
    assertRefused(await read.act("email", { email: "a@example.com" }, read.asOperator), {
      status: 401,
      error: "unauthorized",
    });
    for (
      const email of ["", "ana", "a@b", `${"x".repeat(250)}@example.com`, "a@example.com\n", 5, undefined]
    ) {
      assertRefused(await read.act("email", { email }), { status: 400, error: "validation_failed" });
    }
    assert.equal((await read.act("email", { email: null })).status, 204);
    assert.equal((await stateOf(read)).has_email, false);
  }, { env }));

Deno.test("a report of an unread reply has the last 30 messages, each cut", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const chat = await openChat(api, {}, FOLLOW_UP);
    await chat.act("email", { email: "ana@example.com" });
    await api.sql`
      select count(*) from generate_series(1, 40) as n
      cross join lateral outbound.add_message(
        ${api.company.id}, ${chat.id}, 'operator', repeat('x', 4000 + 0 * n), null, '{}')`;
    await passWait(api);

    const [{ messages, has_more }] = await eventsOf(api, "conversation.follow_up") as [JsonObject];
    assert.deepEqual([messages.length, messages[0].sequence, messages[0].text.length, has_more], [
      30,
      11,
      1000,
      true,
    ]);
  }, { env }));

Deno.test("a visitor rates a conversation, and may change it until a day after its end", () =>
  withApi(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const chat = await openChat(api);
    assertRefused(await chat.act("rating", { rating: 5 }), { status: 403, error: "forbidden" });
    await chat.say("Hello");
    await chat.close();

    const statuses = [
      await chat.act("rating", { rating: 2, comment: "  Slow " }),
      await chat.act("rating", { rating: 2, comment: "Slow" }),
      await chat.act("rating", { rating: 4 }),
    ].map(({ status }) => status);

    assert.deepEqual(statuses, [204, 204, 204]);
    assert.equal((await stateOf(chat)).rating, 4);
    const events = await eventsOf(api, "conversation.rated");
    assert.deepEqual(
      events.map(({ rating, comment, previous_rating }) => [rating, comment, previous_rating]).sort(),
      [[2, "Slow", undefined], [4, undefined, 2]],
    );
    for (
      const body of [{}, { rating: 0 }, { rating: 6 }, { rating: 2.5 }, { rating: "5" }]
        .concat(
          { rating: 5, comment: "x".repeat(2001) } as JsonObject,
          { rating: 5, comment: "\0" } as JsonObject,
        )
    ) {
      assertRefused(await chat.act("rating", body), { status: 400, error: "validation_failed" });
    }
    assertRefused(await chat.act("rating", { rating: 5 }, chat.asOperator), {
      status: 401,
      error: "unauthorized",
    });
    await api.sql`
      update outbound.conversations set closed_at = closed_at - interval '25 hours' where id = ${chat.id}`;
    assertRefused(await chat.act("rating", { rating: 5 }), { status: 409, error: "conversation_closed" });
    assert.equal((await stateOf(chat)).rating, 4);
  }, { env }));

Deno.test("a widget without ratings refuses them", () =>
  withApi(async (api) => {
    const chat = await openChat(api, {}, { features: { rating: false } });
    await chat.say("Hello");

    assertRefused(await chat.act("rating", { rating: 5 }), { status: 403, error: "forbidden" });
  }, { env }));

Deno.test("where a widget asks for consent, a conversation opens only with what it asks for, which is stored", () =>
  withApi(async (api) => {
    const consent = { text: "We store this chat.", link: "https://shop.example/privacy" };
    const widget = await insertWidget(api.sql, api.company.id, { config: { consent } });
    const access_key = await insertPublishableKey(api.sql, api.company.id);
    const open = (body: JsonObject) =>
      api.http.post("/widget/conversations", { user_id: crypto.randomUUID(), ...body }, {
        query: { access_key, widget_id: widget.id },
      });
    const refused = [
      {},
      { consent: null },
      { consent: { ...consent, text: "Something else" } },
      { consent: { text: consent.text } },
      { consent: true },
    ];
    for (const body of refused) {
      assertRefused(await open(body), { status: 400, error: "validation_failed" });
    }

    const { body } = await open({ consent });

    const [row] = await api.sql`
      select consent, (consent ->> 'accepted_at')::timestamptz = created_at as at_once from outbound.conversations
      where id = ${body.conversation_id}`;
    const { accepted_at: _, ...stored } = row!.consent;
    assert.deepEqual(stored, consent);
    const [{ count }] = await api.sql`
      select count(*)::int from outbound.conversations where widget_id = ${widget.id}` as [{ count: number }];
    assert.equal(count, 1);
  }, { env }));

Deno.test("GET /widget says when members reply, from now on", () =>
  withApi(async (api) => {
    const days = Object.fromEntries(
      ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map((day) => [day, [["00:00", "24:00"]]]),
    );
    const config = { office_hours: { timezone: "Europe/Madrid", days }, follow_up: {} };
    const widget = await insertWidget(api.sql, api.company.id, { config });

    const { body } = await api.http.get("/widget", {
      query: { access_key: api.key.key, widget_id: widget.id },
    });

    assert.equal(body.open_times.length, 1);
    assert.ok(Date.parse(body.open_times[0].from) <= Date.now());
    assert.ok(Date.parse(body.open_times[0].until) > Date.now() + 29 * 86_400_000);
    assert.equal(body.ask_email_after_minutes, 5);
  }, { env }));
