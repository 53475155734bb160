import assert from "node:assert/strict";
import {
  claimReplies,
  type FinishedReply,
  finishReplies,
  settleReplies,
} from "../../supabase/functions/_shared/db/contacts/replies.ts";
import { createReplySender } from "../../supabase/functions/_shared/dispatching/send_replies.ts";
import { collectLog } from "../setup/stack/collect_log.ts";
import { eventually } from "../setup/eventually.ts";
import { insertCompany, insertSender } from "../setup/fixtures/fixtures.ts";
import { insertWebhook, readEvents } from "../setup/fixtures/webhooks.ts";
import { ANA, postChange, receive, secondsAgo } from "../webhooks/inbound.ts";
import { accept, refuse, type Replies, withReplies } from "./with_replies.ts";

const NUMBER = ANA.number;
const NEVER = new AbortController().signal;

async function queue(t: Replies, body: Record<string, unknown> = { text: "Hi" }): Promise<string> {
  const { status, body: answer } = await t.reply({ number: NUMBER, ...body });
  assert.equal(status, 200);
  return answer.message_id;
}

async function makeDue({ sql }: Replies): Promise<void> {
  await sql`update outbound.contact_messages set run_at = now() where status = 'queued'`;
  await sql`update outbound.reply_schedule set due_at = now()`;
}

Deno.test("a reply leaves with the sender's token, our reference and the message it replies to", () =>
  withReplies(async (t) => {
    const platformId = await receive(t, t.company.sender, "Hello");
    const [{ id: replyTo }] = await t.sql`select id from outbound.contact_messages` as unknown as [
      { id: string },
    ];
    const id = await queue(t, { text: "Good morning", reply_to: replyTo });

    await t.dispatch();

    assert.deepEqual(t.sent, [{
      path: `/v25.0/${t.company.sender.platform_id}/messages`,
      authorization: `Bearer ${t.company.sender.token}`,
      body: {
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: `+${NUMBER}`,
        type: "text",
        biz_opaque_callback_data: `reply:${t.company.id}:${id}:1`,
        context: { message_id: platformId },
        text: { body: "Good morning", preview_url: true },
      },
    }]);
    const { status, platform_message_id } = await t.stateOf(id);
    assert.deepEqual([status, platform_message_id], ["sent", "wamid.reply.1"]);
  }));

Deno.test("files leave by link or id, with caption and name", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    await queue(t, { media: { type: "image", link: "https://a.test/b.png", caption: "Look" } });
    await queue(t, { media: { type: "document", id: "77", caption: "Bill", filename: "bill.pdf" } });
    await queue(t, { media: { type: "sticker", id: "78" } });

    await t.dispatch();

    const bodies = t.sent.map(({ body }) => [body.type, body[body.type]]).sort();
    assert.deepEqual(bodies, [
      ["document", { id: "77", caption: "Bill", filename: "bill.pdf" }],
      ["image", { link: "https://a.test/b.png", caption: "Look" }],
      ["sticker", { id: "78" }],
    ]);
  }));

Deno.test("the confirmation of an opt-out leaves although the person is suppressed", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "STOP");

    await t.dispatch();
    await t.dispatch();

    assert.deepEqual(t.sent.map(({ body }) => body.to), [`+${NUMBER}`]);
    assert.match(t.sent[0]!.body.text.body, /START/);
  }));

const OUTCOMES: [code: number, httpStatus: number, status: string, waits: boolean][] = [
  [131047, 400, "failed", false],
  [131051, 400, "failed", false],
  [131000, 500, "queued", true],
  [131056, 429, "queued", true],
  [130429, 429, "queued", true],
];

