import { CommandError } from "../errors/command_error.ts";

/** A program that this machine lacks: what needs it is skipped. */
export class MissingProgram extends CommandError {
  /** @param message which one, and what else is known */
  constructor(message: string) {
    super("build_failed", message);
  }
}

/**
 * Runs a program and returns its output.
 *
 * @throws {MissingProgram} when it is not on the PATH
 * @throws {CommandError} `build_failed` with its error output
 */
export async function runProgram(
  program: string,
  args: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Promise<string> {
  const options = { args, cwd, env: { NO_COLOR: "1", ...env }, stdin: "null" } as const;
  const { success, stdout, stderr } = await outputOf(program, options);
  const decoder = new TextDecoder();
  if (success) return decoder.decode(stdout);
  const output = `${decoder.decode(stderr)}${decoder.decode(stdout)}`.trim();
  throw new CommandError("build_failed", `${program} ${args[0]} failed: ${output}`);
}

/** A program that is missing is an error of the call itself, not of its promise. */
async function outputOf(program: string, options: Deno.CommandOptions): Promise<Deno.CommandOutput> {
  try {
    return await new Deno.Command(program, options).output();
  } catch (error) {
    throw error instanceof Deno.errors.NotFound ? new MissingProgram(`no ${program} on the PATH`) : error;
  }
}
