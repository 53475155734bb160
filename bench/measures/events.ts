import { join } from "node:path";
import type postgres from "postgres";
import type { EventJob, EventResult } from "../load/send_events.ts";
import type { SentMessage } from "../load/status_events.ts";
import { median } from "../setup/median.ts";
import { denoArgs, rootFolder } from "../setup/processes.ts";
import { APP_SECRET, startService } from "../setup/service.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { startUpstream } from "../setup/upstream.ts";
import { addTenant, fillCampaign, migrate, type Tenant } from "../setup/tenants.ts";
import { sendOurs } from "./dispatch.ts";
import { limitRow } from "./limit_row.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";

/** `sent`, `delivered` and `read` of each message: three times what we send. */
const EVENTS_PER_MESSAGE = 3;

/** The platform wants half of the responses within 250 ms; these are nearly all of them. */
const MAX_MS = 100;

/**
 * The platform's pages say that a call "may batch up to 1000 updates", and not how many it does. Few to a call is the
 * harder case, for each call is checked, stored and answered by itself.
 */
const BATCH = 20;

/** Events that arrive together are seldom about one campaign. */
const CAMPAIGNS = 10;

const PATIENCE_MS = 120_000;

/** The time that a call counts which is not answered 200. */
const REPEATED_AFTER_MS = 60_000;

/** How one round of events went. */
interface EventRound extends EventResult {
  /** From the last answer until everything was counted, in milliseconds. */
  appliedAfter: number;
}

interface Stage {
  bench: Bench;
  sql: postgres.Sql;
  tenant: Tenant;
  url: string;
}

/** The platform's events about messages, arriving at three times the rate at which we send. */
export async function measureEvents(bench: Bench): Promise<Row[]> {
  const { server, quick, rounds, report } = bench;
  const sendRate = await measureSendRate(bench);
  const databaseUrl = await server.create("bench_events");
  const sql = await migrate(databaseUrl);
  const service = await startService(databaseUrl);
  const url = `${service.baseUrl}/webhooks/whatsapp`;
  const stage = { bench, sql, tenant: await addTenant(sql), url };
  const seconds = quick ? 2 : 10;
  try {
    await sendEvents(stage, { rate: sendRate, seconds: 1 });
    // As autovacuum does within a minute: without statistics the database takes the tables for empty.
    await sql`vacuum analyze`;
    const results: EventRound[] = [];
    const round = async () => {
      results.push(await sendEvents(stage, { rate: sendRate * EVENTS_PER_MESSAGE, seconds }));
      return results.at(-1)!.p99;
    };
    await takeTurns([{ name: "p99, ms", round }], { rounds, report });
    const rows = rowsOf(results, sendRate);
    if (rows[0]!.met) return rows;
    return [...rows, await findHeldRate(stage, sendRate * EVENTS_PER_MESSAGE)];
  } finally {
    await Promise.all([service.stop(), sql.end()]);
    await server.drop("bench_events");
  }
}

function rowsOf(results: EventRound[], sendRate: number): Row[] {
  const rate = perSecond(sendRate * EVENTS_PER_MESSAGE);
  const show = (ms: number) => `${Math.round(ms)} ms`;
  return [
    limitRow({
      work: `events, ${BATCH} a call, p99 of the answer`,
      against: `${EVENTS_PER_MESSAGE} × the send rate: ${rate}`,
      figures: results.map(({ p99 }) => p99),
      show,
      max: MAX_MS,
    }),
    limitRow({
      work: "the same, p50",
      figures: results.map(({ p50 }) => p50),
      show,
    }),
    limitRow({
      work: "the same, all counted after the last answer",
      figures: results.map(({ appliedAfter }) => appliedAfter),
      show,
    }),
  ];
}

