import { CommandError } from "../command_error.ts";

/**
 * Runs this Deno in the repository and answers what it printed.
 *
 * @throws {CommandError} `build_failed` with what it said
 */
export async function runDeno(root: string, args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd: root,
    stdin: "null",
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
  }).output();
  if (success) return new TextDecoder().decode(stdout);
  const said = new TextDecoder().decode(stderr).trim();
  throw new CommandError("build_failed", `deno ${args[0]} failed: ${said}`);
}
