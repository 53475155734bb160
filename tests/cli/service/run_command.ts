import { type Task, taskCommand } from "../../../cli/service/task_command.ts";

/** A command of `deno task` that goes on until it is stopped. */
export interface RunningCommand {
  /** Standard output so far. */
  readonly output: string;
  /** Standard error, once it has ended. */
  errors: Promise<string>;
  /** Sends it the signal and returns its exit code. */
  stop(signal: Deno.Signal): Promise<number>;
}

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
  await started.promise;
  return {
    get output() {
      return text;
    },
    errors,
    stop: async (signal) => {
      child.kill(signal);
      return (await child.status).code;
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
    env: { ...pick("HOME", "PATH", "DENO_DIR"), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

function pick(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}
