import { join } from "node:path";
import { bundleFile } from "../browser_build/bundle.ts";
import { findPackages, thirdPartyNotices } from "../browser_build/packages.ts";
import { compileModules, exportOf, writePackageFile } from "./npm_files.ts";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";

const ENTRIES = ["mod.ts", "operations.ts", "testing.ts", "webhooks.ts"];

/** The command line, which becomes one file with all that it imports. */
const PROGRAM = "cli/outbound.ts";

/**
 * Writes the npm package of the TypeScript client into `out`: modules, their types, the program `outbound`, package.json,
 * README.md and licences. Files of an earlier build are removed.
 *
 * @param root the root of the repository
 * @throws {CommandError} `build_failed` when the compiler refuses a file
 */
export async function buildPackage(root: string, out: string): Promise<void> {
  await Deno.remove(out, { recursive: true }).catch(() => {});
  await Deno.mkdir(out, { recursive: true });
  const source = join(root, "sdk", "typescript");
  await compileModules({ source: join(source, "src"), entries: ENTRIES, out });
  await buildProgram(root, join(out, "bin"));
  const { imports } = JSON.parse(await Deno.readTextFile(join(root, "import_map.json")));
  await writePackageFile(out, packageFile(imports));
  await Deno.copyFile(join(source, "README.md"), join(out, "README.md"));
  await Deno.copyFile(join(root, "LICENSE"), join(out, "LICENSE"));
  await Deno.copyFile(join(source, "src", "generated", "LICENSE.md"), join(out, "generated", "LICENSE.md"));
}

async function buildProgram(root: string, folder: string): Promise<void> {
  const code = await bundleFile(root, { entry: PROGRAM, format: "esm", platform: "deno" });
  await Deno.mkdir(folder);
  await Deno.writeTextFile(join(folder, "outbound.js"), "#!/usr/bin/env node\n", { mode: 0o755 });
  await Deno.writeFile(join(folder, "outbound.js"), code, { append: true });
  const packages = await findPackages(root, { scripts: [PROGRAM], copied: [] });
  await Deno.writeTextFile(join(folder, "THIRD_PARTY_NOTICES.txt"), await thirdPartyNotices(packages));
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
    bin: { outbound: "bin/outbound.js" },
    exports: {
      ".": exportOf("mod"),
      "./operations": exportOf("operations"),
      "./testing": exportOf("testing"),
      "./webhooks": exportOf("webhooks"),
    },
    types: "./mod.d.ts",
    dependencies: { standardwebhooks: versionOf(imports, "standardwebhooks") },
  };
}

function versionOf(imports: Record<string, string>, name: string): string {
  return imports[name]!.slice(`npm:${name}@`.length);
}
