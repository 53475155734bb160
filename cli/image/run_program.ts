import { CommandError } from "../errors/command_error.ts";

/**
 * Runs a program to its end and returns its output.
 *
 * @throws {CommandError} `build_failed` when it is missing or fails, with its last lines
 */
export async function runProgram(
  program: string,
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const command = new Deno.Command(program, {
    args,
    ...(cwd !== undefined && { cwd }),
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
  });
  const { success, stdout, stderr } = await command.output().catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new CommandError("build_failed", `${program} is missing on this machine. Try --help`);
  });
  if (success) return new TextDecoder().decode(stdout);
  const lines = new TextDecoder().decode(stderr).trim().split("\n").slice(-5).join("\n");
  throw new CommandError("build_failed", `${program} ${args[0]} failed: ${lines}`);
}