for (const [code, httpStatus, status, waits] of OUTCOMES) {
  Deno.test(`a reply that is refused with ${code} is ${status}`, () =>
    withReplies(async (t) => {
      await insertWebhook(t.sql, t.company.id, { event_types: ["message.failed"] });
      await receive(t, t.company.sender, "Hello");
      const id = await queue(t);

      await t.dispatch();

      const state = await t.stateOf(id);
      assert.deepEqual([state.status, state.error_code], [status, String(code)]);
      if (waits) assert.ok(state.waits_s > 0.3);
      const events = await readEvents(t.sql, t.company.id);
      assert.deepEqual(
        events.map(({ payload }) => [payload.data.message_id, payload.data.error_code]),
        status === "failed" ? [[id, String(code)]] : [],
      );
      if (code === 131047) assert.match(state.error_reason, /24 hours/);
    }, () => refuse(code, httpStatus)));
}

Deno.test("a reply that is refused for now is tried five times", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);

    for (let round = 0; round < 7; round++) {
      await t.dispatch();
      await makeDue(t);
    }

    const state = await t.stateOf(id);
    assert.deepEqual([state.status, state.attempt, t.sent.length], ["failed", 5, 5]);
    assert.match(state.error_reason, /after 5 tries/);
  }, () => refuse(131000, 500)));

Deno.test("a stopped sender keeps its replies", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);

    await t.dispatch();
    const [sender] = await t.sql`select status from outbound.senders`;
    await makeDue(t);
    await t.dispatch();

    assert.deepEqual([sender!.status, (await t.stateOf(id)).status, t.sent.length], ["stopped", "queued", 1]);
  }, () => refuse(190, 401)));

Deno.test("a reply of unknown outcome is never sent again, and fails when the platform says nothing", () =>
  withReplies(async (t) => {
    await insertWebhook(t.sql, t.company.id, { event_types: ["message.failed"] });
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);

    await t.dispatch();
    const first = await t.stateOf(id);
    await t.sql`update outbound.contact_messages set lease_until = now() where status = 'unconfirmed'`;
    await t.dispatch();
    await t.dispatch();

    const state = await t.stateOf(id);
    assert.deepEqual([first.status, state.status, state.error_code], [
      "unconfirmed",
      "failed",
      "outcome_unknown",
    ]);
    assert.equal(t.sent.length, 1);
    assert.equal((await readEvents(t.sql, t.company.id)).length, 1);
  }, () => new Response("<html>", { status: 502 })));

Deno.test("a receipt settles a reply of unknown outcome, also after it failed", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);
    const [reply] = await claimReplies(t.sql, { worker: "dead", limit: 10, leaseS: 0 });
    await settleReplies(t.sql, { windowS: 0 });
    await settleReplies(t.sql, { windowS: 0 });
    const failed = await t.stateOf(id);

    await receipt(t, id, "delivered");

    const state = await t.stateOf(id);
    assert.deepEqual([reply!.id, failed.error_code], [id, "outcome_unknown"]);
    assert.deepEqual([state.status, state.platform_message_id, state.error_code], [
      "delivered",
      "wamid.R",
      null,
    ]);
  }));

async function receipt(
  t: Replies,
  id: string,
  status: string,
  extra: Record<string, unknown> = {},
): Promise<void> {
  await postChange(t, t.company.sender, {
    statuses: [{
      id: "wamid.R",
      status,
      timestamp: secondsAgo(0),
      recipient_id: NUMBER,
      biz_opaque_callback_data: `reply:${t.company.id}:${id}:1`,
      ...extra,
    }],
  });
}

Deno.test("receipts move a reply forward only, in any order", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);
    await t.dispatch();
    const seen: string[] = [];

    for (const status of ["delivered", "sent", "read", "delivered", "failed"]) {
      await receipt(t, id, status);
      seen.push((await t.stateOf(id)).status);
    }

    assert.deepEqual(seen, ["delivered", "delivered", "read", "read", "read"]);
    const [events] = await t.sql`select count(*)::int as count from outbound.platform_events`;
    assert.equal(events!.count, 0, "no notification's event");
  }));

