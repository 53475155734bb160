import assert from "node:assert/strict";
import type { JsonObject } from "../../setup/http/http.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { assertRefused } from "../assert_refused.ts";
import { type MediaApi, PDF, PNG, withMedia } from "../media/with_media.ts";
import { openChat, type TestChat } from "./open_chat.ts";

const CARD = {
  title: "Running shoes",
  text: "Back in your size.\nToday only.",
  image_url: "https://shop.example/shoes.jpg",
  buttons: [{ label: "Look", url: "https://shop.example/shoes" }, {
    label: "Buy",
    url: "https://shop.example/buy",
  }],
};

/** Writes with the company's key, as its systems do. */
function write({ http }: MediaApi, chat: TestChat, body: JsonObject) {
  return http.post(`/widget/conversations/${chat.id}/messages`, {
    client_message_id: crypto.randomUUID(),
    ...body,
  }, chat.asOperator);
}

Deno.test("a company sends quick replies, cards and files, by its key and as its members do, and the visitor has them", () =>
  withMedia(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const chat = await openChat(api);
    const image = (await api.upload(PNG, "image/png", { name: "shoe.png" })).body.media_id;
    const file = (await api.upload(PDF, "application/pdf", { name: "menu.pdf" })).body.media_id;
    const quick_replies = ["Yes", "No, thanks"];
    const reply = (body: JsonObject) => api.ask("POST", `/conversations/${chat.id}/reply`, body);
    const sent = [
      await write(api, chat, { text: "Shall I send it?", quick_replies }),
      await write(api, chat, { card: CARD }),
      await write(api, chat, { media: { media_id: file } }),
      await reply({ card: { title: "Own image", image_media_id: image }, quick_replies: ["Nice"] }),
      await reply({ media: { type: "document", media_id: file, caption: "Our menu" } }),
      await reply({ text: "Well?", quick_replies }),
    ];
    const { messages } = (await chat.read()).body;
    const shown = messages.map(({ text, file, card, quick_replies: replies }: JsonObject) =>
      Object.fromEntries(
        Object.entries({ text, file: file?.file_name, card, replies }).filter(([, value]) => value),
      )
    );
    const events = (await readEvents(api.sql, api.company.id)).filter(({ type }) =>
      type === "conversation.message"
    );
    const own = await api.http.get(`/widget/conversations/${chat.id}/messages/4/file`, chat.asVisitor);
    const opened = await fetch(own.body.url);

    assert.deepEqual(
      sent.map(({ status }) => status),
      [200, 200, 200, 200, 200, 200],
      JSON.stringify(sent.at(-1)?.body),
    );
    assert.deepEqual(shown, [
      { text: "Shall I send it?", replies: quick_replies },
      { text: "Running shoes", card: CARD },
      { text: "menu.pdf", file: "menu.pdf" },
      {
        text: "Own image",
        card: { title: "Own image", image_media_id: image, buttons: [] },
        replies: ["Nice"],
      },
      { text: "Our menu", file: "menu.pdf" },
      { text: "Well?", replies: quick_replies },
    ]);
    assert.deepEqual(
      events.map(({ payload }) => Object.keys(payload.data).filter((key) => key in messages[0])).length,
      6,
    );
    assert.deepEqual(events.find(({ payload }) => payload.data.card)!.payload.data.card, CARD);
    assert.deepEqual([opened.status, await opened.bytes()], [200, PNG]);
    const { body: { messages: inbox } } = await api.ask("GET", `/conversations/${chat.id}/messages`);
    assert.deepEqual(inbox.map(({ kind, text }: JsonObject) => [kind, text]).slice(0, 3), [
      ["text", "Well?"],
      ["document", "Our menu"],
      ["text", "Own image"],
    ]);
    assert.deepEqual(inbox[0].content, { quick_replies });
  }));

