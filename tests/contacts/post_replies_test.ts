import assert from "node:assert/strict";
import { insertCompany, insertKey, insertSender } from "../setup/fixtures/fixtures.ts";
import type { JsonObject } from "../setup/http/http.ts";
import { ANA, receive, secondsAgo } from "../webhooks/inbound.ts";
import { withReplies } from "./with_replies.ts";

const NUMBER = ANA.number;

Deno.test("POST …/contacts/replies queues a reply to a person who wrote within a day", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, { text: { body: "Hello" }, timestamp: secondsAgo(3600) });

    const { status, body } = await t.reply({ number: NUMBER, text: "Good morning" });

    assert.equal(status, 200);
    assert.equal(body.status, "queued");
    const closesInS = (Date.parse(body.window_closes_at) - Date.now()) / 1000;
    assert.ok(Math.abs(closesInS - 23 * 3600) < 60);
    assert.equal((await t.stateOf(body.message_id)).status, "queued");
    const rows = await t.sql`select actor, action, after from outbound.audit_log`;
    assert.deepEqual([...rows], [{
      actor: `key:${t.company.key.id}`,
      action: "conversation.replied",
      after: { message_id: body.message_id },
    }]);
  }));

const WINDOWS: [why: string, writesToOther: boolean, ago: number | null, body: JsonObject, status: number][] =
  [
    ["a day and a second ago", false, 86_401, {}, 422],
    ["just within a day", false, 86_340, {}, 200],
    ["never", false, null, {}, 422],
    ["to another sender than the one named", true, 60, { recipient_id: "first" }, 422],
    ["to another sender, and none is named", true, 60, {}, 200],
  ];

for (const [why, writesToOther, ago, extra, status] of WINDOWS) {
  Deno.test(`POST …/contacts/replies responds ${status} when the person wrote ${why}`, () =>
    withReplies(async (t) => {
      const { company } = t;
      const other = await insertSender(t.sql, company.id);
      const sender = writesToOther ? other : company.sender;
      if (ago !== null) await receive(t, sender, { text: { body: "Hi" }, timestamp: secondsAgo(ago) });
      const named = extra.recipient_id ? { recipient_id: company.sender.number } : {};

      const response = await t.reply({ number: NUMBER, text: "Hi", ...named });

      assert.equal(response.status, status);
      if (status !== 422) return;
      assert.equal(response.body.error, "window_closed");
      assert.match(response.body.message, /template/);
      const { last_message_at, closed_at } = response.body.details;
      if (ago === 86_401) assert.equal(Date.parse(closed_at) - Date.parse(last_message_at), 86_400_000);
      else assert.deepEqual([last_message_at, closed_at], [null, null]);
      const [row] = await t.sql`select 1 from outbound.contact_messages where direction = 'out'`;
      assert.equal(row, undefined);
    }));
}

Deno.test("the platform's own notes open no window, and a clock that is ahead does not widen it", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, { type: "system", system: { type: "user_identity_changed" } });
    const closed = await t.reply({ number: NUMBER, text: "Hi" });
    await receive(t, t.company.sender, { text: { body: "Hi" }, timestamp: secondsAgo(-3600) });
    const open = await t.reply({ number: NUMBER, text: "Hi" });

    assert.equal(closed.body.error, "window_closed");
    assert.ok(Date.parse(open.body.window_closes_at) <= Date.now() + 86_400_000);
  }));

Deno.test("a person is found under the user id and under the number, whichever wrote", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hi", { wa_id: NUMBER, user_id: ANA.user_id });
    await receive(t, t.company.sender, "Hi", { user_id: "ES.77" });

    const statuses = [
      (await t.reply({ number: NUMBER, text: "a" })).status,
      (await t.reply({ user_id: ANA.user_id, text: "b" })).status,
      (await t.reply({ user_id: "ES.77", text: "c" })).status,
    ];
    await t.dispatch();

    assert.deepEqual(statuses, [200, 200, 200]);
    const to = t.sent.map(({ body }) => [body.text.body, body.to ?? body.recipient]).sort();
    assert.deepEqual(to, [["a", `+${NUMBER}`], ["b", `+${NUMBER}`], ["c", "ES.77"]]);
  }));

