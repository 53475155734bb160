import { installPythonProgram, type PythonProgram } from "./python_program.ts";
import { MissingProgram, runProgram } from "./run_program.ts";

/** The build system that `sdk/python/pyproject.toml` names. */
const HATCHLING: PythonProgram = { name: "hatchling", version: "1.33.0", program: "hatchling" };

/**
 * Builds the wheel and the source archive of the Python client into `out`, and returns their names.
 *
 * @param source the folder of `pyproject.toml`
 * @param options.tools where the build system is installed, once
 * @param options.time that of every file in the archives
 * @throws {MissingProgram} without Python 3, or when the build system cannot be downloaded
 */
export async function buildPython(
  source: string,
  out: string,
  { tools, time }: { tools: string; time: Date },
): Promise<string[]> {
  const hatchling = await installPythonProgram(HATCHLING, tools);
  if ("missing" in hatchling) throw new MissingProgram(hatchling.missing);
  const env = { SOURCE_DATE_EPOCH: String(Math.floor(time.getTime() / 1000)) };
  await runProgram(hatchling.path, ["build", "--directory", out], { cwd: source, env });
  return await Array.fromAsync(Deno.readDir(out), ({ name }) => name);
}