Deno.test("a failure counts for the attempt that it names, and is reported", () =>
  withReplies(async (t) => {
    await insertWebhook(t.sql, t.company.id, { event_types: ["message.failed"] });
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);
    await t.dispatch();
    const errors = [{ code: 131047, title: "Re-engagement message" }];

    const earlier = `reply:${t.company.id}:${id}:7`;
    await receipt(t, id, "failed", { errors, biz_opaque_callback_data: earlier });
    const before = (await t.stateOf(id)).status;
    await receipt(t, id, "failed", { errors });
    await receipt(t, id, "failed", { errors });

    const state = await t.stateOf(id);
    assert.deepEqual([before, state.status, state.error_code], ["sent", "failed", "131047"]);
    assert.equal((await readEvents(t.sql, t.company.id)).length, 1);
  }));

Deno.test("a result that comes after the failure by webhook does not take it back", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);
    const [reply] = await claimReplies(t.sql, { worker: "slow", limit: 10, leaseS: 60 });
    await receipt(t, id, "failed", { errors: [{ code: 131026 }] });

    const { company_id, fence } = reply!;
    const result = {
      company_id,
      id,
      fence,
      outcome: "sent",
      platform_message_id: "wamid.R",
      error_code: null,
    } as const;
    const changed = await finishReplies(t.sql, [{ ...result, reason: null, retry_in_s: null }], {
      windowS: 120,
    });

    assert.deepEqual([changed, (await t.stateOf(id)).status], [0, "failed"]);
  }));

const LATE: [outcome: FinishedReply["outcome"], status: string, attempt: number][] = [
  ["released", "queued", 0],
  ["not_sent", "queued", 0],
  ["retry", "queued", 1],
  ["failed", "failed", 1],
  ["sent", "sent", 1],
  ["unknown", "unconfirmed", 1],
];

for (const [outcome, status, attempt] of LATE) {
  Deno.test(`a reply whose lease ran out is ${status} once its dispatcher says ${outcome}`, () =>
    withReplies(async (t) => {
      await receive(t, t.company.sender, "Hello");
      const id = await queue(t);
      const [reply] = await claimReplies(t.sql, { worker: "slow", limit: 10, leaseS: 0 });
      await settleReplies(t.sql, { windowS: 120 });

      const { company_id, fence } = reply!;
      const nothing = { platform_message_id: null, error_code: null, reason: null, retry_in_s: null };
      await finishReplies(t.sql, [{ company_id, id, fence, outcome, ...nothing }], { windowS: 120 });

      const state = await t.stateOf(id);
      assert.deepEqual([state.status, state.attempt], [status, attempt]);
    }));
}

Deno.test("a platform that does not respond to one sender delays no other sender's reply", async () => {
  const slow = Promise.withResolvers<void>();
  await withReplies(async (t) => {
    const other = await insertSender(t.sql, t.company.id);
    await receive(t, t.company.sender, "Hello");
    await queue(t, { text: "slow" });
    const replies = createReplySender(t.services, { signal: NEVER, connections: undefined });
    replies.run();
    await eventually(() => assert.equal(t.sent.length, 1));
    await receive(t, other, "Hello", { wa_id: "34600000009" });
    const { body } = await t.reply({ number: "34600000009", text: "fast" });

    replies.wake();

    await eventually(async () => assert.equal((await t.stateOf(body.message_id)).status, "sent"));
    slow.resolve();
    await replies.stop("now");
  }, async (request, sent) => {
    if (sent.at(-1)!.body.text.body === "slow") await slow.promise;
    return accept(request, sent);
  });
});

/** Queues so many replies of a sender, all of them due for a minute. */
async function queueMany(
  { sql, company }: Replies,
  count: number,
  { companyId = company.id, senderId = company.sender.id, text = "slow" } = {},
): Promise<void> {
  await sql`
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, kind, text, status, run_at, expires_at, at
    )
    select ${companyId}, gen_random_uuid(), ${senderId}, 'out', (34600000100 + n)::text, 'text', ${text}, 'queued',
      now() - interval '1 minute', now() + interval '1 hour', now()
    from generate_series(1, ${count}) as n`;
  await sql`select outbound.repair_reply_schedule()`;
}

