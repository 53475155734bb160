import { join } from "node:path";
import postgres from "postgres";
import { freePorts } from "../../tests/browser/free_ports.ts";
import { findPostgres } from "../../tests/setup/database/postgres_binaries.ts";
import { CRON_DATABASE, startCluster, stopCluster } from "../../tests/setup/database/postgres_cluster.ts";
import { pause } from "../setup/pause.ts";
import { processorTime } from "../setup/processor_time.ts";
import { startDispatcher, startService } from "../setup/service.ts";
import { startTask } from "../setup/start_task.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { startUpstream, type Upstream } from "../setup/upstream.ts";
import { limitRow } from "./limit_row.ts";
import type { Bench, Row } from "./measure.ts";
import { notifyBody } from "./request_body.ts";

/** A commit is on the disk before it returns, as by default. */
const SETTINGS = { fsync: "on", synchronous_commit: "on", full_page_writes: "on" };

/** Percent of one processor. */
const MAX_PERCENT = { start: 1, dispatcher: 0.5, database: 0.5 };
/** A dispatcher looks every 250 ms for what another process has queued. */
const MAX_WAIT_MS = { ownProcess: 50, otherProcess: 250 };
const MESSAGES = 40;
/** Longer than any polling interval, and no multiple of one. */
const BETWEEN_MS = 613;

/** Measures processor time while there is nothing to do, and the wait of a message that comes then. */
export async function measureIdle(bench: Bench): Promise<Row[]> {
  const cluster = join(bench.folder, "idle-pg");
  const upstream = await startUpstream();
  try {
    const { url, pid } = await startDatabase(cluster);
    return [
      ...await startRows(bench),
      ...await dispatcherRows(bench, { url, pid, upstream }),
      await ownProcessRow(bench, { url, upstream }),
    ];
  } finally {
    await upstream.stop();
    await stopCluster(cluster);
  }
}

/** A server of its own: pg_cron works in one database only, and shares the server's time. */
async function startDatabase(folder: string): Promise<{ url: string; pid: number }> {
  const serverUrl = await startCluster((await findPostgres())!, folder, { settings: SETTINGS });
  const server = postgres(serverUrl, { max: 1 });
  await server`create database ${server(CRON_DATABASE)}`;
  await server.end();
  const url = Object.assign(new URL(serverUrl), { pathname: `/${CRON_DATABASE}` }).href;
  await (await migrate(url)).end();
  const [pid] = (await Deno.readTextFile(join(folder, "data/postmaster.pid"))).split("\n");
  return { url, pid: Number(pid) };
}

/** Leaves processes alone, then returns what each takes: percent of one processor, a figure per round. */
async function percentsOf({ quick, rounds, report }: Bench, pids: Record<string, number>) {
  const figures = Object.fromEntries(Object.keys(pids).map((name) => [name, [] as number[]]));
  const times = () => Promise.all(Object.values(pids).map(processorTime));
  await pause(quick ? 60_000 : 120_000); // a process tidies up its memory for a minute after its start
  for (let round = 1; round <= rounds; round++) {
    const [before, startedAt] = [await times(), performance.now()];
    await pause(quick ? 20_000 : 60_000);
    const [after, seconds] = [await times(), (performance.now() - startedAt) / 1000];
    for (const [index, [name, values]] of Object.entries(figures).entries()) {
      values.push(100 * (after[index]! - before[index]!) / seconds);
      report(`round ${round}/${rounds}  ${name}: ${percent(values.at(-1)!)}`);
    }
  }
  return figures;
}

async function startRows(bench: Bench): Promise<Row[]> {
  const port = String(freePorts());
  const home = join(bench.folder, `home-${crypto.randomUUID()}`);
  const started = await startTask("start", {
    OUTBOUND_HOME: home,
    PORT: port,
    OUTBOUND_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  try {
    const work = "deno task start, idle, with its database and all stand-ins";
    const { [work]: figures } = await percentsOf(bench, { [work]: started.pid });
    return [limitRow({ work, figures: figures!, show: percent, max: MAX_PERCENT.start })];
  } finally {
    await started.stop();
  }
}

interface Parts {
  url: string;
  upstream: Upstream;
}

async function dispatcherRows(bench: Bench, { url, pid, upstream }: Parts & { pid: number }): Promise<Row[]> {
  const dispatcher = await startDispatcher(url, upstream.url);
  try {
    const figures = await percentsOf(bench, { dispatcher: dispatcher.pid, database: pid });
    const row = (work: string, name: "dispatcher" | "database") =>
      limitRow({ work, figures: figures[name]!, show: percent, max: MAX_PERCENT[name] });
    return [
      row("deno task dispatch, idle", "dispatcher"),
      row("its Postgres with the jobs of pg_cron, idle", "database"),
      await otherProcessRow({ url, upstream }),
    ];
  } finally {
    await dispatcher.stop();
  }
}

async function otherProcessRow({ url, upstream }: Parts): Promise<Row> {
  const sql = await migrate(url);
  try {
    const tenant = await addTenant(sql);
    const figures = await waitsOf(upstream, async () => {
      await fillCampaign(sql, tenant, { count: 1 });
      return Date.now();
    });
    const max = MAX_WAIT_MS.otherProcess;
    return limitRow({
      work: "an idle dispatcher, from another process's commit to the send",
      figures,
      show: milliseconds,
      max,
    });
  } finally {
    await sql.end();
  }
}

async function ownProcessRow({ report }: Bench, { url, upstream }: Parts): Promise<Row> {
  const sql = await migrate(url);
  const service = await startService(url, upstream.url);
  try {
    const tenant = await addTenant(sql);
    const figures = await waitsOf(upstream, async (message) => {
      const sentAt = Date.now();
      const response = await fetch(`${service.baseUrl}/notify?access_key=${tenant.key.key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(notifyBody(tenant, [String(34600000000 + message)])),
      });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`POST /notify: ${response.status} ${text}`);
      return sentAt;
    });
    const max = MAX_WAIT_MS.ownProcess;
    report(`from request to send: ${figures.map(milliseconds).join(", ")}`);
    return limitRow({
      work: "deno task serve, idle, from request to send",
      figures,
      show: milliseconds,
      max,
    });
  } finally {
    await service.stop();
    await sql.end();
  }
}

/** How long each of some messages took to the platform, one at a time, since the moment that `queue` returns. */
async function waitsOf(upstream: Upstream, queue: (message: number) => Promise<number>): Promise<number[]> {
  const waits: number[] = [];
  for (let message = 0; message < MESSAGES; message++) {
    await pause(BETWEEN_MS);
    await upstream.reset(0);
    const since = await queue(message);
    waits.push((await upstream.untilTaken(1)).first_ms - since);
  }
  return waits;
}

function percent(share: number): string {
  return `${share.toFixed(2)} %`;
}

function milliseconds(ms: number): string {
  return `${Math.round(ms)} ms`;
}
