import { join } from "node:path";
import { runDevProgram } from "../dev_program.ts";
import { CommandError } from "../errors/command_error.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";

const ENTRIES = ["mod.ts", "webhooks.ts"];

/**
 * Writes the npm package of the TypeScript client into `out`: modules, their types, package.json, README.md and licences.
 * Files of an earlier build are removed.
 *
 * @param root the root of the repository
 * @throws {CommandError} `build_failed` when the compiler refuses a file
 */
export async function buildPackage(root: string, out: string): Promise<void> {
  await Deno.remove(out, { recursive: true }).catch(() => {});
  await Deno.mkdir(out, { recursive: true });
  const source = join(root, "sdk", "typescript");
  await compile(join(source, "src"), out);
  const { imports } = JSON.parse(await Deno.readTextFile(join(root, "import_map.json")));
  await Deno.writeTextFile(join(out, "package.json"), `${JSON.stringify(packageFile(imports), null, 2)}\n`);
  await Deno.copyFile(join(source, "README.md"), join(out, "README.md"));
  await Deno.copyFile(join(root, "LICENSE"), join(out, "LICENSE"));
  await Deno.copyFile(join(source, "src", "generated", "LICENSE.md"), join(out, "generated", "LICENSE.md"));
}

async function compile(source: string, out: string): Promise<void> {
  const modules = { source, entries: ENTRIES, out };
  const problems = await runDevProgram<string[]>("compile_modules.ts", modules);
  if (problems.length > 0) throw new CommandError("build_failed", problems.join("\n"));
}

/** The oldest Node that has all that the client uses and is still maintained. */
const NODE = ">=20.3";

/**
 * The client's `package.json`. The version is the service's own.
 *
 * @param imports the packages of import_map.json
 */
function packageFile(imports: Record<string, string>): object {
  return {
    name: "@outbound/sdk",
    version: VERSION,
    description: "Typed client of outbound: WhatsApp notifications, campaigns and AI calls",
    license: "MIT",
    type: "module",
    sideEffects: false,
    engines: { node: NODE },
    exports: {
      ".": entry("mod"),
      "./webhooks": entry("webhooks"),
    },
    types: "./mod.d.ts",
    dependencies: { standardwebhooks: versionOf(imports, "standardwebhooks") },
  };
}

function entry(name: string): object {
  return { types: `./${name}.d.ts`, default: `./${name}.js` };
}

function versionOf(imports: Record<string, string>, name: string): string {
  return imports[name]!.slice(`npm:${name}@`.length);
}
