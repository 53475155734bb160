import assert from "node:assert/strict";
import { eventually } from "../setup/eventually.ts";
import { insertSender } from "../setup/fixtures/fixtures.ts";
import { withServices } from "../setup/stack/services.ts";
import { claim, enqueue, finish, insertSendingCompany, messageId } from "../setup/fixtures/queue.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { foreignEvents } from "./foreign_events.ts";
import { ANA, messagesOf, postChange, receive, secondsAgo } from "./inbound.ts";

Deno.test("POST /webhooks/whatsapp stores what a person writes, once, and reports it", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertWebhook(t.sql, company.id);
    const contact = { profile: { name: "Ana", username: "@ana" }, wa_id: ANA.number, user_id: ANA.user_id };
    const message = { id: "wamid.in", text: { body: "Where is it?" }, timestamp: secondsAgo(5) };

    await receive(t, company.sender, message, contact);
    await receive(t, company.sender, message, contact);

    const [stored, ...others] = await messagesOf(t.sql, company.id);
    assert.deepEqual(others, []);
    assert.deepEqual([stored!.direction, stored!.kind, stored!.text, stored!.status], [
      "in",
      "text",
      "Where is it?",
      "received",
    ]);
    assert.deepEqual([stored!.number, stored!.user_id], [ANA.number, ANA.user_id]);
    const [event, ...more] = await readEvents(t.sql, company.id);
    assert.deepEqual(more, []);
    assert.equal(event!.type, "message.received");
    assert.deepEqual(event!.payload.data, {
      company_id: company.id,
      message_id: stored!.id,
      sender_id: company.sender.id,
      sender_number: company.sender.number,
      ...ANA,
      profile_name: "Ana",
      username: "@ana",
      kind: "text",
      text: "Where is it?",
      platform_message_id: "wamid.in",
      at: stored!.at.toISOString(),
    });
    const [link] = await t.sql`select user_id, number, username from outbound.user_ids`;
    assert.deepEqual(link, { user_id: ANA.user_id, number: ANA.number, username: "@ana" });
  }));

Deno.test("POST /webhooks/whatsapp gives a message to every company that holds the number, and counts others", () =>
  withServices(async (t) => {
    const [one, two] = [await insertSendingCompany(t.sql), await insertSendingCompany(t.sql)];
    const { platform_id, waba_id } = one.sender;
    await insertSender(t.sql, two.id, { platform_id, waba_id: waba_id! });

    await receive(t, one.sender, "Hello");
    await receive(t, { platform_id: "4711", waba_id: "1" }, "Hello");

    assert.equal((await messagesOf(t.sql, one.id)).length, 1);
    assert.equal((await messagesOf(t.sql, two.id)).length, 1);
    assert.deepEqual(await foreignEvents(t), [{ reason: "unknown_sender", events: 1 }]);
  }));

Deno.test("POST /webhooks/whatsapp counts the first reply to a notification for its campaign", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { campaignId, ids } = await enqueue(t.sql, company, { count: 2 });
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });
    const replyTo = (id: string) => ({ context: { id: messageId(id) }, text: { body: "Thanks" } });

    await receive(t, company.sender, {
      type: "reaction",
      reaction: { message_id: messageId(ids[0]!), emoji: "👍" },
    });
    const [before] = await t.sql`select replied from outbound.campaigns`;
    for (const id of [ids[0]!, ids[0]!, ids[1]!]) await receive(t, company.sender, replyTo(id));

    const [after] = await t.sql`select replied from outbound.campaigns`;
    assert.deepEqual([before?.replied, after?.replied], [0, 2]);
    const messages = await messagesOf(t.sql, company.id);
    assert.deepEqual(messages.map(({ campaign_id }) => campaign_id), messages.map(() => campaignId));
    const replied = await t.sql`select 1 from outbound.notifications where replied_at is not null`;
    assert.equal(replied.length, 2);
  }));

Deno.test("POST /webhooks/whatsapp links the message of another company to none of ours", () =>
  withServices(async (t) => {
    const [one, two] = [await insertSendingCompany(t.sql), await insertSendingCompany(t.sql)];
    const { ids } = await enqueue(t.sql, one);
    await finish(t.sql, await claim(t.sql), { outcome: "sent" });

    await receive(t, two.sender, { context: { id: messageId(ids[0]!) }, text: { body: "Hi" } });

    const [message] = await messagesOf(t.sql, two.id);
    assert.equal(message!.notification_id, null);
    const [campaign] = await t.sql`select replied from outbound.campaigns`;
    assert.equal(campaign?.replied, 0);
  }));

Deno.test("POST /webhooks/whatsapp stores a person without a number, and a platform's own note without an event", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await insertWebhook(t.sql, company.id);

    await receive(t, company.sender, "Hello", { user_id: "ES.1" });
    await receive(t, company.sender, {
      type: "system",
      system: { type: "user_identity_changed", body: "x" },
    });

    const messages = await messagesOf(t.sql, company.id);
    assert.deepEqual(messages.map(({ number, user_id, kind }) => [number, user_id, kind]), [
      [null, "ES.1", "text"],
      [ANA.number, null, "system"],
    ]);
    assert.equal((await readEvents(t.sql, company.id)).length, 1);
  }));

Deno.test("POST /webhooks/whatsapp does not say 200 when it could not store a message", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    await t.sql`alter table outbound.contact_messages rename to elsewhere`;

    const failed = await receive(t, company.sender, "Hi").then(() => 200, () => 500);

    await t.sql`alter table outbound.elsewhere rename to contact_messages`;
    assert.equal(failed, 500);
  }));

Deno.test("POST /webhooks/whatsapp learns numbers from receipts of our own messages, with one write per person", () =>
  withServices(async (t) => {
    const company = await insertSendingCompany(t.sql);
    const { ids } = await enqueue(t.sql, company);
    const [sent] = await claim(t.sql);
    await finish(t.sql, [sent!], { outcome: "sent" });
    const status = (state: string, reference: string) => ({
      id: messageId(ids[0]!),
      status: state,
      timestamp: secondsAgo(0),
      recipient_id: ANA.number,
      recipient_user_id: ANA.user_id,
      biz_opaque_callback_data: reference,
    });
    const ours = `${company.id}:${ids[0]}:1`;

    await postChange(t, company.sender, { statuses: [status("delivered", "another system's")] });
    await postChange(t, company.sender, { statuses: [status("delivered", ours), status("read", ours)] });

    await eventually(async () => {
      const links = await t.sql`select company_id, user_id, number from outbound.user_ids`;
      assert.deepEqual([...links], [{ company_id: company.id, ...ANA }]);
    });
    await t.sql`delete from outbound.user_ids`;
    await postChange(t, company.sender, { statuses: [status("read", ours)] });
    assert.equal((await t.sql`select 1 from outbound.user_ids`).length, 0, "remembered by the process");
  }));
