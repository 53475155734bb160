import { join } from "node:path";
import { findBinary } from "./find_binary.ts";

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
  const python = await findBinary("python3");
  if (python === undefined) return { missing: "Python 3 is not installed (python3)" };
  await Deno.remove(environment, { recursive: true }).catch(() => {});
  const steps = [
    [python, "-m", "venv", environment],
    [
      join(environment, "bin/pip"),
      "install",
      "--quiet",
      "--disable-pip-version-check",
      `${name}==${version}`,
    ],
  ];
  for (const [command, ...args] of steps) {
    const { success, stderr } = await new Deno.Command(command!, { args, stdin: "null" }).output();
    if (success) continue;
    const reason = new TextDecoder().decode(stderr).trim().split("\n").at(-1);
    return { missing: `${name} ${version} cannot be installed: ${reason}` };
  }
  await Deno.writeTextFile(join(environment, "complete"), "");
  return { path };
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
