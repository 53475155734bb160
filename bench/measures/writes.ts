import postgres from "postgres";
import type { Sql } from "../../supabase/functions/_shared/db/driver/connect.ts";
import { acceptNotifications } from "../../supabase/functions/_shared/db/queue/accept_notifications.ts";
import {
  claimNotifications,
  finishNotifications,
} from "../../supabase/functions/_shared/db/queue/dispatch_queue.ts";
import {
  applyPlatformEvents,
  storePlatformEvents,
} from "../../supabase/functions/_shared/db/queue/platform_events.ts";
import { planRequests, receipt, sentResult } from "../setup/message_life.ts";
import { addTenant, migrate, type Tenant } from "../setup/tenants.ts";
import type { Bench, Row } from "./measure.ts";

const MESSAGES = 16_000;
const QUICK_MESSAGES = 3_200;
/** Requests per batch, as 32 connections have them waiting. */
const REQUESTS = 32;
/** Contacts per request of a larger campaign. */
const CONTACTS = 100;
/** Messages per claim, and receipts per batch. */
const BATCH = 500;
const WORKER = "bench";
const RECEIPTS = ["sent", "delivered", "read"] as const;

/** WAL bytes of a message, by step, by this very measure, when every attempt and every event was stored. */
const BYTES_WHEN_ALL_IS_STORED: Record<string, number> = {
  accept: 1275,
  claim: 1261,
  finish: 1668,
  "receipt: sent": 1431,
  "receipt: delivered": 2408,
  "receipt: read": 2371,
};
const MAX_RATIO = 0.6;
const MAX_KEPT_BYTES = 600;

/** The writes of one step, per message. */
interface Writes {
  step: string;
  bytes: number;
  /** Rows inserted, updated and deleted. */
  versions: number;
  /** Those of them that left every index alone. */
  hot: number;
}

/**
 * Bytes of the write-ahead log and row versions that the database writes for a message from its request, one contact
 * each, until it was read; and the bytes that are kept of it. All depend on the code alone and not on the machine.
 */
export async function measureWrites({ server, quick, report }: Bench): Promise<Row[]> {
  const url = await server.create("bench_writes");
  await (await migrate(url)).end();
  const sql = postgres(url, { max: 1, onnotice: () => {} }); // one, because each connection counts its rows for itself
  try {
    const tenant = await addTenant(sql);
    const count = quick ? QUICK_MESSAGES : MESSAGES;
    // The second life finds the room that a vacuum made in the tables of the first, as in a database that runs for long.
    await takeThrough(sql, tenant, { count, contacts: 1 });
    const before = await readSize(sql);
    const steps = await takeThrough(sql, tenant, { count, contacts: 1 });
    const alone = (await readSize(sql) - before) / count;
    for (const step of steps) report(`${step.step}: ${describe(step)}`);
    await takeThrough(sql, tenant, { count, contacts: CONTACTS });
    const beforeLarger = await readSize(sql);
    const stepsOfLarger = await takeThrough(sql, tenant, { count, contacts: CONTACTS });
    const larger = (await readSize(sql) - beforeLarger) / count;
    return [
      ...rowsOf(steps),
      totalRow("WAL per message of a campaign of 100, from request to read", stepsOfLarger),
      sizeRow("disk per message that was read, of a campaign of 100, after a vacuum", larger),
      sizeRow("disk per message that was read, with a campaign of its own, after a vacuum", alone),
    ];
  } finally {
    await sql.end();
    await server.drop("bench_writes");
  }
}

function describe({ bytes, versions, hot }: Omit<Writes, "step">): string {
  return `${Math.round(bytes)} bytes, ${versions.toFixed(2)} row versions, ${hot.toFixed(2)} of them HOT`;
}

function rowsOf(steps: Writes[]): Row[] {
  return [
    totalRow("WAL per message, from request to read", steps),
    ...steps.map(({ step, ...written }) => row(`of it: ${step}`, written, BYTES_WHEN_ALL_IS_STORED[step]!)),
  ];
}

