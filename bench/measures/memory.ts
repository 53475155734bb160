import { runHttpLoad } from "../load/http_load.ts";
import { type ResidentMemory, residentMemory } from "../setup/resident_memory.ts";
import { startDispatcher, startService } from "../setup/service.ts";
import { startUpstream } from "../setup/upstream.ts";
import { addTenant, fillCampaign, migrate } from "../setup/tenants.ts";
import { limitRow } from "./limit_row.ts";
import type { Bench, Row } from "./measure.ts";
import { requestBody } from "./request_body.ts";

const MAX_IDLE_MB = 250;
const IDLE_MS = 5000;

/** A process's share of the machine's memory while it has nothing to do, and at most while it is busy. */
export async function measureMemory(bench: Bench): Promise<Row[]> {
  const { server, report } = bench;
  const url = await server.create("bench_memory");
  try {
    const service = await serviceMemory(bench, url);
    report(`the service: ${megabytes(service.idle)} idle, ${megabytes(service.peak)} at most`);
    const dispatcher = await dispatcherMemory(bench, url);
    report(`a dispatcher: ${megabytes(dispatcher.idle)} idle, ${megabytes(dispatcher.peak)} at most`);
    const row = (work: string, mb: number, max?: number) =>
      limitRow({ work, figures: [mb], show: megabytes, ...(max !== undefined && { max }) });
    return [
      row("deno task serve, idle for 5 s", service.idle, MAX_IDLE_MB),
      row("deno task serve, POST /notify at 32 connections, peak", service.peak),
      row("deno task dispatch, idle for 5 s", dispatcher.idle, MAX_IDLE_MB),
      row(
        `deno task dispatch, sending ${messagesOf(bench).toLocaleString("en")} messages, peak`,
        dispatcher.peak,
      ),
    ];
  } finally {
    await server.drop("bench_memory");
  }
}

interface Figures {
  idle: number;
  peak: number;
}

async function serviceMemory({ quick }: Bench, url: string): Promise<Figures> {
  const sql = await migrate(url);
  const tenant = await addTenant(sql);
  const service = await startService(url);
  try {
    const memory = residentMemory(service);
    const idle = await afterIdling(memory);
    await runHttpLoad({
      url: `${service.baseUrl}/notify?access_key=${tenant.key.key}`,
      method: "POST",
      body: JSON.stringify(requestBody(tenant, 1)),
      connections: 32,
      seconds: quick ? 3 : 20,
    });
    return { idle, peak: await memory.peak() };
  } finally {
    await service.stop();
    await sql.end();
  }
}

function messagesOf({ quick }: Bench): number {
  return quick ? 5_000 : 20_000;
}

async function dispatcherMemory(bench: Bench, url: string): Promise<Figures> {
  const sql = await migrate(url);
  const upstream = await startUpstream();
  const dispatcher = await startDispatcher(url, upstream.url);
  try {
    const memory = residentMemory(dispatcher);
    const idle = await afterIdling(memory);
    const count = messagesOf(bench);
    await fillCampaign(sql, await addTenant(sql), { count });
    await upstream.untilTaken(count);
    return { idle, peak: await memory.peak() };
  } finally {
    await dispatcher.stop();
    await upstream.stop();
    await sql.end();
  }
}

async function afterIdling(memory: ResidentMemory): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return await memory.now();
}

function megabytes(mb: number): string {
  return `${Math.round(mb)} MB`;
}
