import postgres from "postgres";
import {
  claimNotifications,
  finishNotifications,
  tick,
} from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { type Cost, openExplained } from "../growth/explained.ts";
import { median } from "../setup/median.ts";
import { sentResult } from "../setup/message_life.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { comparisonRow } from "./comparison_row.ts";
import type { Bench, Row } from "./measure.ts";

const MESSAGES = 500_000;
const QUICK_MESSAGES = 50_000;
/** Messages per claim while they are sent. */
const BATCH = 500;
/** Claims that are measured, one of them for each step of work. */
const MEASURED = 11;
const QUICK_MEASURED = 5;
const WORKER = "bench";
/** So short that leases end while the messages are sent, as they do while a snapshot is open for long. */
const LEASE_S = 2;
const MAX_RATIO = 2;

/** The queries that a dispatcher repeats, with the cost of each one. */
type Costs = Record<"claim" | "next_due" | "tick", Cost[]>;

/**
 * The cost of a claim after many messages were sent while a snapshot was open, against the same without a snapshot.
 * Postgres can remove nothing that died since the oldest snapshot, and its indexes keep an entry for each dead row.
 */
export async function measureClaim(bench: Bench): Promise<Row[]> {
  const without = await costsAfter(bench, { snapshot: false });
  const within = await costsAfter(bench, { snapshot: true });
  const work = `after ${messagesOf(bench).toLocaleString("en")} messages, one snapshot open`;
  const row = (name: string, query: keyof Costs, of: keyof Cost, max?: number) =>
    comparisonRow({
      work: `${name} ${work}, ${of === "us" ? "time" : "pages"}`,
      against: "the same without a snapshot",
      ours: within[query].map((cost) => cost[of]),
      theirs: without[query].map((cost) => cost[of]),
      show: of === "us" ? milliseconds : (pages) => Math.round(pages).toLocaleString("en"),
      ...(max !== undefined && { max }),
    });
  return [
    row(`claim of ${BATCH}`, "claim", "us", MAX_RATIO),
    row(`claim of ${BATCH}`, "claim", "pages", MAX_RATIO),
    row("next_due()", "next_due", "us"),
    row("tick, nothing due", "tick", "us"),
  ];
}

function messagesOf({ quick }: Bench): number {
  return quick ? QUICK_MESSAGES : MESSAGES;
}

function milliseconds(us: number): string {
  return `${(us / 1000).toFixed(1)} ms`;
}

async function costsAfter(bench: Bench, { snapshot }: { snapshot: boolean }): Promise<Costs> {
  const url = await bench.server.create("bench_claim");
  const sql = await migrate(url);
  try {
    const count = messagesOf(bench);
    const measured = bench.quick ? QUICK_MEASURED : MEASURED;
    await fillCampaign(sql, await addTenant(sql), { count: count + measured * BATCH });
    await sql`vacuum analyze`;
    const held = snapshot ? await openSnapshot(url) : undefined;
    try {
      await send(bench, sql, { count, name: snapshot ? "with a snapshot" : "without a snapshot" });
      return await measure(bench, url, measured);
    } finally {
      await held?.close();
    }
  } finally {
    await sql.end();
    await bench.server.drop("bench_claim");
  }
}

/** Keeps a transaction open that has read the queue once, as a long report does. */
async function openSnapshot(url: string): Promise<{ close(): Promise<void> }> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  const connection = await sql.reserve();
  await connection`begin isolation level repeatable read`;
  await connection`select count(*) from outbound.notifications`;
  return {
    async close() {
      await connection`rollback`;
      connection.release();
      await sql.end();
    },
  };
}

async function send(
  { report }: Bench,
  sql: Sql,
  { count, name }: { count: number; name: string },
): Promise<void> {
  for (let done = 0; done < count;) {
    const startedAt = performance.now();
    done += await claimAndFinish(sql);
    const ms = (performance.now() - startedAt).toFixed(0);
    if (done % (count / 5) < BATCH) {
      report(`${name}: ${done.toLocaleString("en")} sent, the last ${BATCH} in ${ms} ms`);
    }
  }
}

async function claimAndFinish(sql: Sql): Promise<number> {
  const claimed = await claimNotifications(sql, { worker: WORKER, limit: BATCH, leaseS: LEASE_S });
  if (claimed.length === 0) throw new Error("Nothing was claimed");
  await finishNotifications(sql, { worker: WORKER, results: claimed.map(sentResult), windowS: 120 });
  return claimed.length;
}

async function measure({ report }: Bench, url: string, rounds: number): Promise<Costs> {
  const costs: Costs = { claim: [], next_due: [], tick: [] };
  const { sql, run } = await openExplained(url);
  try {
    for (let round = 0; round < rounds; round++) {
      const { result, cost } = await run((sql) =>
        claimNotifications(sql, { worker: WORKER, limit: BATCH, leaseS: LEASE_S })
      );
      if (result.length !== BATCH) throw new Error(`${result.length} of ${BATCH} messages were claimed`);
      await finishNotifications(sql, { worker: WORKER, results: result.map(sentResult), windowS: 120 });
      costs.claim.push(cost);
      costs.next_due.push((await run((sql) => sql`select outbound.next_due()`)).cost);
      costs.tick.push((await run((sql) => tick(sql, { windowS: 120 }))).cost);
    }
  } finally {
    await sql.end();
  }
  for (const [query, found] of Object.entries(costs)) {
    const [ms, pages] = (["us", "pages"] as const).map((of) => median(found.map((cost) => cost[of])));
    report(`${query}: ${milliseconds(ms!)}, ${Math.round(pages!)} pages`);
  }
  return costs;
}