/** Messages per second at 0 ms upstream. */
async function measureSendRate(bench: Bench): Promise<number> {
  const upstream = await startUpstream();
  const count = bench.quick ? 5_000 : 20_000;
  const rates: number[] = [];
  try {
    for (let round = 0; round < bench.rounds; round++) {
      rates.push(await sendOurs(bench, upstream, { count, latencyMs: 0 }));
      bench.report(`sent ${perSecond(rates.at(-1)!)}`);
    }
  } finally {
    await upstream.stop();
  }
  return median(rates);
}

/** Halves, on a logarithmic scale, the span in which the highest rate lies whose p99 stays within the limit. */
async function findHeldRate({ bench, ...stage }: Stage, wanted: number): Promise<Row> {
  let [held, broken] = [wanted / 64, wanted];
  for (let step = 0; step < (bench.quick ? 4 : 6); step++) {
    const rate = Math.sqrt(held * broken);
    const { p99 } = await sendEvents({ bench, ...stage }, { rate, seconds: bench.quick ? 2 : 5 });
    bench.report(`at ${perSecond(rate)} events p99 is ${Math.round(p99)} ms`);
    if (p99 <= MAX_MS) held = rate;
    else broken = rate;
  }
  return {
    work: `events held at p99 ≤ ${MAX_MS} ms`,
    against: `${EVENTS_PER_MESSAGE} × the send rate`,
    ours: perSecond(held),
    theirs: perSecond(wanted),
    ratio: held / wanted,
  };
}

/** Has the platform report new messages at this rate for so long. Everything must have been taken and counted. */
async function sendEvents(
  stage: Stage,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<EventRound> {
  const { sql, tenant: { sender } } = stage;
  const count = Math.ceil(rate * seconds / EVENTS_PER_MESSAGE / CAMPAIGNS);
  const campaigns: string[] = [];
  for (let made = 0; made < CAMPAIGNS; made++) {
    campaigns.push(await fillCampaign(sql, stage.tenant, { count, status: "sent" }));
  }
  const result = await runClient(stage.bench.folder, {
    url: stage.url,
    appSecret: APP_SECRET,
    rate,
    order: {
      wabaId: sender.waba_id!,
      phoneNumberId: sender.platform_id,
      batch: BATCH,
      lag: Math.ceil(rate / EVENTS_PER_MESSAGE / 2),
    },
    messages: await readMessages(sql, campaigns),
  });
  // The platform repeats a call that was not answered 200 after minutes, which this client does not do.
  if (result.refused > 0) {
    stage.bench.report(`${result.refused} of ${result.calls} calls were not answered 200`);
    return { ...result, p99: REPEATED_AFTER_MS, appliedAfter: REPEATED_AFTER_MS };
  }
  await untilCounted(sql, campaigns, count);
  return { ...result, appliedAfter: Date.now() - result.ended_ms };
}

/** In the order of their random ids: campaigns go out side by side. */
async function readMessages(sql: postgres.Sql, campaigns: string[]): Promise<SentMessage[]> {
  return await sql<SentMessage[]>`
    select company_id, id as notification_id, fence, platform_message_id, number
    from outbound.notifications where campaign_id = any(${campaigns}) order by id`;
}

async function runClient(folder: string, job: EventJob): Promise<EventResult> {
  const file = join(folder, "events.json");
  await Deno.writeTextFile(file, JSON.stringify(job));
  const [program, ...args] = denoArgs("bench/load/send_events.ts");
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    args: [...args, file],
    cwd: rootFolder(),
    stdin: "null",
  }).output();
  if (!success) throw new Error(`The client failed: ${new TextDecoder().decode(stderr)}`);
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** Resolves when every message counts as delivered and read; rejects when that takes longer than two minutes. */
async function untilCounted(sql: postgres.Sql, campaigns: string[], count: number): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (true) {
    const [row] = await sql<{ done: number }[]>`
      select count(*)::int as done from outbound.campaigns
      where id = any(${campaigns}) and delivered = ${count} and read = ${count}`;
    if (row!.done === campaigns.length) return;
    if (performance.now() > deadline) throw new Error("Not all events were applied within two minutes");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
