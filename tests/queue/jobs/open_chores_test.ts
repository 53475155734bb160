import assert from "node:assert/strict";
import type postgres from "postgres";
import { lookAhead, type OpenChore } from "../../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import { storePlatformEvents } from "../../../supabase/functions/_shared/db/queue/platform_events.ts";
import { enqueueCalls, insertCallingCompany } from "../../setup/fixtures/calling_company.ts";
import { withTestDatabase } from "../../setup/database/database.ts";
import {
  claim,
  enqueue,
  eventOf,
  finish,
  insertSendingCompany,
  type SendingCompany,
  tickNow,
} from "../../setup/fixtures/queue.ts";
import { foldAll } from "../history/recount.ts";
import { withDispatchAddress } from "./dispatch_address.ts";
import { insertEvents, insertWebhook } from "../../setup/fixtures/webhooks.ts";
import { insertWidget } from "../../setup/fixtures/widgets.ts";

/** The chores that are open once the history is folded: nearly everything adds to it. */
async function openChores(sql: postgres.Sql): Promise<OpenChore[]> {
  await foldAll(sql);
  return (await lookAhead(sql, { withChores: true })).chores!;
}

/** A company whose queue is empty, right after a tick. */
async function withIdleCompany(
  use: (t: { sql: postgres.Sql; company: SendingCompany }) => Promise<void>,
): Promise<void> {
  await withTestDatabase(async ({ sql }) => {
    const company = await insertSendingCompany(sql);
    await tickNow(sql);
    await use({ sql, company });
  });
}

async function insertReply(
  sql: postgres.Sql,
  { id, sender }: SendingCompany,
  { status, leaseInS }: { status: string; leaseInS: number | null },
): Promise<void> {
  await sql`
    insert into outbound.contact_messages (
      company_id, id, sender_id, direction, number, kind, text, status, run_at, expires_at, lease_until, at
    )
    values (
      ${id}, gen_random_uuid(), ${sender.id}, 'out', '34600000001', 'text', 'Hi', ${status}, now(),
      now() + interval '1 day', now() + make_interval(secs => ${leaseInS}::float8), now()
    )`;
  await sql`select outbound.repair_reply_schedule()`;
}

/** Claims a message with a lease that ends in so many seconds. */
async function claimed(sql: postgres.Sql, company: SendingCompany, leaseS: number): Promise<void> {
  await enqueue(sql, company);
  await claim(sql, { leaseS });
}

type Situation = [
  name: string,
  make: (sql: postgres.Sql, company: SendingCompany) => Promise<unknown>,
  expected: OpenChore[],
];

