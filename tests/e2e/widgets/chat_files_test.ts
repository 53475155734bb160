import assert from "node:assert/strict";
import { deleteMediaLeftovers } from "../../../supabase/functions/_shared/media/delete_leftovers.ts";
import type { JsonObject, TestAnswer } from "../../setup/http/http.ts";
import { insertWebhook, readEvents } from "../../setup/fixtures/webhooks.ts";
import { insertMember } from "../../setup/fixtures/fixtures.ts";
import { assertRefused } from "../assert_refused.ts";
import { type MediaApi, PDF, PNG, withMedia } from "../media/with_media.ts";
import { openChat, type TestChat } from "./open_chat.ts";

type Answer = TestAnswer<JsonObject>;

interface Sent {
  bytes?: Uint8Array<ArrayBuffer>;
  type?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
}

/** Sends a file as the visitor: a PDF unless given another. */
function send(
  { http }: MediaApi,
  chat: TestChat,
  { bytes = PDF, type, query, headers }: Sent = {},
): Promise<Answer> {
  return http.post(`/widget/conversations/${chat.id}/files`, undefined, {
    query: { client_message_id: crypto.randomUUID(), file_name: "receipt.pdf", ...query },
    headers: { ...chat.asVisitor.headers, "content-type": type ?? "application/pdf", ...headers },
    rawBody: bytes,
  });
}

function linkOf({ http }: MediaApi, chat: TestChat, sequence: number, options: JsonObject = chat.asVisitor) {
  return http.get(`/widget/conversations/${chat.id}/messages/${sequence}/file`, options);
}

/** Downloads by a link, as a browser does. */
async function download(url: string): Promise<{ status: number; bytes: Uint8Array; headers: Headers }> {
  const response = await fetch(url);
  return { status: response.status, bytes: await response.bytes(), headers: response.headers };
}

async function usage({ sql, company }: MediaApi): Promise<JsonObject> {
  const [row] = await sql`
    select bytes::int, visitor_bytes::int from outbound.media_usage where company_id = ${company.id}`;
  return { ...row };
}

/** A PDF of so many bytes that no other one has. */
function pdf(bytes: number): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes).fill(0x20);
  file.set(new TextEncoder().encode(`%PDF-1.4 ${crypto.randomUUID()}`));
  return file;
}

Deno.test("a visitor sends a file, which the visitor and the company open, and the webhook names", () =>
  withMedia(async (api) => {
    await insertWebhook(api.sql, api.company.id);
    const chat = await openChat(api);
    const sent = await send(api, chat, {
      bytes: PNG,
      type: "image/png",
      query: { file_name: "Photo 1.png" },
    });
    const { file, ...message } = sent.body.message;
    const link = await linkOf(api, chat, 1);
    const ofOperator = await linkOf(api, chat, 1, chat.asOperator);
    const opened = await download(link.body.url);
    const content = await api.ask("GET", `/media/${file.media_id}/content`);
    const inbox = await api.ask("GET", `/conversations/${chat.id}/messages`);
    const [event] = (await readEvents(api.sql, api.company.id)).filter(({ type }) =>
      type === "conversation.message"
    );

    assert.equal(sent.status, 200);
    assert.deepEqual([message.text, message.author, message.sequence], ["Photo 1.png", "visitor", 1]);
    const expected = {
      file_name: "Photo 1.png",
      content_type: "image/png",
      bytes: PNG.length,
      width: 1,
      height: 1,
    };
    assert.deepEqual(file, { media_id: file.media_id, ...expected });
    assert.deepEqual((await chat.read()).body.messages[0].file, file);
    assert.deepEqual([link.status, ofOperator.status, opened.status], [200, 200, 200]);
    assert.deepEqual(opened.bytes, PNG);
    assert.match(opened.headers.get("content-disposition")!, /^inline; filename="Photo 1.png"/);
    assert.equal(opened.headers.get("x-content-type-options"), "nosniff");
    assert.equal(content.status, 200);
    const [shown] = inbox.body.messages;
    assert.deepEqual([shown.kind, shown.content.file.media_id], ["image", file.media_id]);
    assert.deepEqual(event!.payload.data.file, file);
    assert.ok(!JSON.stringify(event).includes("linked_media"));
    assert.equal((await api.ask("GET", "/media")).body.media.length, 0, "not among the company's own files");
  }));