Deno.test("content that is wrong in one field is refused, and nothing is stored", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const other = await api.addTenant();
    const ofOther = await api.http.post("/manage/companies/mine/media", undefined, {
      query: { access_key: other.key.key },
      headers: { "content-type": "image/png" },
      rawBody: PNG,
    });
    const pdf = (await api.upload(PDF, "application/pdf")).body.media_id;
    const button = { label: "Look", url: "https://shop.example" };
    const cases: [body: JsonObject, field: string][] = [
      [{}, "text"],
      [{ quick_replies: ["Yes"] }, "text"],
      [{ text: "x", quick_replies: [] }, "quick_replies"],
      [{ text: "x", quick_replies: Array.from({ length: 11 }, (_, at) => `${at}`) }, "quick_replies"],
      [{ text: "x", quick_replies: ["Yes", "Yes"] }, "quick_replies"],
      [{ text: "x", quick_replies: ["a\nb"] }, "quick_replies[0]"],
      [{ text: "x", quick_replies: ["x".repeat(81)] }, "quick_replies[0]"],
      [{ card: { title: "" } }, "card.title"],
      [{ card: { title: "x", buttons: [button, button, button, button] } }, "card.buttons"],
      [{ card: { title: "x", buttons: [{ ...button, url: "javascript:alert(1)" }] } }, "card.buttons[0].url"],
      [{ card: { title: "x", buttons: [{ ...button, url: "http://shop.example" }] } }, "card.buttons[0].url"],
      [{ card: { title: "x", image_url: "https://10.0.0.1/x.png" } }, "card.image_url"],
      [{ card: { title: "x", image_url: "https://user:pw@shop.example/x.png" } }, "card.image_url"],
      [{ card: { title: "x", image_media_id: pdf } }, "card.image_media_id"],
      [{ card: { title: "x", image_media_id: ofOther.body.media_id } }, "card.image_media_id"],
      [{ media: { media_id: ofOther.body.media_id } }, "media.media_id"],
      [{ card: { title: "x" }, media: { media_id: pdf } }, "card"],
    ];
    for (const [body, field] of cases) {
      const refused = await write(api, chat, body);
      assertRefused(refused, { status: 400, error: "validation_failed" }, JSON.stringify(body));
      assert.equal(refused.body.details.field, field, JSON.stringify(body));
    }
    for (const field of ["card", "quick_replies", "media"]) {
      const value = { card: { title: "x" }, quick_replies: ["x"], media: { media_id: pdf } }[field];
      const refused = await chat.say("I am the company", { [field]: value });
      assertRefused(refused, { status: 400, error: "validation_failed" }, field);
    }
    assert.deepEqual((await chat.read()).body.messages, []);
  }));

Deno.test("a widget's quick replies are in the visitor's language, and one that is chosen gets its automatic reply once", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const config = {
      quick_replies: {
        en: [{ text: "Opening hours", reply: "We are open from 9 to 18." }, { text: "Something else" }],
        es: [{ text: "Horario" }],
      },
    };
    await api.sql`update outbound.widgets set config = ${api.sql.json(config)} where id = ${chat.widget.id}`;
    const look = async (lang: string) =>
      (await api.http.get("/widget", { query: { access_key: api.key.key, widget_id: chat.widget.id, lang } }))
        .body
        .quick_replies;
    const client_message_id = crypto.randomUUID();
    const chosen = { quick_reply: true, client_message_id };
    await Promise.all([1, 2, 3].map(() => chat.say("Opening hours", chosen)));
    await chat.say("Opening hours", { client_message_id });
    await chat.say("Something else", { quick_reply: true });
    await chat.say("None of these", { quick_reply: true });
    await chat.say("Opening hours");
    const { messages } = (await chat.read()).body;

    assert.deepEqual([await look("es-MX"), await look("en"), await look("fr")], [
      ["Horario"],
      ["Opening hours", "Something else"],
      ["Opening hours", "Something else"],
    ]);
    assert.deepEqual(messages.map(({ author, text }: JsonObject) => `${author}: ${text}`), [
      "visitor: Opening hours",
      "operator: We are open from 9 to 18.",
      "visitor: Something else",
      "visitor: None of these",
      "visitor: Opening hours",
    ]);
    assert.deepEqual(messages[1].sender, { name: api.company.name, is_machine: true });
  }));

Deno.test("a conversation is read page by page towards its beginning", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    for (const text of ["a", "b", "c", "d"]) await chat.reply(text);
    const read = async (query: Record<string, string>) =>
      (await chat.read(query)).body.messages.map(({ text }: JsonObject) => text).join("");

    assert.equal(await read({ before: "4" }), "abc");
    assert.equal(await read({ before: "4", after: "1" }), "bc");
    assert.equal(await read({ before: "1" }), "");
    assertRefused(await chat.read({ before: "x" }), { status: 400, error: "validation_failed" });
  }));
