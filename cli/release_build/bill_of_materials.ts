import { join } from "node:path";
import { VERSION } from "../../supabase/functions/_shared/values/version.ts";
import { runDeno } from "../browser_build/bundle.ts";
import { runDevProgram } from "../dev_program.ts";
import type { Sources } from "./sources.ts";

/** Any file of the service: Deno lists all packages of the lock with it. */
const ENTRY = "cli/serve.ts";

interface DenoPackage {
  name: string;
  version: string;
  dependencies: string[];
  localPath: string;
}

/**
 * Writes the bill of materials as CycloneDX: each package that deno.lock names, with its licence and hash and what it
 * needs itself, and the packages that the Python client asks for.
 */
export async function writeBillOfMaterials({ folder, commit, time }: Sources, out: string): Promise<void> {
  const read = (path: string) => Deno.readTextFile(join(folder, path));
  const { npm: locked } = JSON.parse(await read("deno.lock"));
  const { npmPackages } = JSON.parse(await runDeno(folder, ["info", "--json", ENTRY])) as {
    npmPackages: Record<string, DenoPackage>;
  };
  const packages = await Promise.all(
    Object.entries(npmPackages).map(async ([id, { name, version, dependencies, localPath }]) => ({
      ...{ id, name, version, dependencies },
      integrity: locked[id].integrity,
      license: JSON.parse(await Deno.readTextFile(join(localPath, "package.json"))).license,
    })),
  );
  const [, python] = /^dependencies = (\[.*\])$/m.exec(await read("sdk/python/pyproject.toml"))!;
  const asked = { version: VERSION, commit, time: time.toISOString(), packages, python: JSON.parse(python!) };
  await Deno.writeTextFile(out, `${await runDevProgram<string>("make_bill_of_materials.ts", asked)}\n`);
}
