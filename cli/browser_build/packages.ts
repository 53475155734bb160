import { join } from "node:path";
import { CommandError } from "../errors/command_error.ts";
import { runDeno } from "./bundle.ts";

/** A file of an npm package, served as it is. */
export interface CopiedPart {
  name: string;
  /** As import_map.json names it. */
  package: string;
  /** In the package. */
  path: string;
}

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

/** Finds the packages in bundles of `scripts` and in copies, and downloads missing ones. */
export async function findPackages(
  root: string,
  { scripts, copied }: { scripts: string[]; copied: CopiedPart[] },
): Promise<FoundPackages> {
  const { imports } = JSON.parse(await Deno.readTextFile(join(root, "import_map.json")));
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

/** `deno info` lists every package of the lock file, so this follows the used ones from the modules. */
async function packagesOf(root: string, from: string): Promise<NpmPackage[]> {
  const { modules, npmPackages = {} } = JSON.parse(await runDeno(root, ["info", "--json", from])) as DenoInfo;
  const used = new Set(modules.flatMap(({ npmPackage }) => npmPackage ?? []));
  for (const id of used) npmPackages[id]?.dependencies.forEach((each) => used.add(each));
  return [...used].flatMap((id) => npmPackages[id] ?? [])
    // Types never reach a browser.
    .filter(({ name }) => !name.startsWith("@types/"))
    .map(({ name, version, localPath }) => ({ name, version, localPath }));
}

const LICENCE_FILE = /^(licen[cs]e|notice|copying)/i;

/** Returns the licences of the packages whose code is in the files, as their authors require. */
export async function thirdPartyNotices({ all }: Pick<FoundPackages, "all">): Promise<string> {
  const notices = await Promise.all(all.map(noticeOf));
  return `These files contain or come with the following packages.\n\n${notices.join("\n")}`;
}

async function noticeOf({ name, version, localPath }: NpmPackage): Promise<string> {
  const { license } = JSON.parse(await Deno.readTextFile(join(localPath, "package.json")));
  const texts: string[] = [];
  for (const entry of [...Deno.readDirSync(localPath)].sort((a, b) => a.name < b.name ? -1 : 1)) {
    if (entry.isFile && LICENCE_FILE.test(entry.name)) {
      texts.push(await Deno.readTextFile(join(localPath, entry.name)));
    }
  }
  return [`${"=".repeat(80)}`, `${name} ${version}, ${license}`, "", ...texts].join("\n");
}
