import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { skipped } from "../setup/skipped.ts";
import { withTempFolder } from "../setup/temp_folder.ts";
import { findBinary } from "../setup/find_binary.ts";
import { installPythonProgram, type PythonProgram } from "../../cli/release_build/python_program.ts";
import { MissingProgram } from "../../cli/release_build/run_program.ts";

/** The API document that `GET /openapi.json` returns. */
export const DOCUMENT = fileURLToPath(
  new URL("../../supabase/functions/openapi/document.json", import.meta.url),
);
/** The folder of tools, which stays between runs. */
export const TOOLS = fileURLToPath(new URL("../../.outbound/tools", import.meta.url));
/** A registry that does not respond must not stop the tests. */
const INSTALL_MS = 240_000;

/** Calls `make` with an empty folder to make a client in. Where a tool is missing, `test` counts as skipped. */
export async function makeClient(test: string, make: (folder: string) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    try {
      await make(folder);
    } catch (error) {
      if (!(error instanceof MissingProgram)) throw error;
      skipped(test, error.message);
    }
  });
}

/** Ends the test as skipped where one of `programs` is not on the PATH. */
export async function need(...programs: string[]): Promise<void> {
  for (const program of programs) {
    if (await findBinary(program) === undefined) throw new MissingProgram(`no ${program} found`);
  }
}

/** Installs a Python program once, and returns its path. */
export async function needPythonProgram(program: PythonProgram): Promise<string> {
  const found = await installPythonProgram(program, TOOLS);
  if ("missing" in found) throw new MissingProgram(found.missing);
  return found.path;
}

/** Fetches packages, or tries a tool; where that fails, the client cannot be made here. */
export async function install(folder: string, command: string[], env = {}): Promise<string> {
  const { success, output } = await execute(folder, command, env, AbortSignal.timeout(INSTALL_MS));
  if (!success) throw new MissingProgram(`${command.join(" ")}: ${output.split("\n").at(-1)}`);
  return output;
}

/** Runs a tool, which must not fail. */
export async function run(folder: string, command: string[], env = {}): Promise<string> {
  const { success, output } = await execute(folder, command, env);
  assert.ok(success, `${command.join(" ")}\n${output}`);
  return output;
}

/** Runs a tool, which must not warn either: a warning stands for a type that is missing in the client. */
export async function runWithoutWarning(folder: string, command: string[], env = {}): Promise<void> {
  assert.doesNotMatch(await run(folder, command, env), /warn/i);
}

async function execute(
  cwd: string,
  [program, ...args]: string[],
  env: Record<string, string>,
  signal?: AbortSignal,
): Promise<{ success: boolean; output: string }> {
  const options = { args, cwd, env: { NO_COLOR: "1", ...env }, stdin: "null" as const };
  const { success, stdout, stderr } = await new Deno.Command(program!, {
    ...options,
    ...signal && { signal },
  })
    .output();
  const decoder = new TextDecoder();
  return { success, output: `${decoder.decode(stdout)}${decoder.decode(stderr)}`.trim() };
}
