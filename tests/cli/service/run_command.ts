/** A command of `deno task` that goes on until it is stopped. */
export interface RunningCommand {
  /** Standard output, up to the line that said it is ready. */
  output: string;
  /** Standard output so far. */
  written(): string;
  /** Standard error, once it has ended. */
  errors: Promise<string>;
  /** Sends it the signal and returns its exit code. */
  stop(signal: Deno.Signal): Promise<number>;
}

/** Runs a file of cli/ with nothing but these variables, and waits for a line of output that matches. */
export async function runCommand(
  file: string,
  env: Record<string, string>,
  ready: RegExp,
  args: string[] = [],
): Promise<RunningCommand> {
  const child = command(file, env, args).spawn();
  const errors = new Response(child.stderr).text();
  const output = Promise.withResolvers<string>();
  let text = "";
  void (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (ready.test(text)) output.resolve(text);
    }
    output.reject(new Error(`${file} ended: ${text}${await errors}`));
  })();
  return {
    output: await output.promise,
    written: () => text,
    errors,
    stop: async (signal) => {
      child.kill(signal);
      return (await child.status).code;
    },
  };
}

/** Runs a file of cli/ to its end. */
export async function endedCommand(
  file: string,
  env: Record<string, string>,
  args: string[] = [],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await command(file, env, args).output();
  return { code, stdout: new TextDecoder().decode(stdout), stderr: new TextDecoder().decode(stderr) };
}

function command(file: string, env: Record<string, string>, args: string[] = []): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", new URL(`../../../cli/${file}`, import.meta.url).pathname, ...args],
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
