import { statfs } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type postgres from "postgres";
import { openExplained } from "../growth/explained.ts";
import { fillHistory } from "../growth/fill_history.ts";
import type { Growth, GrowthStep, TableSize } from "../growth/growth_step.ts";
import { measureCalls } from "../growth/measure_calls.ts";
import { withoutIndexes } from "../growth/without_indexes.ts";
import { runHttpLoad } from "../load/http_load.ts";
import { jsonLines } from "../output/json_lines.ts";
import { median } from "../setup/median.ts";
import { startService } from "../setup/service.ts";
import { addTenant, migrate, type Tenant } from "../setup/tenants.ts";
import { type Bench, perSecond, type Row } from "./measure.ts";
import { requestBody } from "./request_body.ts";

const SIZES = [10_000, 1_000_000, 10_000_000];
const QUICK_SIZES = [10_000, 100_000];
const COMPANIES = 20;
const CONNECTIONS = 32;
/** Time in the database that a piece of work may take at the largest history, in microseconds. */
const MAX_US: Record<string, number> = { "events, each": 20 };
/** From here on it is faster to make the indexes anew. */
const MANY = 2_000_000;
/** A message takes about 0.9 kB; with its part of the write-ahead log and of sorting, 3. */
const BYTES_PER_MESSAGE = 3_000;
const LOG_BYTES = 10e9;

const FILE = fileURLToPath(new URL("../growth.json", import.meta.url));

/**
 * The costs of accepting, of the queue's functions and of status as history grows, in one database. A full run leaves its series in
 * `bench/growth.json`.
 */
export async function measureGrowth(bench: Bench): Promise<Row[]> {
  const { server, quick, report } = bench;
  const url = await server.create("bench_growth");
  const sql = await migrate(url);
  try {
    const past: Tenant[] = [];
    for (let company = 0; company < COMPANIES; company++) past.push(await addTenant(sql));
    const steps: GrowthStep[] = [];
    for (const history of quick ? QUICK_SIZES : SIZES) {
      if (!await fits(bench, history)) break;
      const count = history - (steps.at(-1)?.history ?? 0);
      const fill = () => fillHistory(sql, { tenants: past, count, report });
      const startedAt = performance.now();
      report(`${history.toLocaleString("en")} messages of history`);
      if (count > MANY) await withoutIndexes(sql, fill);
      else await fill();
      await sql`vacuum analyze`;
      report(`filled in ${Math.round((performance.now() - startedAt) / 1000)} s`);
      steps.push(await measureStep(bench, { sql, url, history }));
    }
    const growth: Growth = { measured_at: new Date().toISOString(), steps };
    if (!quick) await Deno.writeTextFile(FILE, jsonLines(growth));
    return rowsOf(steps);
  } finally {
    await sql.end();
    await server.drop("bench_growth");
  }
}

/** There is room enough on the disk; on a server that is not ours the size is unknown. */
async function fits({ folder, report }: Bench, messages: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder);
  const needed = messages * BYTES_PER_MESSAGE + LOG_BYTES;
  if (bavail * bsize >= needed) return true;
  report(`${messages.toLocaleString("en")} messages would need ${needed / 1e9} GB on the disk: left out`);
  return false;
}

interface Database {
  sql: postgres.Sql;
  url: string;
  history: number;
}

async function measureStep(bench: Bench, { sql, url, history }: Database): Promise<GrowthStep> {
  const tables = await tableSizes(sql);
  const tenant = await addTenant(sql);
  const connection = await openExplained(url);
  const costs = await measureCalls(connection, { tenant, rounds: bench.quick ? 5 : 21 });
  await connection.sql.end();
  const intake = await measureRequests(bench, url, tenant);
  // The next size begins without what this one left.
  await sql`delete from outbound.companies where id = ${tenant.company.id}`;
  for (const { work, us, pages } of costs) {
    bench.report(`${work}: ${us.toFixed(1)} µs, ${pages.toFixed(1)} pages`);
  }
  bench.report(`POST /notify: ${perSecond(intake.per_second)}`);
  return { history, costs, intake, tables };
}

async function measureRequests(
  { quick, rounds }: Bench,
  url: string,
  tenant: Tenant,
): Promise<GrowthStep["intake"]> {
  const service = await startService(url);
  try {
    const request = {
      url: `${service.baseUrl}/notify?access_key=${tenant.key.key}`,
      method: "POST" as const,
      body: JSON.stringify(requestBody(tenant, 1)),
      connections: CONNECTIONS,
    };
    await runHttpLoad({ ...request, seconds: 2 });
    const results = [];
    for (let round = 0; round < rounds; round++) {
      results.push(await runHttpLoad({ ...request, seconds: quick ? 2 : 5 }));
    }
    return {
      per_second: median(results.map(({ rate }) => rate)),
      p50_ms: median(results.map(({ p50 }) => p50)),
      p99_ms: median(results.map(({ p99 }) => p99)),
    };
  } finally {
    await service.stop();
  }
}

async function tableSizes(sql: postgres.Sql): Promise<TableSize[]> {
  return await sql<TableSize[]>`
    select c.relname as table, c.reltuples::float8 as rows, pg_total_relation_size(c.oid)::float8 as bytes,
      pg_indexes_size(c.oid)::float8 as index_bytes
    from pg_class as c
    where c.relnamespace = 'outbound'::regnamespace
      and c.relname in ('campaigns', 'notification_facts', 'queue', 'delivery_attempts', 'platform_events')
    order by 3 desc`;
}

function rowsOf(steps: GrowthStep[]): Row[] {
  const [least, most] = [steps.at(0)!, steps.at(-1)!];
  const title = (work: string) => `${work}, history of ${most.history.toLocaleString("en")}`;
  const against = `the same, history of ${least.history.toLocaleString("en")}`;
  const [ours, theirs] = [most.intake.per_second, least.intake.per_second];
  const requests = { ours: perSecond(ours), theirs: perSecond(theirs), ratio: ours / theirs };
  return [
    { work: title(`POST /notify, ${CONNECTIONS} connections`), against, ...requests },
    ...most.costs.map(({ work, us, pages }, index) => {
      const before = least.costs[index]!;
      return {
        work: title(work),
        against,
        ours: `${us.toFixed(1)} µs, ${pages.toFixed(1)} pages`,
        theirs: `${before.us.toFixed(1)} µs, ${before.pages.toFixed(1)} pages`,
        ratio: us / before.us,
        ...(MAX_US[work] !== undefined && { aim: `≤ ${MAX_US[work]} µs`, met: us <= MAX_US[work] }),
      };
    }),
  ];
}