const SITUATIONS: Situation[] = [
  ["nothing waits", () => Promise.resolve(), []],
  ["a message is due in an hour", (sql, company) => enqueue(sql, company, { dueInS: 3600 }), []],
  ["a message is being sent", (sql, company) => claimed(sql, company, 60), []],
  ["a message was sent", async (sql, company) => {
    await enqueue(sql, company);
    await finish(sql, await claim(sql), { outcome: "sent" });
  }, []],
  ["a lease ended", (sql, company) => claimed(sql, company, -1), ["tick"]],
  ["a message is over its time to live", async (sql, company) => {
    await enqueue(sql, company, { dueInS: 3600 });
    await sql`update outbound.queue set expires_at = now()`;
  }, ["tick"]],
  ["a campaign was left open", async (sql, company) => {
    await enqueue(sql, company, { dueInS: 3600 });
    await sql`update outbound.campaigns set open_until = now()`;
  }, ["tick"]],
  [
    "no tick for ten seconds",
    (sql) =>
      sql`
    update outbound.settings set updated_at = now() - interval '10 seconds' where name = 'last_tick:dispatcher'`,
    [
      "tick",
    ],
  ],
  ["a platform does not respond", (sql) =>
    sql`
    update outbound.sender_rate_state
    set failures = 9, blocked_until = now() + interval '1 minute', unreachable_since = now()`, ["outages"]],
  ["an outage was reported, and is over", (sql) =>
    sql`
    insert into outbound.settings (name, value) values ('outage:whatsapp', to_jsonb(now()))`, ["outages"]],
  ["an event of the platform waits", async (sql, company) => {
    await enqueue(sql, company);
    const [sent] = await claim(sql);
    await finish(sql, [sent!], { outcome: "unknown" });
    await storePlatformEvents(sql, [eventOf(company.id, sent!.id, "delivered")]);
  }, ["events"]],
  ["an event about the account waits", (sql) =>
    sql`
    insert into outbound.account_events (dedupe_key, waba_id, status, occurred_at)
    values ('key', 'account', 'active', now())`, ["account_events"]],
  ["a restriction of a sender is over", (sql) =>
    sql`
    update outbound.senders set status = 'stopped', stopped_reason = 'restricted', stopped_at = now(),
      stopped_by_account = true, stopped_until = now()`, ["account_events"]],
  ["an event about a template waits", (sql) =>
    sql`
    insert into outbound.template_events (dedupe_key, waba_id, name, language, kind, status, occurred_at)
    values ('key', 'account', 'name', 'en', 'status', 'approved', now())`, ["template_events"]],
  ["a template changed its state", (sql) => sql`update outbound.templates set unsettled = true`, [
    "template_events",
  ]],
  ["a reply waits", (sql, company) => insertReply(sql, company, { status: "queued", leaseInS: null }), [
    "replies",
  ]],
  [
    "the lease of a reply ended",
    (sql, company) => insertReply(sql, company, { status: "sending", leaseInS: -1 }),
    [
      "replies",
    ],
  ],
  [
    "a reply is being sent",
    (sql, company) => insertReply(sql, company, { status: "sending", leaseInS: 60 }),
    [],
  ],
  [
    "a file that a person sent is to be fetched",
    (sql, { id }) => sql`select outbound.schedule_received_media(array[${id}::uuid], now())`,
    ["received_media"],
  ],
  [
    "a file that a person sent is to be fetched again in a minute",
    (sql, { id }) =>
      sql`select outbound.schedule_received_media(array[${id}::uuid], now() + interval '1 minute')`,
    [],
  ],
  ["an event for the company's webhook waits", async (sql, { id }) => {
    await insertWebhook(sql, id, { url: "https://example.com" });
    await insertEvents(sql, id, 1);
  }, ["deliveries"]],
  ["an event waits for its next attempt", async (sql, { id }) => {
    await insertWebhook(sql, id, { url: "https://example.com" });
    await insertEvents(sql, id, 1);
    await sql`update outbound.webhook_deliveries set deferred = true, run_at = now() + interval '5 minutes'`;
    await sql`insert into outbound.webhook_schedule (company_id, due_at) values (${id}, now() + interval '5 minutes')`;
  }, []],
  ["the dispatcher that claimed an event was lost", async (sql, { id }) => {
    await insertWebhook(sql, id, { url: "https://example.com" });
    await insertEvents(sql, id, 1);
    await sql`update outbound.webhook_deliveries set deferred = true, worker = 'lost'`;
  }, ["tick"]],
  ["a claimed event is being sent", async (sql, { id }) => {
    await insertWebhook(sql, id, { url: "https://example.com" });
    await insertEvents(sql, id, 1);
    await sql`update outbound.webhook_deliveries
      set deferred = true, worker = 'w', run_at = now() + interval '1 minute'`;
  }, []],
  ["an agent owes a reply", (sql, { id }) => insertOwedReply(sql, id, 0), ["agent_replies"]],
  ["an agent is asked for a reply", (sql, { id }) => insertOwedReply(sql, id, 60), []],
  ["a campaign is being stopped", async (sql, company) => {
    await enqueue(sql, company, { dueInS: 3600 });
    await sql`update outbound.campaigns set stopping_at = now()`;
  }, ["stopping"]],
  ["a resend is being made", (sql, { id }) =>
    sql`
    insert into outbound.resends (company_id, campaign_id, resend_of, codes)
    values (${id}, gen_random_uuid(), gen_random_uuid(), '{}')`, ["resends"]],
  ["an upload to an audience goes on", (sql, { id }) => insertAudience(sql, id, sql`now()`), ["uploads"]],
  ["a person was named with a message", (sql, { id }) =>
    sql`
    insert into outbound.named_people (company_id, number, person, source)
    values (${id}, '34600000001', '{"name": "Ana"}', 'send')`, ["people"]],
  ["a dispatcher goes on with an upload, and another one waits for its start", async (sql, { id }) => {
    await insertAudience(sql, id, sql`now() + interval '10 seconds'`);
    await insertAudience(sql, id, sql`null`);
  }, []],
];