function totalRow(work: string, steps: Writes[]): Row {
  const sum = (of: "bytes" | "versions" | "hot") => steps.reduce((total, step) => total + step[of], 0);
  const written = { bytes: sum("bytes"), versions: sum("versions"), hot: sum("hot") };
  const total = row(
    work,
    written,
    Object.values(BYTES_WHEN_ALL_IS_STORED).reduce((all, bytes) => all + bytes, 0),
  );
  return { ...total, aim: `≤ ${MAX_RATIO}`, met: total.ratio! <= MAX_RATIO };
}

function row(work: string, written: Omit<Writes, "step">, was: number): Row {
  return {
    work,
    against: "every attempt and event stored",
    ours: describe(written),
    theirs: `${Math.round(was)} bytes`,
    ratio: written.bytes / was,
  };
}

function sizeRow(work: string, bytes: number): Row {
  return {
    work,
    against: "-",
    aim: `≤ ${MAX_KEPT_BYTES} bytes`,
    ours: `${Math.round(bytes)} bytes`,
    theirs: "-",
    met: bytes <= MAX_KEPT_BYTES,
  };
}

/** Returns the bytes of all tables and indexes, without what the housekeeping takes away. */
async function readSize(sql: Sql): Promise<number> {
  await sql`select outbound.fold_history(1000000)`;
  await sql`vacuum`;
  await sql`vacuum`; // pages that the first one emptied can be used again
  const [row] = await sql<{ bytes: number }[]>`
    select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class as c
    where c.relnamespace = 'outbound'::regnamespace and c.relkind = 'r'`;
  return row!.bytes;
}

/** Takes `count` messages of requests for `contacts` contacts each through their whole life, step by step. */
async function takeThrough(
  sql: Sql,
  tenant: Tenant,
  { count, contacts }: { count: number; contacts: number },
): Promise<Writes[]> {
  const steps: Writes[] = [];
  const measured = async <T>(step: string, work: () => Promise<T>): Promise<T> => {
    const before = await readCounters(sql);
    const result = await work();
    const after = await readCounters(sql);
    steps.push({
      step,
      bytes: (after.bytes - before.bytes) / count,
      versions: (after.versions - before.versions) / count,
      hot: (after.hot - before.hot) / count,
    });
    return result;
  };
  await measured("accept", async () => {
    const requests = count / contacts;
    for (let done = 0; done < requests; done += REQUESTS) {
      await acceptNotifications(
        sql,
        await planRequests(sql, tenant, { count: Math.min(REQUESTS, requests - done), contacts }),
      );
    }
  });
  const claimed = await measured("claim", async () => {
    const all = [];
    while (all.length < count) {
      const some = await claimNotifications(sql, { worker: WORKER, limit: BATCH, leaseS: 600 });
      if (some.length === 0) throw new Error(`${all.length} of ${count} messages were claimed`);
      all.push(...some);
    }
    return all;
  });
  const results = claimed.map(sentResult);
  await measured("finish", async () => {
    for (const batch of inBatches(results)) {
      await finishNotifications(sql, { worker: WORKER, results: batch, windowS: 120 });
    }
  });
  for (const status of RECEIPTS) {
    const events = results.map((result) => receipt(result, status));
    await measured(`receipt: ${status}`, async () => {
      for (const batch of inBatches(events)) {
        await storePlatformEvents(sql, batch);
        await applyPlatformEvents(sql, BATCH);
      }
    });
  }
  return steps;
}

function inBatches<T>(items: T[]): T[][] {
  return Array.from(
    { length: Math.ceil(items.length / BATCH) },
    (_, n) => items.slice(n * BATCH, (n + 1) * BATCH),
  );
}

async function readCounters(sql: Sql): Promise<{ bytes: number; versions: number; hot: number }> {
  await sql`select pg_stat_force_next_flush()`;
  const [counters] = await sql<{ bytes: number; versions: number; hot: number }[]>`
    select (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 as bytes,
      sum(n_tup_ins + n_tup_upd + n_tup_del)::float8 as versions, sum(n_tup_hot_upd)::float8 as hot
    from pg_stat_user_tables where schemaname = 'outbound'`;
  return counters!;
}
