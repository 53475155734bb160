import assert from "node:assert/strict";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { within } from "../../cli/service/stopping.ts";
import { eventually } from "../setup/eventually.ts";
import type { JsonObject } from "../setup/http/http.ts";
const ENTRY = fileURLToPath(new URL("./hosted_entry.ts", import.meta.url));

/** The version of Deno that the hosted runtime is built on. Source: Supabase edge-runtime. */
const HOSTED_DENO = "deno@2.1.4";

const HOSTED_OPTIONS = [
  // Neither our lock nor our import map: a bundle needs none of both, and nothing may be fetched.
  ...["--quiet", "--no-config", "--no-remote", "--no-npm", "--no-check", "--no-code-cache", "--no-prompt"],
  ...["--allow-net", "--allow-env", "--allow-read", "--allow-sys", "--allow-write=/tmp"],
];

/** Of the 256 MB of a worker, V8's heap; the rest is for its code, buffers and the runtime. */
const HEAP_MB = 192;

const MAX_ENTRY_MS = 60_000;

/** Source: Supabase, limits of functions. */
export const LIMITS = { bundleBytes: 20 * 2 ** 20, memoryMib: 256, cpuMs: 2000 };

/** A function in a process of its own, with the permissions and the heap of a hosted worker. */
export interface HostedFunction {
  url: string;
  /** The processor time since the process began, in milliseconds. */
  cpuMs(): Promise<number>;
  /** Resolves with the next entry of this message in the function's log; rejects when there is none within a minute. */
  nextEntry(message: string): Promise<JsonObject>;
  /** The most memory that the process has had, in MiB. */
  peakMib(): Promise<number>;
}

/** Returns the path of the hosted runtime's Deno; undefined when npx cannot get it. */
export async function hostedDeno(): Promise<string | undefined> {
  const args = ["-y", HOSTED_DENO, "eval", "--no-config", "console.log(Deno.execPath())"];
  const command = new Deno.Command("npx", { args, stdin: "null", env: { NO_COLOR: "1" } });
  const { success, stdout } = await command.output().catch(() => ({
    success: false,
    stdout: new Uint8Array(),
  }));
  return success ? new TextDecoder().decode(stdout).trim() : undefined;
}

/**
 * Runs the hosted runtime's Deno with the permissions of a hosted function: no subprocess, no code from elsewhere, no
 * file outside /tmp.
 *
 * @param options more options of `deno run`
 */
export function hostedCommand(
  deno: string,
  [script, ...args]: [script: string, ...args: string[]],
  { env, options = [] }: { env: Record<string, string>; options?: string[] },
): Deno.Command {
  return new Deno.Command(deno, {
    args: ["run", ...HOSTED_OPTIONS, ...options, script, ...args],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
  });
}

/** Calls `fn` with a bundled function that runs under the hosted runtime's Deno. */
export async function withHostedFunction<Result>(
  { deno, bundle, env }: { deno: string; bundle: string; env: Record<string, string> },
  fn: (hosted: HostedFunction) => Promise<Result>,
): Promise<Result> {
  const options = [`--v8-flags=--max-old-space-size=${HEAP_MB}`];
  const run = { env: { ...env, DENO_DIR: `${dirname(bundle)}/deno` }, options };
  await analyse(deno, bundle, run);
  const child = hostedCommand(deno, [ENTRY, bundle], run).spawn();
  try {
    const { port, nextEntry } = readOutput(child.stdout);
    return await fn({
      url: `http://127.0.0.1:${await port}`,
      nextEntry,
      cpuMs: () => cpuMs(child.pid),
      peakMib: () => peakMib(child.pid),
    });
  } finally {
    kill(child);
    await child.status;
  }
}

/**
 * Has Deno find out what a bundle imports, which takes longer than to run it. Supabase does so once, when a function is
 * deployed; plain Deno at the first run, and keeps it.
 */
async function analyse(
  deno: string,
  bundle: string,
  run: Parameters<typeof hostedCommand>[2],
): Promise<void> {
  const child = hostedCommand(deno, [ENTRY, bundle], run).spawn();
  try {
    await readOutput(child.stdout).port;
    await eventually(async () => {
      const kept = await Deno.readTextFile(`${run.env.DENO_DIR}/dep_analysis_cache_v2-wal`);
      assert.ok(kept.includes(bundle), `${bundle} is not analysed`);
    });
  } finally {
    kill(child);
    await child.status;
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // it has ended already
  }
}

/** Reads what a function writes: its port, then its log. */
function readOutput(
  stdout: ReadableStream<Uint8Array<ArrayBuffer>>,
): { port: Promise<number>; nextEntry: HostedFunction["nextEntry"] } {
  const port = Promise.withResolvers<number>();
  const waiting = new Map<string, PromiseWithResolvers<JsonObject>>();
  const lines = stdout.pipeThrough(new TextDecoderStream()).pipeThrough(splitLines());
  void (async () => {
    for await (const line of lines) {
      if (line.startsWith("PORT ")) port.resolve(Number(line.slice(5)));
      if (!line.startsWith("{")) continue;
      const entry = JSON.parse(line) as JsonObject;
      waiting.get(entry.message)?.resolve(entry);
    }
    port.reject(new Error("The function did not start"));
    for (const [message, entry] of waiting) {
      entry.reject(new Error(`The function ended without "${message}"`));
    }
  })();
  return {
    port: port.promise,
    async nextEntry(message) {
      const entry = Promise.withResolvers<JsonObject>();
      waiting.set(message, entry);
      const isInTime = await within(MAX_ENTRY_MS, entry.promise);
      if (!isInTime) throw new Error(`The function wrote no "${message}" within ${MAX_ENTRY_MS} ms`);
      return await entry.promise;
    },
  };
}

function splitLines(): TransformStream<string, string> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop()!;
      lines.forEach((line) => controller.enqueue(line));
    },
  });
}

/** Linux counts in hundredths of a second. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function peakMib(pid: number): Promise<number> {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) / 1024;
}
