import assert from "node:assert/strict";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { machineEnv } from "./machine_env.ts";

export interface ServedProgram {
  binary: string;
  /** The folder of its log. */
  folder: string;
  cwd?: string;
  env: Record<string, string>;
  /** Responds with success once it serves. */
  url: string;
}

/**
 * Starts a server that is no part of this project, with nothing of this process's environment but the machine's own, and
 * waits until it serves. Returns the function that ends it with a signal. Throws with the end of its log when it does not
 * start.
 */
export async function serveProgram(
  { binary, folder, cwd, env, url }: ServedProgram,
): Promise<(signal: Deno.Signal) => Promise<void>> {
  const log = join(folder, "log");
  const child = new Deno.Command("/bin/sh", {
    args: ["-c", 'exec "$1" >"$2" 2>&1', "sh", binary, log],
    ...(cwd !== undefined && { cwd }),
    clearEnv: true,
    env: { ...machineEnv(), ...env },
    stdin: "null",
  }).spawn();
  let hasEnded = false;
  const ended = child.status.then(() => hasEnded = true);
  const end = async (signal: Deno.Signal) => {
    if (!hasEnded) child.kill(signal);
    await ended;
  };
  try {
    await eventually(async () => {
      const response = await fetch(url);
      await response.body?.cancel();
      assert.ok(response.ok);
    }, 60_000);
  } catch (cause) {
    await end("SIGKILL");
    throw new Error(`${binary} did not start: ${(await Deno.readTextFile(log)).slice(-2000)}`, { cause });
  }
  return end;
}
