import assert from "node:assert/strict";
import { claim, enqueue, finish, insertSendingCompany, messageId } from "../setup/fixtures/queue.ts";
import { ANA, receive, secondsAgo } from "../webhooks/inbound.ts";
import { withReplies } from "./with_replies.ts";

Deno.test("GET …/contacts/replies lists both directions, the newest first, page by page", () =>
  withReplies(async (t) => {
    for (const ago of [50, 40, 40, 30]) {
      await receive(t, t.company.sender, { text: { body: `${ago} s` }, timestamp: secondsAgo(ago) });
    }
    await t.reply({ number: ANA.number, text: "Hello" });
    const texts: string[] = [];

    let after: string | null = null;
    do {
      const query = { limit: "2", ...(after !== null && { after }) };
      const { status, body }: Awaited<ReturnType<typeof t.ask>> = await t.ask(
        "GET",
        "replies",
        undefined,
        query,
      );
      assert.equal(status, 200);
      texts.push(...body.replies.map(({ text }: { text: string }) => text));
      after = body.next;
    } while (after !== null);

    assert.deepEqual(texts, ["Hello", "30 s", "40 s", "40 s", "50 s"]);
  }));

Deno.test("GET …/contacts/replies lists one person's under all addresses, or those to one campaign", () =>
  withReplies(async (t) => {
    const { ids, campaignId } = await enqueue(t.sql, t.company);
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    await receive(t, t.company.sender, "by id", { user_id: ANA.user_id });
    await receive(t, t.company.sender, "by both", { wa_id: ANA.number, user_id: ANA.user_id });
    await receive(t, t.company.sender, { context: { id: messageId(ids[0]!) }, text: { body: "other" } }, {
      wa_id: "34600000009",
    });
    const list = async (query: Record<string, string>) =>
      (await t.ask("GET", "replies", undefined, query)).body.replies.map(({ text }: { text: string }) => text)
        .sort();

    assert.deepEqual(await list({ number: ANA.number }), ["by both", "by id"]);
    assert.deepEqual(await list({ user_id: ANA.user_id }), ["by both", "by id"]);
    assert.deepEqual(await list({ campaign_id: campaignId }), ["other"]);
    assert.deepEqual(await list({ number: "34600000008" }), []);
  }));

Deno.test("GET …/contacts/replies shows a company's own only, and refuses a query that does not fit", () =>
  withReplies(async (t) => {
    const other = await insertSendingCompany(t.sql);
    await receive(t, other.sender, "not yours");
    const [{ id }] = await t.sql`select id from outbound.contact_messages` as unknown as [{ id: string }];

    const own = await t.ask("GET", "replies");
    const refused = [];
    for (
      const query of [{ after: id }, { after: "x" }, { limit: "0" }, { number: "+1" }, { campaign_id: "x" }]
    ) {
      const { status, body } = await t.ask(
        "GET",
        "replies",
        undefined,
        query as unknown as Record<string, string>,
      );
      refused.push([status, body.details.field]);
    }

    assert.deepEqual([own.body.replies, own.body.next], [[], null]);
    assert.deepEqual(refused, [[400, "after"], [400, "after"], [400, "limit"], [400, "number"], [
      400,
      "campaign_id",
    ]]);
  }));
