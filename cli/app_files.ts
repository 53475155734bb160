import { join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { runDeno } from "./browser_build/bundle.ts";
import { exitCodeOf, readArguments } from "./terminal/command_line.ts";
import { CommandError } from "./errors/command_error.ts";
import { print } from "./terminal/print.ts";

const HELP = `Usage: deno run -A cli/app_files.ts DIR

Writes what the image of the service runs: the sources to DIR/outbound, and the packages that production needs to DIR/deno.
The Dockerfile calls it.

  --help   print this text
`;

const ROOT = resolve(fileURLToPath(import.meta.url), "../..");

/** The commands of the image, by their files. */
const COMMANDS = [
  "admin",
  "dispatch",
  "doctor",
  "health_check",
  "migrate",
  "serve",
] as const;

/** The sources that the commands read. */
const FOLDERS = ["cli", "docs", "ops/image", "supabase/functions", "supabase/migrations"];
const FILES = ["LICENSE", "deno.lock"];

/** The parts of deno.json that the commands need: the rest is for development. */
const CONFIG_KEYS = ["importMap", "nodeModulesDir", "allowScripts", "permissions", "compilerOptions"];

/**
 * Writes what the commands need: the sources in `folder`/outbound, the packages in `folder`/deno. Packages for
 * development and for the browser are left out, so deno.json, import_map.json and deno.lock name the others alone.
 *
 * @throws {CommandError} `build_failed` when a package cannot be had
 */
async function writeAppFiles(folder: string): Promise<void> {
  const [app, denoDir] = [join(folder, "outbound"), join(folder, "deno")];
  for (const each of FOLDERS) await copyTree(join(ROOT, each), join(app, each));
  for (const file of FILES) await Deno.copyFile(join(ROOT, file), join(app, file));
  await writeJson(join(app, "deno.json"), productionConfig(await readJson(join(ROOT, "deno.json"))));
  await writeJson(join(app, "import_map.json"), await productionImports());
  const entries = COMMANDS.map((command) => `cli/${command}.ts`);
  // Not frozen: Deno takes the packages out of the lock file that are no longer asked for.
  await runDeno(app, ["cache", "--quiet", "--no-check", ...entries]);
  await copyPackages(app, denoDir);
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
async function productionImports(): Promise<{ imports: Record<string, string> }> {
  const specifiers = new Set<string>();
  for (const command of COMMANDS) {
    const output = await runDeno(ROOT, ["info", "--json", `cli/${command}.ts`]);
    for (const { dependencies = [] } of graphSchema.parse(JSON.parse(output)).modules) {
      dependencies.forEach(({ specifier }) => specifiers.add(specifier));
    }
  }
  const isUsed = (name: string) =>
    name.endsWith("/") ? [...specifiers].some((each) => each.startsWith(name)) : specifiers.has(name);
  const { imports } = importMapSchema.parse(await readJson(join(ROOT, "import_map.json")));
  return { imports: Object.fromEntries(Object.entries(imports).filter(([name]) => isUsed(name))) };
}

const infoSchema = z.object({ denoDir: z.string() });
const packagesSchema = z.object({ npmPackages: z.record(z.string(), z.object({ localPath: z.string() })) });

/** Copies the packages of the lock file in `app` from where this machine keeps them, and nothing else that Deno keeps. */
async function copyPackages(app: string, denoDir: string): Promise<void> {
  const own = infoSchema.parse(JSON.parse(await runDeno(app, ["info", "--json"]))).denoDir;
  const info = await runDeno(app, ["info", "--json", `cli/${COMMANDS[0]}.ts`]);
  for (const { localPath } of Object.values(packagesSchema.parse(JSON.parse(info)).npmPackages)) {
    await copyTree(localPath, join(denoDir, relative(own, localPath)));
  }
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  return JSON.parse(await Deno.readTextFile(file));
}

async function writeJson(file: string, value: unknown): Promise<void> {
  await Deno.writeTextFile(file, `${JSON.stringify(value, null, 2)}\n`);
}

/** Copies a folder with everything in it; links stay links. */
async function copyTree(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory, isSymlink } of Deno.readDir(from)) {
    const [source, target] = [join(from, name), join(to, name)];
    if (isDirectory) await copyTree(source, target);
    else if (isSymlink) await Deno.symlink(await Deno.readLink(source), target);
    else await Deno.copyFile(source, target);
  }
}

async function main(args: string[]): Promise<number> {
  const { options: { help }, positionals: [folder] } = readArguments(args, { help: { type: "boolean" } });
  if (help) print(HELP);
  else if (folder === undefined) throw new CommandError("usage", "Name the folder to write to. Try --help");
  else await writeAppFiles(resolve(folder));
  return 0;
}

if (import.meta.main) Deno.exit(await exitCodeOf(() => main(Deno.args)));
