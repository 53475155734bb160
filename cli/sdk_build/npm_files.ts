import { join } from "node:path";
import { runDevProgram } from "../dev_program.ts";
import { CommandError } from "../errors/command_error.ts";

/** Modules of a package. */
export interface Modules {
  /** The folder of the sources, with `entries` in it. */
  source: string;
  entries: string[];
  out: string;
}

/**
 * Writes modules in JavaScript and their types.
 *
 * @throws {CommandError} `build_failed` when the compiler refuses a file
 */
export async function compileModules(modules: Modules): Promise<void> {
  const problems = await runDevProgram<string[]>("compile_modules.ts", modules);
  if (problems.length > 0) throw new CommandError("build_failed", problems.join("\n"));
}

/** Returns a module's entry in the `exports` of package.json. */
export function exportOf(name: string): object {
  return { types: `./${name}.d.ts`, default: `./${name}.js` };
}

/** Writes package.json into the folder of a package. */
export async function writePackageFile(out: string, content: object): Promise<void> {
  await Deno.writeTextFile(join(out, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}
