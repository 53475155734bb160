import { join } from "node:path";
import { z } from "zod";
import { runProgram } from "./run_program.ts";

/** The commands of the image, by their files. */
export const COMMANDS = [
  "admin",
  "dispatch",
  "doctor",
  "health_check",
  "migrate",
  "serve",
] as const;

/** The sources that the commands read. */
const FOLDERS = ["cli", "docs", "supabase/functions", "supabase/migrations"];
const FILES = ["LICENSE", "deno.lock"];

/** The parts of deno.json that the commands need: the rest is for development. */
const CONFIG_KEYS = ["importMap", "nodeModulesDir", "allowScripts", "permissions", "compilerOptions"];

/**
 * Writes what the commands need: the sources in `app`, the packages in `denoDir`. Packages for development and for the
 * browser are left out, so deno.json, import_map.json and deno.lock name the others alone.
 *
 * @throws {CommandError} `build_failed` when a package cannot be had
 */
export async function writeAppFiles(
  root: string,
  { app, denoDir }: { app: string; denoDir: string },
): Promise<void> {
  for (const folder of FOLDERS) await copyTree(join(root, folder), join(app, folder));
  for (const file of FILES) await Deno.copyFile(join(root, file), join(app, file));
  await writeJson(join(app, "deno.json"), productionConfig(await readJson(join(root, "deno.json"))));
  await writeJson(join(app, "import_map.json"), await productionImports(root));
  const entries = COMMANDS.map((command) => `cli/${command}.ts`);
  // Not frozen: Deno takes the packages out of the lock file that are no longer asked for.
  await runProgram(Deno.execPath(), ["cache", "--quiet", "--no-check", ...entries], {
    cwd: app,
    env: { DENO_DIR: denoDir },
  });
  await removeCaches(denoDir);
}

function productionConfig(config: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(CONFIG_KEYS.map((key) => [key, config[key]]));
}

const importMapSchema = z.object({ imports: z.record(z.string(), z.string()) });

const graphSchema = z.object({
  modules: z.array(z.object({
    dependencies: z.array(z.object({ specifier: z.string() })).optional(),
  })),
});

/** Returns the import map with the entries alone that some file of the commands imports. */
async function productionImports(root: string): Promise<{ imports: Record<string, string> }> {
  const specifiers = new Set<string>();
  for (const command of COMMANDS) {
    const output = await runProgram(Deno.execPath(), ["info", "--json", `cli/${command}.ts`], { cwd: root });
    for (const { dependencies = [] } of graphSchema.parse(JSON.parse(output)).modules) {
      dependencies.forEach(({ specifier }) => specifiers.add(specifier));
    }
  }
  const isUsed = (name: string) =>
    name.endsWith("/") ? [...specifiers].some((each) => each.startsWith(name)) : specifiers.has(name);
  const { imports } = importMapSchema.parse(await readJson(join(root, "import_map.json")));
  return { imports: Object.fromEntries(Object.entries(imports).filter(([name]) => isUsed(name))) };
}

/** Removes what Deno makes again where it misses it, and what differs from one build to the next. */
async function removeCaches(denoDir: string): Promise<void> {
  for await (const { name } of Deno.readDir(denoDir)) {
    if (name !== "npm") await Deno.remove(join(denoDir, name), { recursive: true });
  }
  // A folder per registry; with the default settings there is one.
  for await (const { name } of Deno.readDir(join(denoDir, "npm"))) {
    await removeVersionLists(join(denoDir, "npm", name));
  }
}

/** Removes the lists of the packages' versions: the lock file has decided already. */
async function removeVersionLists(registry: string): Promise<void> {
  for await (const { name } of Deno.readDir(registry)) {
    const packages = name.startsWith("@")
      ? (await Array.fromAsync(Deno.readDir(join(registry, name)))).map((each) => join(name, each.name))
      : [name];
    for (const each of packages) {
      await Deno.remove(join(registry, each, "registry.json")).catch(() => {});
    }
  }
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(file));
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Copies a folder with everything in it; links stay links. */
export async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory) await copyTree(source, target);
    else if (isSymlink) await Deno.symlink(await Deno.readLink(source), target);
    else await Deno.copyFile(source, target);
  }
}