/** A reply of an agent in a chat, and in how many seconds it is due. */
async function insertOwedReply(sql: postgres.Sql, companyId: string, dueInS: number): Promise<void> {
  const { id: widgetId } = await insertWidget(sql, companyId);
  await sql`
    with chat as (
      insert into outbound.conversations (company_id, widget_id, user_id, token_hash)
      values (${companyId}, ${widgetId}, gen_random_uuid(), repeat('a', 64)) returning id
    )
    insert into outbound.agent_replies (company_id, conversation_id, from_sequence, to_sequence, member_wanted, run_at)
    select ${companyId}, c.id, 1, 1, false, now() + make_interval(secs => ${dueInS}) from chat as c`;
}

/** An upload to an audience that was started, and when a dispatcher is to go on with it. */
async function insertAudience(
  sql: postgres.Sql,
  companyId: string,
  nextAt: postgres.PendingQuery<postgres.Row[]>,
): Promise<void> {
  await sql`
    with upload as (
      insert into outbound.campaign_uploads (company_id, id, created_by, plan)
      values (${companyId}, gen_random_uuid(), 'cli', '{}') returning id
    )
    insert into outbound.upload_audiences (company_id, upload_id, members, api_key_id, started_by, next_at)
    select ${companyId}, u.id, 1, gen_random_uuid(), 'cli', ${nextAt} from upload as u`;
}

/** Those that steps of pg_cron do in its stead: all others wait for a dispatcher. */
const OF_PG_CRON: OpenChore[] = ["tick", "outages", "events", "account_events", "template_events"];

for (const [name, make, expected] of SITUATIONS) {
  const isCalled = expected.some((chore) => !OF_PG_CRON.includes(chore));
  Deno.test(`the database ${isCalled ? "calls" : "does not call"} the dispatcher when ${name}`, () =>
    withIdleCompany(async ({ sql, company }) => {
      const calls = await withDispatchAddress(sql);
      await make(sql, company);

      assert.equal(await calls(), isCalled);
    }));
  Deno.test(`open_chores() names what has something to do when ${name}: ${expected.join() || "nothing"}`, () =>
    withIdleCompany(async ({ sql, company }) => {
      await make(sql, company);

      assert.deepEqual(await openChores(sql), expected);
    }));
}

Deno.test("open_chores() names the calls that go on until they are over", () =>
  withTestDatabase(async ({ sql }) => {
    const company = await insertCallingCompany(sql);
    await tickNow(sql);
    await enqueueCalls(sql, company);
    const before = await openChores(sql);

    await finish(sql, await claim(sql), { outcome: "sent" });

    assert.deepEqual([before, await openChores(sql)], [[], ["calls"]]);
  }));

Deno.test("open_chores() names the history while something is not part of it", () =>
  withIdleCompany(async ({ sql, company }) => {
    await enqueue(sql, company, { dueInS: 3600 });
    const { chores } = await lookAhead(sql, { withChores: true });
    await foldAll(sql);

    assert.deepEqual([chores, await openChores(sql)], [["history"], []]);
  }));

Deno.test("lookAhead() leaves the chores out when it may", () =>
  withIdleCompany(async ({ sql }) => {
    assert.deepEqual([(await lookAhead(sql)).chores, (await lookAhead(sql, { withChores: true })).chores], [
      null,
      [],
    ]);
  }));
