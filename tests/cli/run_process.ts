import { machineEnv } from "../setup/machine_env.ts";

/** The outcome of a program. */
export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** How a program is started: with nothing of this process's environment but the machine's own settings. */
export interface ProcessOptions {
  args: string[];
  env: Record<string, string>;
  cwd?: string;
  stdin: string | Uint8Array<ArrayBuffer>;
}

/** Runs a program to its end, which may come before it has read its whole input. */
export async function runProcess(
  command: string,
  { stdin, env, ...options }: ProcessOptions,
): Promise<Outcome> {
  const child = new Deno.Command(command, {
    ...options,
    env: { ...machineEnv(), ...env },
    clearEnv: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const input = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  await writer.write(input).catch(() => {});
  await writer.close().catch(() => {});
  const { code, stdout, stderr } = await child.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)) as [string, string];
  return { code, stdout: out, stderr: err };
}
