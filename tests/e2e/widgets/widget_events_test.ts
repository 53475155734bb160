import assert from "node:assert/strict";
import { eventually } from "../../setup/eventually.ts";
import type { JsonObject, TestRequestOptions } from "../../setup/http/http.ts";
import { assertRefused } from "../assert_refused.ts";
import { followChat } from "./follow_chat.ts";
import { openChat } from "./open_chat.ts";
import { withApi } from "../with_api.ts";

const env = { OUTBOUND_WIDGET_URL: "https://widgets.example" };

Deno.test("an event stream starts with what was written, and goes on with what is", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    await chat.say("Before");
    const page = await followChat(api.url, chat.id, chat.asVisitor);
    try {
      await page.texts(1);
      const reply = await chat.reply("After\nwith a second line");
      assert.deepEqual(await page.texts(2), ["Before", "After\nwith a second line"]);

      const { event, id, data } = page.events.at(-1)!;
      assert.deepEqual([event, id, data], ["message", "2", reply.body.message]);
      assert.deepEqual(page.events.filter((e) => e.event === "status").map((e) => e.data), [{
        status: "open",
      }]);
      assert.equal(page.status, 200);
      assert.match(page.headers.get("content-type") ?? "", /^text\/event-stream/);
      assert.match(page.headers.get("cache-control") ?? "", /no-cache/);
      assert.match(page.headers.get("x-request-id") ?? "", /^req_/);
      assert.equal(page.headers.get("access-control-allow-origin"), "*");
      assert.match(page.raw(), /^retry: \d+\n\n/);
    } finally {
      await page.leave();
    }
  }, { env }));

Deno.test("a message written by another process arrives within a second or so", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const page = await followChat(api.url, chat.id, chat.asVisitor);
    try {
      await api.sql`
        select outbound.add_message(${api.company.id}, ${chat.id}, 'operator', 'From elsewhere', null, '{}')`;
      const started = performance.now();
      assert.deepEqual(await page.texts(1), ["From elsewhere"]);
      assert.ok(performance.now() - started < 3000);
    } finally {
      await page.leave();
    }
  }, { env }));

Deno.test("a reader that comes back again and again gets every message once, in order", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const seen: string[] = [];
    let last = "0";
    const readSome = async (atLeast: number, options: TestRequestOptions) => {
      const page = await followChat(api.url, chat.id, options);
      await page.texts(atLeast);
      await page.leave();
      const messages = page.events.filter(({ event }) => event === "message");
      seen.push(...messages.map(({ data }) => data.text));
      last = messages.at(-1)!.id!;
    };
    for (let round = 0; round < 6; round++) {
      const headers = { ...chat.asVisitor.headers, "last-event-id": last };
      const reading = readSome(2, { headers });
      await Promise.all([0, 1, 2, 3].map((n) => chat.reply(`${round}.${n}`)));
      await reading;
    }
    const { body } = await chat.read();
    const expected = body.messages.map(({ text }: JsonObject) => text);
    const left = expected.length - seen.length;
    if (left > 0) await readSome(left, { ...chat.asVisitor, query: { after: last } });

    assert.equal(expected.length, 24);
    assert.deepEqual(seen, expected);
  }, { env }));

Deno.test("each side receives an event when the other types, and when it stops", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const path = `/widget/conversations/${chat.id}/typing`;
    const visitor = await followChat(api.url, chat.id, chat.asVisitor);
    const operator = await followChat(api.url, chat.id, chat.asOperator);
    const typing = (page: typeof visitor) =>
      page.events.filter(({ event }) => event === "typing").map(({ data }) => data);
    try {
      await api.http.post(path, { is_typing: true }, chat.asVisitor);
      await eventually(() => assert.deepEqual(typing(operator), [{ author: "visitor", is_typing: true }]));
      assert.deepEqual(typing(visitor), []);
      await chat.say("Done");
      await eventually(() =>
        assert.deepEqual(typing(operator).at(-1), { author: "visitor", is_typing: false })
      );
      await api.http.post(path, { is_typing: true }, chat.asOperator);
      await eventually(() => assert.deepEqual(typing(visitor), [{ author: "operator", is_typing: true }]));
      await api.http.post(path, { is_typing: false }, chat.asOperator);
      await eventually(() =>
        assert.deepEqual(typing(visitor).at(-1), { author: "operator", is_typing: false })
      );
    } finally {
      await Promise.all([visitor.leave(), operator.leave()]);
    }
  }, { env }));

Deno.test("the end of a conversation reaches its readers, and so does the end of the service", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const page = await followChat(api.url, chat.id, chat.asVisitor);
    await chat.close();
    await eventually(() => assert.deepEqual(page.events.at(-1)?.data, { status: "closed" }));

    api.services.conversations.end();
    await page.ended;
  }, { env }));

Deno.test("streams beyond ten of one conversation end the oldest", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const pages = [];
    for (let n = 0; n < 11; n++) pages.push(await followChat(api.url, chat.id, chat.asVisitor));
    try {
      await pages[0]!.ended;
      await chat.reply("Still here?");
      for (const page of pages.slice(1)) assert.deepEqual(await page.texts(1), ["Still here?"]);
    } finally {
      await Promise.all(pages.map((page) => page.leave()));
    }
  }, { env }));

Deno.test("GET events refuses a number that is none", () =>
  withApi(async (api) => {
    const chat = await openChat(api);
    const path = `/widget/conversations/${chat.id}/events`;
    const headers = { ...chat.asVisitor.headers, "last-event-id": "-1" };

    for (const options of [{ headers }, { ...chat.asVisitor, query: { after: "1; drop" } }]) {
      assertRefused(await api.http.get(path, options), { status: 400, error: "validation_failed" });
    }
  }, { env }));
