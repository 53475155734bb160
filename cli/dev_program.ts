import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { CommandError } from "./errors/command_error.ts";

const FOLDER = fileURLToPath(new URL("../dev/", import.meta.url));

/** Returns a program of `dev/`, which has packages of its own, before it starts; it reads and writes through pipes. */
export function devProgram(name: string, options?: Pick<Deno.CommandOptions, "stderr">): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--frozen", "--config", `${FOLDER}deno.json`, `${FOLDER}${name}`],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    env: { NO_COLOR: "1", DENO_NO_UPDATE_CHECK: "1" },
    ...options,
  });
}

/**
 * Runs a program of `dev/` on `asked` and returns what it responds; both are JSON.
 *
 * @throws {CommandError} `build_failed` with its error output
 */
export async function runDevProgram<Returned>(name: string, asked: unknown): Promise<Returned> {
  const program = devProgram(name).spawn();
  const [returned, errors, { success }] = await Promise.all([
    text(program.stdout),
    text(program.stderr),
    program.status,
    // A program that fails early reads no more.
    new Blob([JSON.stringify(asked)]).stream().pipeTo(program.stdin).catch(() => {}),
  ]);
  if (success) return JSON.parse(returned) as Returned;
  throw new CommandError("build_failed", `dev/${name} failed: ${errors.trim()}`);
}