Deno.test("a file sent again with the same id is stored once, also at the same time", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const query = { client_message_id: crypto.randomUUID() };
    const sent = await Promise.all([1, 2, 3].map(() => send(api, chat, { query })));
    const again = await send(api, chat, { query, bytes: pdf(50_000) });
    await deleteMediaLeftovers(api.services);

    assert.deepEqual([...sent, again].map(({ status }) => status), [200, 200, 200, 200]);
    assert.equal(new Set([...sent, again].map(({ body }) => JSON.stringify(body))).size, 1);
    assert.equal((await chat.read()).body.messages.length, 1);
    assert.equal((await api.stored()).length, 1);
    assert.deepEqual(await usage(api), { bytes: PDF.length, visitor_bytes: PDF.length });
  }));

Deno.test("a visitor's file has an ending of its type, so that no computer runs it", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const bytes = new TextEncoder().encode("del *.*");
    const names = async (type: string, file_name: string) => {
      const { body } = await send(api, chat, { bytes, type, query: { file_name } });
      return [body.message.text, body.message.file.file_name];
    };

    assert.deepEqual(await names("text/plain", "Invoice.bat"), ["Invoice.bat.txt", "Invoice.bat.txt"]);
    assert.deepEqual(await names("text/plain", "orders.CSV"), ["orders.CSV", "orders.CSV"]);
  }));

Deno.test("POST …/files refuses what is no file of its type, and stores nothing", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const html = new TextEncoder().encode("<!doctype html><script>alert(1)</script>");
    const invalid = { status: 400, error: "validation_failed" };
    for (
      const [sent, field] of [
        [{ bytes: html, type: "image/png" }, "body"],
        [{ bytes: html, type: "text/html" }, "Content-Type"],
        [{ bytes: html, type: "image/svg+xml" }, "Content-Type"],
        [{ query: { file_name: "" } }, "file_name"],
        [{ query: { file_name: "a\nb" } }, "file_name"],
        [{ query: { file_name: "x".repeat(241) } }, "file_name"],
        [{ query: { client_message_id: "1" } }, "client_message_id"],
        [{ bytes: new Uint8Array() }, "Content-Length"],
      ] as [Sent, string][]
    ) {
      const refused = await send(api, chat, sent);
      assertRefused(refused, invalid, field);
      assert.equal(refused.body.details.field, field);
    }
    assertRefused(await send(api, chat, { bytes: pdf(10 * 1024 * 1024 + 1) }), {
      status: 413,
      error: "payload_too_large",
    });
    assert.deepEqual((await chat.read()).body.messages, []);
    assert.deepEqual(await api.stored(), []);
    assert.deepEqual(await usage(api), {});
  }));

Deno.test("no visitor opens or sends a file in another's conversation, and a key sends none as a visitor", () =>
  withMedia(async (api) => {
    const mine = await openChat(api);
    const theirs = await openChat(api);
    const other = await api.addTenant();
    const { body: { message } } = await send(api, theirs);
    const asMe = { headers: mine.asVisitor.headers };
    const unauthorized = { status: 401, error: "unauthorized" };

    assertRefused(await linkOf(api, theirs, 1, asMe), unauthorized);
    assertRefused(await linkOf(api, theirs, 1, {}), unauthorized);
    assertRefused(await linkOf(api, theirs, 1, { query: { access_key: other.key.key } }), {
      status: 404,
      error: "not_found",
    });
    assertRefused(await linkOf(api, theirs, 2), { status: 404, error: "not_found" });
    assertRefused(await linkOf(api, mine, 1), { status: 404, error: "not_found" });
    assertRefused(await send(api, theirs, { headers: asMe.headers }), unauthorized);
    const byKey = await api.http.post(`/widget/conversations/${theirs.id}/files`, undefined, {
      query: { client_message_id: crypto.randomUUID(), file_name: "a.pdf", ...theirs.asOperator.query },
      headers: { "content-type": "application/pdf" },
      rawBody: PDF,
    });
    assertRefused(byKey, { status: 403, error: "forbidden" });
    const ofOther = await api.http.get(`/manage/companies/mine/media/${message.file.media_id}/content`, {
      query: { access_key: other.key.key },
    });
    assertRefused(ofOther, { status: 404, error: "not_found" });
  }));

Deno.test("visitors' files count towards the day's MB, and take half of the company's room at most", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const second = await openChat(api);
    await api.sql`update outbound.widgets set max_stored_mb_per_day = 1 where id = ${chat.widget.id}`;

    assert.equal((await send(api, chat, { bytes: pdf(600_000) })).status, 200);
    const capped = await send(api, chat, { bytes: pdf(600_000) });
    assert.equal((await send(api, second, { bytes: pdf(1_400_000) })).status, 200);
    const full = await send(api, second, { bytes: pdf(100_000) });
    const own = await api.upload(pdf(900_000), "application/pdf");

    assertRefused(capped, { status: 429, error: "quota_exceeded" });
    assert.equal(capped.body.details.cap, "stored_mb");
    assertRefused(full, { status: 429, error: "quota_exceeded" });
    assert.deepEqual(full.body.details, { quota: "media" });
    assert.equal(own.status, 200, "the company still has room of its own");
    assert.deepEqual(await usage(api), { bytes: 2_900_000, visitor_bytes: 2_000_000 });
    assert.equal((await chat.say("I can still write")).status, 200);
  }, { OUTBOUND_MEDIA_MAX_MB: "4" }));

