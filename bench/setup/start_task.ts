import { processTree } from "./process_tree.ts";
import { rootFolder } from "./processes.ts";
import { machineEnv } from "../../tests/setup/machine_env.ts";

/** A task of the project that serves HTTP. */
export interface StartedTask {
  /** Of `deno task`, the parent of what it runs. */
  pid: number;
  /** Milliseconds from the start of its process until `GET /health` answered 200. */
  readyMs: number;
  /** Waits until it has been left alone for so long and runs nothing beside itself; returns its bytes in memory. */
  idle(ms: number): Promise<number>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 60_000;

/**
 * Runs `deno task NAME` as an operator would type it, and waits until its API responds on the port in `env.PORT`.
 *
 * @throws Error with what it wrote to standard error when it ends before that, or takes longer than a minute
 */
export async function startTask(
  name: string,
  env: Record<string, string> & { PORT: string },
): Promise<StartedTask> {
  const begin = performance.now();
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", name],
    cwd: rootFolder(),
    clearEnv: true,
    env: { ...machineEnv(), NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const complaints = new Response(child.stderr).text();
  let ended = false;
  void child.status.then(() => ended = true);
  const stop = () => stopTree(child);
  const health = `http://127.0.0.1:${env.PORT}/functions/v1/health`;
  while (!await responds(health)) {
    if (ended) throw new Error(`deno task ${name} ended: ${(await complaints).slice(-2000)}`);
    if (performance.now() - begin > PATIENCE_MS) {
      await stop();
      throw new Error(`deno task ${name} was not ready within a minute: ${(await complaints).slice(-2000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return {
    pid: child.pid,
    readyMs: performance.now() - begin,
    idle: (ms) => idleMemory(child.pid, ms),
    stop,
  };
}

async function responds(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url);
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false; // no listener yet
  }
}

/** `deno task` itself, and what it runs. */
const OWN_PROCESSES = 2;

async function idleMemory(pid: number, ms: number): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  await new Promise((resolve) => setTimeout(resolve, ms));
  while (true) {
    const tree = await processTree(pid);
    if (tree.length <= OWN_PROCESSES) return tree.reduce((sum, { rss }) => sum + rss, 0);
    if (performance.now() > deadline) throw new Error("It still runs something beside itself after a minute");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** `deno task` ends when what it runs has ended; that is asked to, for a signal to `deno task` may not reach it. */
async function stopTree(child: Deno.ChildProcess): Promise<void> {
  const [, ...others] = await processTree(child.pid);
  for (const { pid } of others.slice(0, 1)) Deno.kill(pid, "SIGTERM");
  await child.status;
}
