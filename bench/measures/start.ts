import { join } from "node:path";
import { freePorts } from "../../tests/browser/free_ports.ts";
import { denoFolderAsDownloaded } from "../setup/deno_folder.ts";
import { serviceSettings } from "../setup/service.ts";
import { startTask } from "../setup/start_task.ts";
import { takeTurns } from "../setup/take_turns.ts";
import { migrate } from "../setup/tenants.ts";
import { limitRow } from "./limit_row.ts";
import type { Bench, Row } from "./measure.ts";

const FIRST_MS = 5_000;
const WARM_MS = 1_000;
const MAX_BYTES = 250e6;

/** A task's figures, a round each. */
interface TaskFigures {
  first: number[];
  warm: number[];
  idle: number[];
}

/**
 * How long after they were typed `deno task serve` and `deno task start` answer, the first time and from then on, and
 * what they hold in memory when they have nothing to do. `serve` has its database elsewhere, `start` brings its own.
 */
export async function measureStart(bench: Bench): Promise<Row[]> {
  const { server, folder, quick, report } = bench;
  const databaseUrl = await server.create("bench_start");
  await (await migrate(databaseUrl)).end();
  const settings: Record<string, () => Record<string, string>> = {
    serve: () => serviceSettings(databaseUrl, "http://127.0.0.1:9"),
    start: () => ({ OUTBOUND_HOME: join(folder, `home-${crypto.randomUUID()}`) }),
  };
  const figures: Record<string, TaskFigures> = {};
  const contestants = Object.entries(settings).map(([task, settingsOf]) => {
    const { first, warm, idle } = figures[task] = { first: [], warm: [], idle: [] } as TaskFigures;
    const round = async () => {
      const env = { ...settingsOf(), DENO_DIR: await denoFolderAsDownloaded(folder) };
      const restMs = quick ? 2_000 : 5_000;
      first.push((await startAndRest(task, env, restMs)).readyMs);
      const { readyMs, bytes } = await startAndRest(task, env, restMs);
      warm.push(readyMs);
      idle.push(bytes);
      return readyMs;
    };
    return { name: `${task}, ms`, round };
  });
  try {
    await takeTurns(contestants, { rounds: bench.rounds, report });
    return Object.entries(figures).flatMap(([task, ofTask]) => rowsOf(`deno task ${task}`, ofTask));
  } finally {
    await server.drop("bench_start");
  }
}

/** Starts a task, leaves it alone for a while and stops it. */
async function startAndRest(
  task: string,
  env: Record<string, string>,
  restMs: number,
): Promise<{ readyMs: number; bytes: number }> {
  const port = freePorts();
  const started = await startTask(task, {
    ...env,
    PORT: String(port),
    OUTBOUND_PUBLIC_URL: `http://127.0.0.1:${port}`,
  });
  try {
    return { readyMs: started.readyMs, bytes: await started.idle(restMs) };
  } finally {
    await started.stop();
  }
}

function rowsOf(task: string, { first, warm, idle }: TaskFigures): Row[] {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  return [
    limitRow({ work: `${task}, ready`, figures: warm, show: seconds, max: WARM_MS, aim: "< 1 s" }),
    limitRow({
      work: `${task}, ready, first time after download`,
      figures: first,
      show: seconds,
      max: FIRST_MS,
      aim: "< 5 s",
    }),
    limitRow({
      work: `${task}, memory when idle`,
      figures: idle,
      show: megabytes,
      max: MAX_BYTES,
      aim: "< 250 MB",
    }),
  ];
}
