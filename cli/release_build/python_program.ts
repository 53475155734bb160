import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { runProgram } from "./run_program.ts";

/** A program of a Python package, at one version. */
export interface PythonProgram {
  /** Its name on PyPI. */
  name: string;
  version: string;
  /** The program that it installs. */
  program: string;
}

/** Where a program is, or why it is not there. */
export type FoundProgram = { path: string } | { missing: string };

/**
 * Installs a Python program into a virtual environment below `folder`, once. Says what is missing where there is no
 * Python 3 with `venv`, or the package cannot be reached.
 */
export async function installPythonProgram(
  { name, version, program }: PythonProgram,
  folder: string,
): Promise<FoundProgram> {
  const environment = join(folder, `${name}-${version}`);
  const path = join(environment, "bin", program);
  if (await isThere(join(environment, "complete"))) return { path };
  await Deno.mkdir(folder, { recursive: true });
  await Deno.remove(environment, { recursive: true }).catch(() => {});
  try {
    await runProgram("python3", ["-m", "venv", environment], { cwd: folder });
    const install = ["install", "--quiet", "--disable-pip-version-check", `${name}==${version}`];
    await runProgram(join(environment, "bin/pip"), install, { cwd: folder });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { missing: `${name} ${version} cannot be installed: ${error.message.split("\n").at(-1)}` };
  }
  await Deno.writeTextFile(join(environment, "complete"), "");
  return { path };
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
