import type postgres from "postgres";
import { startDispatcher } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { migrate } from "../setup/tenants.ts";
import { insertCompany, insertSender } from "../../tests/setup/fixtures/fixtures.ts";
import { insertEvents, insertWebhook } from "../../tests/setup/fixtures/webhooks.ts";
import { startUpstream, type Upstream } from "../setup/upstream.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

/** Companies whose events wait for their next attempts, and whose replies wait for theirs or for a stopped sender. */
const NEIGHBOURS = 5_000;
const MIN_RATIO = 0.97;

/** One of the two smaller queues: fills it, and counts what has left. */
interface SmallQueue {
  name: string;
  fill(sql: postgres.Sql, upstream: Upstream, count: number): Promise<void>;
  sent(sql: postgres.Sql): Promise<number>;
}

const QUEUES: SmallQueue[] = [
  {
    name: "events out",
    async fill(sql, upstream, count) {
      const { id } = await insertCompany(sql);
      await insertWebhook(sql, id, { url: `${upstream.url}/events` });
      await insertEvents(sql, id, count);
    },
    sent: async (sql) =>
      (await sql`select count(*)::int from outbound.webhook_deliveries where status = 'succeeded'`)[0]!.count,
  },
  {
    name: "replies",
    async fill(sql, _upstream, count) {
      const { id } = await insertCompany(sql);
      const sender = await insertSender(sql, id);
      await insertReplies(
        sql,
        sql`
        select ${id}::uuid, ${sender.id}::uuid, now() from generate_series(1, ${count}) as n`,
      );
    },
    sent: async (sql) =>
      (await sql`select count(*)::int from outbound.contact_messages where status = 'sent'`)[0]!.count,
  },
];

/** Events to a company's endpoint, and replies, beside companies that only wait, in turns. */
export async function measureWaiting(bench: Bench): Promise<Row[]> {
  const upstream = await startUpstream();
  try {
    const rows: Row[] = [];
    for (const queue of QUEUES) {
      const contestants = [0, NEIGHBOURS].map((neighbours) => ({
        name: `${queue.name}, ${neighbours} wait`,
        round: () => send(bench, upstream, queue, neighbours),
      }));
      const [alone, beside] = [...(await takeTurns(contestants, bench)).values()];
      const ratio = beside!.median / alone!.median;
      rows.push({
        work: `${queue.name}, beside ${NEIGHBOURS.toLocaleString("en")} companies that wait`,
        against: "beside none",
        aim: `≥ ${MIN_RATIO}`,
        ours: perSecond(beside!.median),
        theirs: perSecond(alone!.median),
        ratio,
        met: ratio >= MIN_RATIO,
        rounds: { ours: beside!.rounds, theirs: alone!.rounds },
      });
    }
    return rows;
  } finally {
    await upstream.stop();
  }
}

/** Returns how many leave per second, from the first one that is recorded to the last. */
async function send(
  { server, quick }: Bench,
  upstream: Upstream,
  queue: SmallQueue,
  neighbours: number,
): Promise<number> {
  const count = quick ? 1_000 : 5_000;
  const url = await server.create("bench_waiting");
  const sql = await migrate(url) as unknown as postgres.Sql;
  if (neighbours > 0) await insertWaiting(sql, neighbours);
  await queue.fill(sql, upstream, count);
  await sql`vacuum analyze`;
  await upstream.reset(0);
  const dispatcher = await startDispatcher(url, upstream.url, {
    settings: { OUTBOUND_ALLOW_PRIVATE_WEBHOOKS: "true" },
  });
  const first = await untilSent(sql, queue, 1);
  const startedMs = performance.now();
  await untilSent(sql, queue, count);
  const ms = performance.now() - startedMs;
  await dispatcher.stop();
  await sql.end();
  await server.drop("bench_waiting");
  return (count - first) / ms * 1000;
}

async function untilSent(sql: postgres.Sql, queue: SmallQueue, count: number): Promise<number> {
  while (true) {
    const sent = await queue.sent(sql);
    if (sent >= count) return sent;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function insertWaiting(sql: postgres.Sql, count: number): Promise<void> {
  await sql`insert into outbound.companies (id, name) select gen_random_uuid(), 'waits' from generate_series(1, ${count})`;
  await sql`
    insert into outbound.webhooks (company_id, url, secret_sealed, failures)
    select id, 'http://127.0.0.1:9/', 'x', 3 from outbound.companies where name = 'waits'`;
  await sql`
    with event as (
      insert into outbound.outgoing_events (company_id, type, payload)
      select id, 'notification.sent', '{}' from outbound.companies where name = 'waits' returning company_id, id
    ),
    delivery as (
      insert into outbound.webhook_deliveries (company_id, event_id, attempt, attempt_since_replay, run_at, deferred)
      select company_id, id, 2, 2, now() + interval '5 hours', true from event returning company_id, run_at
    )
    insert into outbound.webhook_schedule (company_id, due_at) select company_id, run_at from delivery`;
  await sql`
    insert into outbound.senders (company_id, channel, number, platform_id, waba_id, token_sealed, status, stopped_reason)
    select id, 'whatsapp', (59100000000 + n)::text, 'waits-' || n, '1', 'sealed',
      case when n % 2 = 0 then 'active' else 'stopped' end, case when n % 2 = 1 then 'no' end
    from (select id, row_number() over () as n from outbound.companies where name = 'waits') as c`;
  await insertReplies(
    sql,
    sql`
    select company_id, id, now() + case status when 'active' then interval '5 hours' else '0' end
    from outbound.senders where platform_id like 'waits-%'`,
  );
}

/** Queues a reply for each row of `replies`: company, sender, and when it is due. */
async function insertReplies(
  sql: postgres.Sql,
  replies: postgres.PendingQuery<postgres.Row[]>,
): Promise<void> {
  await sql`
    with reply as (
      insert into outbound.contact_messages (company_id, sender_id, run_at, id, direction, number, kind, text, status,
        expires_at, at)
      select r.*, gen_random_uuid(), 'out', '34600111222', 'text', 'Hi', 'queued', now() + interval '20 hours', now()
      from (${replies}) as r
      returning company_id, sender_id, run_at
    )
    select outbound.schedule_replies(array_agg(company_id), array_agg(sender_id), array_agg(run_at)) from reply`;
}