Deno.test("the many replies of one company delay no other company's", async () => {
  const slow = Promise.withResolvers<void>();
  await withReplies(async (t) => {
    await queueMany(t, 300);
    const other = await insertCompany(t.sql);
    const sender = await insertSender(t.sql, other.id);
    await queueMany(t, 1, { companyId: other.id, senderId: sender.id, text: "fast" });
    const replies = createReplySender(t.services, { signal: NEVER, connections: undefined });

    try {
      replies.run();
      await eventually(() => assert.ok(t.sent.some(({ body }) => body.text.body === "fast")));
    } finally {
      slow.resolve();
      await replies.stop("now");
    }
  }, async (request, sent) => {
    if (sent.at(-1)!.body.text.body === "slow") await slow.promise;
    return accept(request, sent);
  });
});

Deno.test("a claim takes from each sender in turn", () =>
  withReplies(async (t) => {
    await queueMany(t, 30);
    const other = await insertSender(t.sql, t.company.id);
    await queueMany(t, 3, { senderId: other.id });

    const claims: string[][] = [];
    for (const limit of [4, 4, 64]) {
      const replies = await claimReplies(t.sql, { worker: "worker", limit, leaseS: 60 });
      claims.push(replies.map(({ sender_id }) => sender_id === other.id ? "other" : "busy").sort());
    }

    const busy = (count: number) => Array(count).fill("busy");
    assert.deepEqual(claims, [[...busy(2), "other", "other"], [...busy(3), "other"], busy(16)]);
  }));

Deno.test("a sender that sends too fast holds its other replies for a few seconds", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    await queue(t);
    await t.dispatch();
    const next = await queue(t);

    await t.dispatch();
    const held = [(await t.stateOf(next)).attempt, t.sent.length];
    await t.sql`update outbound.sender_rate_state set throttled_at = throttled_at - interval '4 seconds'`;
    await t.sql`update outbound.reply_schedule set due_at = due_at - interval '4 seconds'`;
    await t.dispatch();

    assert.deepEqual(held, [0, 1]);
    assert.ok(t.sent.length > 1);
  }, () => refuse(130429, 429)));

Deno.test("a reply of a sender that was stopped leaves once the sender is active again", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    await t.sql`update outbound.senders set status = 'stopped', stopped_reason = 'x', stopped_at = now()`;
    await queue(t);
    await t.dispatch();
    const [held] = await t.sql`select due_at = 'infinity' as is_held from outbound.reply_schedule`;

    await t.sql`update outbound.senders set status = 'active', stopped_reason = null, stopped_at = null`;
    await t.dispatch();

    assert.deepEqual([held, t.sent.length], [{ is_held: true }, 1]);
  }));

Deno.test("a token that cannot be opened is logged once per minute", async () => {
  const { log, lines } = collectLog();
  await withReplies(
    async (t) => {
      await t.sql`update outbound.senders set token_sealed = 'v1.broken'`;
      await queueMany(t, 3);

      await t.dispatch();

      assert.deepEqual(lines("error"), ["a sender's token cannot be read"]);
      assert.equal(t.sent.length, 0);
    },
    accept,
    { services: { log } },
  );
});

Deno.test("a reply that did not leave in time expires, with the last reason", () =>
  withReplies(async (t) => {
    await receive(t, t.company.sender, "Hello");
    const id = await queue(t);
    await t.dispatch();
    await t
      .sql`update outbound.contact_messages set expires_at = now(), run_at = now() where direction = 'out'`;

    await t.dispatch();

    const state = await t.stateOf(id);
    assert.deepEqual([state.status, state.error_code, t.sent.length], ["failed", "expired", 1]);
    assert.match(state.error_reason, /^Not sent within 24 hours .*fault/);
  }, () => refuse(131000, 500)));

Deno.test("a receipt for no reply of ours is counted", () =>
  withReplies(async (t) => {
    await receipt(t, crypto.randomUUID(), "read");

    const [foreign] = await t.sql`select reason, events::int from outbound.foreign_events`;
    assert.deepEqual(foreign, { reason: "unknown_message", events: 1 });
  }, accept));
