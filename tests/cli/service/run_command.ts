import assert from "node:assert/strict";
import { within } from "../../../cli/service/stopping.ts";
import { type Task, taskCommand } from "../../../cli/service/task_command.ts";
import { machineEnv } from "../../setup/machine_env.ts";

/** A command of `deno task` that goes on until it is stopped. */
export interface RunningCommand {
  /** Standard output so far. */
  readonly output: string;
  /** Standard error, once it has ended. */
  errors: Promise<string>;
  /** Sends it the signal and returns its exit code. */
  stop(signal: Deno.Signal): Promise<number>;
}

/** For a task to be ready, and to end. */
const MAX_WAIT_MS = 60_000;

/** Runs a task of deno.json, with its permissions, with nothing but these variables, and waits for a line of output that matches. */
export async function runCommand(
  task: Task,
  env: Record<string, string>,
  ready: RegExp,
  args: string[] = [],
): Promise<RunningCommand> {
  const child = command(task, env, args).spawn();
  const errors = new Response(child.stderr).text();
  const started = Promise.withResolvers<void>();
  let text = "";
  void (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (ready.test(text)) started.resolve();
    }
    started.reject(new Error(`${task} ended: ${text}${await errors}`));
  })();
  if (!await within(MAX_WAIT_MS, started.promise)) {
    child.kill("SIGKILL");
    throw new Error(`${task} wrote nothing like ${ready}: ${text}${await errors}`);
  }
  return {
    get output() {
      return text;
    },
    errors,
    stop: async (signal) => {
      child.kill(signal);
      const isOver = await within(MAX_WAIT_MS, child.status);
      if (!isOver) child.kill("SIGKILL");
      const { code } = await child.status;
      assert.ok(isOver, `${task} went on after ${signal}`);
      return code;
    },
  };
}

/** Runs a task of deno.json to its end. */
export async function endedCommand(
  task: Task,
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await command(task, env, args).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

function command(task: Task, env: Record<string, string>, args: string[]): Deno.Command {
  const [path, ...taskArgs] = taskCommand(task);
  return new Deno.Command(path!, {
    args: [...taskArgs, ...args],
    clearEnv: true,
    env: { ...machineEnv(), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}