Deno.test("a visitor's files are deleted with the conversation, by a member, and with the person; their room is free again", () =>
  withMedia(async (api) => {
    const { sql, company } = api;
    const [deleted, removed, erased] = [await openChat(api), await openChat(api), await openChat(api)];
    const sent = [await send(api, deleted), await send(api, removed), await send(api, erased)];
    const contact = await api.ask("POST", "/contacts", {
      name: "Ana",
      addresses: [{ kind: "number", address: "34600111222" }],
    });
    assert.equal(contact.status, 200, JSON.stringify(contact.body));
    await sql`update outbound.conversations set contact_id = ${contact.body.contact_id} where id = ${erased.id}`;
    assert.equal((await api.stored()).length, 3);
    const link = await linkOf(api, removed, 1);

    await sql`delete from outbound.conversations where company_id = ${company.id} and id = ${deleted.id}`;
    const byMember = await api.ask("DELETE", `/media/${sent[1]!.body.message.file.media_id}`);
    const erasure = await api.ask("POST", "/contacts/erase", { number: "34600111222" });
    await deleteMediaLeftovers(api.services);

    assert.deepEqual([byMember.status, erasure.status], [200, 200], JSON.stringify(erasure.body));
    assert.deepEqual(await api.stored(), []);
    assert.deepEqual(await usage(api), { bytes: 0, visitor_bytes: 0 });
    assertRefused(await linkOf(api, removed, 1), { status: 404, error: "not_found" });
    assert.equal((await download(link.body.url)).status, 404);
    assert.equal((await removed.read()).body.messages[0].file.file_name, "receipt.pdf", "the message stays");
  }));

Deno.test("a file that follows a machine's reply, or its promise of one, has a member called: no machine reads files", () =>
  withMedia(async (api) => {
    const { sql, company, key } = api;
    const { user_id } = await insertMember(sql, company.id);
    const device = { endpoint: "https://push.example/1", p256dh: "A", auth: "A", language: "en" };
    await sql`insert into outbound.push_subscriptions ${sql({ company_id: company.id, user_id, ...device })}`;
    await sql`insert into outbound.knowledge_documents (company_id, title, content, language)
      values (${company.id}, 'Delivery', 'Orders arrive within three working days.', 'english')`;
    for (const assistant of [{ mode: "search" }, { mode: "agent", agent_id: "sales" }]) {
      const chat = await openChat(api, {}, { assistant });
      const called = () => sql`select from outbound.push_notices where conversation_id = ${chat.id}`;
      assert.equal((await chat.say("When do orders arrive?")).status, 200);
      assert.equal((await called()).length, 0);

      assert.equal((await send(api, chat)).status, 200);

      assert.equal((await called()).length, 1, assistant.mode);
      const path = `/manage/companies/mine/conversations/${chat.id}`;
      const seen = await api.http.get(path, { query: { access_key: key.key } });
      assert.equal(seen.body.state, "unanswered");
    }
    const owed = await sql`select member_wanted from outbound.agent_replies`;
    assert.deepEqual([...owed], [{ member_wanted: true }]);
  }));

Deno.test("a widget that takes no files refuses them, and says so; so does a service without a store", () =>
  withMedia(async (api) => {
    const chat = await openChat(api);
    const look = (id: string) =>
      api.http.get("/widget", { query: { access_key: api.key.key, widget_id: id } });
    assert.equal((await look(chat.widget.id)).body.features.files, true);
    await api
      .sql`update outbound.widgets set config = '{"features":{"files":false}}' where id = ${chat.widget.id}`;

    assertRefused(await send(api, chat), { status: 403, error: "forbidden" });
    assert.equal((await look(chat.widget.id)).body.features.files, false);
    const closed = await openChat(api);
    await closed.close();
    assertRefused(await send(api, closed), { status: 409, error: "conversation_closed" });
    const limited = await openChat(api);
    const statuses = [];
    for (let count = 0; count < 21; count++) {
      statuses.push((await send(api, limited, { type: "image/png" })).status);
    }
    assert.deepEqual(statuses.slice(-2), [400, 429]);
  }));
