import { join } from "node:path";
import { CommandError } from "../command_error.ts";
import { BUNDLED, type CopiedPart } from "./parts.ts";
import { runDeno } from "./run_deno.ts";

/** An npm package that goes to browsers, where Deno keeps it. */
export interface NpmPackage {
  name: string;
  version: string;
  localPath: string;
}

export interface FoundPackages {
  /** Every package that is in a bundle or copied, with those they use, by name. */
  all: NpmPackage[];
  /** @throws {CommandError} for a package that import_map.json does not name */
  folderOf(name: string): string;
}

/** Finds the packages that bundles and copies are made of, downloading what is not there yet. */
export async function findPackages(root: string, copied: CopiedPart[]): Promise<FoundPackages> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(root, "import_map.json")));
  const scripts = BUNDLED.filter(({ entry }) => entry.endsWith(".ts")).map(({ entry }) =>
    join("widget", entry)
  );
  const specifiers = [...new Set(copied.map((part) => imports[part.package] as string))];
  const infos = await Promise.all([...scripts, ...specifiers].map((from) => packagesOf(root, from)));
  const all = new Map(infos.flat().map((found) => [`${found.name}@${found.version}`, found]));
  return {
    all: [...all.values()].sort((a, b) => a.name < b.name ? -1 : 1),
    folderOf(name) {
      const found = all.get((imports[name] ?? "").replace(/^npm:/, ""));
      if (found) return found.localPath;
      throw new CommandError("build_failed", `import_map.json names no package ${name}`);
    },
  };
}

interface DenoInfo {
  modules: { npmPackage?: string }[];
  npmPackages?: Record<string, NpmPackage & { dependencies: string[] }>;
}

/** `deno info` lists every package of the lock file, so those that are used are followed from the modules. */
async function packagesOf(root: string, from: string): Promise<NpmPackage[]> {
  const { modules, npmPackages = {} } = JSON.parse(await runDeno(root, ["info", "--json", from])) as DenoInfo;
  const used = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of used) npmPackages[id]?.dependencies.forEach((each) => used.add(each));
  return [...used].flatMap((id) => npmPackages[id] ?? [])
    // Types are for whoever writes the code; nothing of them reaches a browser.
    .filter(({ name }) => !name.startsWith("@types/"))
    .map(({ name, version, localPath }) => ({ name, version, localPath }));
}
