import { skipped } from "../setup/skipped.ts";

const SUPABASE_CLI = ["-y", "supabase@3.1.0"];

/** How a command of the Supabase CLI ended. */
export interface CliResult {
  code: number;
  /** The lines of both streams that are not empty. */
  lines: string[];
}

/** Runs a command of the Supabase CLI; needs npx. */
export async function supabaseCli(args: string[]): Promise<CliResult> {
  const { code, stdout, stderr } = await new Deno.Command("npx", {
    args: [...SUPABASE_CLI, ...args],
    stdin: "null",
    env: { CI: "true", NO_COLOR: "1" },
  }).output();
  const output = `${new TextDecoder().decode(stdout)}\n${new TextDecoder().decode(stderr)}`;
  return { code, lines: output.split("\n").map((line) => line.trim()).filter((line) => line !== "") };
}

/** Whether the CLI cannot be had on this machine; the test is then reported as skipped. */
export async function cliIsMissing(test: string): Promise<boolean> {
  const { code, lines } = await supabaseCli(["--version"])
    .catch((error) => ({ code: 1, lines: [String(error)] }));
  if (code !== 0) skipped(test, `the Supabase CLI could not be had: ${lines.at(-1)}`);
  return code !== 0;
}