const REFUSALS: [field: string, body: JsonObject][] = [
  ["number", { text: "Hi" }],
  ["number", { number: "+34", text: "Hi" }],
  ["user_id", { user_id: "nobody", text: "Hi" }],
  ["text", { number: NUMBER }],
  ["text", { number: NUMBER, text: "" }],
  ["text", { number: NUMBER, text: "x".repeat(4097) }],
  ["text", { number: NUMBER, text: 5 }],
  ["media", { number: NUMBER, text: "Hi", media: { type: "image", link: "https://a.test/b.png" } }],
  ["media.type", { number: NUMBER, media: { type: "gif", link: "https://a.test/b.gif" } }],
  ["media.link", { number: NUMBER, media: { type: "image" } }],
  ["media.link", { number: NUMBER, media: { type: "image", link: "http://a.test/b.png" } }],
  ["media.link", { number: NUMBER, media: { type: "image", link: "https://127.0.0.1/b.png" } }],
  ["media.link", { number: NUMBER, media: { type: "image", link: "https://me:pw@a.test/b.png" } }],
  ["media.id", { number: NUMBER, media: { type: "image", link: "https://a.test/b.png", id: "1" } }],
  ["media.caption", { number: NUMBER, media: { type: "audio", id: "1", caption: "x" } }],
  ["media.caption", { number: NUMBER, media: { type: "image", id: "1", caption: "x".repeat(1025) } }],
  ["media.filename", { number: NUMBER, media: { type: "image", id: "1", filename: "a.png" } }],
  ["reply_to", { number: NUMBER, text: "Hi", reply_to: "the last one" }],
  ["reply_to", { number: NUMBER, text: "Hi", reply_to: crypto.randomUUID() }],
  ["recipient_id", { number: NUMBER, text: "Hi", recipient_id: "34999999999" }],
];

Deno.test("POST …/contacts/replies refuses what does not fit, and names the field", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");

    for (const [field, body] of REFUSALS) {
      const response = await t.reply(body);

      assert.deepEqual(
        [response.status, response.body.error],
        [400, "validation_failed"],
        JSON.stringify(body),
      );
      assert.equal(response.body.details.field, field);
    }
  }));

Deno.test("POST …/contacts/replies does not reach another company's person", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const stranger = await insertCompany(t.sql);
    const theirs = await insertKey(t.sql, stranger.id, { permissions: ["contacts"] });
    const post = (access_key: string) =>
      t.http.post("/manage/companies/mine/contacts/replies", { number: NUMBER, text: "Hi" }, {
        query: { access_key },
      });

    const otherCompany = await post(theirs.key);

    assert.equal(otherCompany.body.error, "window_closed");
  }));

Deno.test("POST …/contacts/replies stores one reply per idempotency key, also of two requests at once", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const headers = { "Idempotency-Key": "once" };
    const body = { number: NUMBER, text: "Hi" };

    const both = await Promise.all([t.reply(body, headers), t.reply(body, headers)]);
    const third = await t.reply(body, headers);
    const other = await t.reply({ number: NUMBER, text: "Bye" }, headers);

    assert.deepEqual(both.map(({ status }) => status), [200, 200]);
    assert.deepEqual(both[1]!.body, both[0]!.body);
    assert.deepEqual(third.body, both[0]!.body);
    assert.equal(third.headers.get("Idempotent-Replayed"), "true");
    assert.deepEqual([other.status, other.body.error], [422, "idempotency_key_reused"]);
    const [row] = await t
      .sql`select count(*)::int as count from outbound.contact_messages where direction = 'out'`;
    assert.equal(row!.count, 1);
  }));

Deno.test("POST …/contacts/replies refuses a sender whose account the platform locked", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    await t.sql`update outbound.senders
      set status = 'stopped', stopped_reason = 'Spam', stopped_at = now(), locked = true`;

    const { status, body } = await t.reply({ number: NUMBER, text: "Hi" });

    assert.deepEqual([status, body.error], [422, "sender_locked"]);
  }));

Deno.test("a person who opted out can be replied to", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "STOP");

    assert.equal((await t.reply({ number: NUMBER, text: "Sorry to see you go" })).status, 200);
    await t.dispatch();

    assert.deepEqual(t.sent.length, 2, "the confirmation and the reply");
  }));
