import type postgres from "postgres";
import { startDispatcher } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { migrate } from "../setup/tenants.ts";
import { insertCompany, insertSender } from "../../tests/setup/fixtures/fixtures.ts";
import { insertReplies, insertWaitingCompanies } from "../../tests/setup/fixtures/waiting_companies.ts";
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

/** Companies whose event waits for its second attempt, five hours from now. */
async function insertWaiting(sql: postgres.Sql, count: number): Promise<void> {
  await insertWaitingCompanies(sql, count, 1);
  await sql`
    with delivery as (
      update outbound.webhook_deliveries set run_at = now() + interval '5 hours', deferred = true
      returning company_id, run_at
    )
    insert into outbound.webhook_schedule (company_id, due_at) select company_id, run_at from delivery`;
}
